"""Keeps a flow under test from the world: its folders are below one of the test's own, its ports are any.

Nodes are changed for the time of a run and are as before afterwards: flows of a project are shared. What
HTTPRequest, databases and queues touch is the rig's matter: stubs, SQLite files, its own queue manager.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from penstock.flow.files.claims import ARCHIVE, POSITION, TRANSIT
from penstock.flow.files.writing import TRANSIT as GATHERING
from penstock.flow.nodes.file_input import FileInput
from penstock.flow.nodes.file_output import FileOutput
from penstock.flow.nodes.file_read import FileRead
from penstock.flow.nodes.http_input import HTTPInput
from penstock.flow.nodes.trace import Trace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from penstock.flow.node import Node

LOOPBACK = "127.0.0.1"
_PASSING = {TRANSIT, ARCHIVE, GATHERING}
LISTENING: dict[str, Any] = {"host": LOOPBACK, "port": 0, "https": False, "certificate": "", "key": ""}


class Files:
    """The files of a test, by `directory/name` as the nodes name them."""

    def __init__(self, root: Path, project: Path) -> None:
        self.root = root
        self.project = project
        self._given: dict[str, bytes] = {}

    def place(self, directory: str) -> Path:
        """Return where a directory of a node is during a test."""
        return self.root / os.path.normpath(f"/{directory}").lstrip("/")

    def write(self, name: str, content: bytes, modified: float) -> None:
        """Have a file before the run, changed at a time."""
        path = self.place(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        os.utime(path, (modified, modified))
        self._given[str(path.relative_to(self.root))] = content

    def prepare(self, node: FileInput | FileOutput | FileRead) -> Path:
        """Make the directory of a node; what a FileRead finds in the project is copied."""
        place = self.place(node.directory)
        source = self.project / node.directory
        if isinstance(node, FileRead) and not node.directory.startswith("/") and source.is_dir():
            for path in (each for each in source.iterdir() if each.is_file()):
                target = place / path.name
                if not target.exists():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(path, target)
                    self._given[str(target.relative_to(self.root))] = target.read_bytes()
        place.mkdir(parents=True, exist_ok=True)
        return place

    def written(self) -> dict[str, bytes]:
        """Return the files that the flow has written or changed, and those it backed out, by their paths."""
        found = {}
        for path in sorted(self.root.rglob("*")):
            name = str(path.relative_to(self.root))
            if not path.is_file() or _PASSING & set(path.parts) or path.name.endswith(POSITION):
                continue
            content = path.read_bytes()
            if self._given.get(name) != content:
                found[name] = content
        return found


@contextmanager
def isolated(nodes: Iterable[Node], files: Files) -> Iterator[None]:
    """Let nodes work in the test's folder and listen on any port while the block runs."""
    before: list[tuple[Node, str, Any]] = []
    try:
        for node in nodes:
            for name, value in _changes(node, files).items():
                before.append((node, name, getattr(node, name)))
                setattr(node, name, value)
        yield
    finally:
        for node, name, value in reversed(before):
            setattr(node, name, value)


def _changes(node: Node, files: Files) -> dict[str, Any]:
    if isinstance(node, FileInput | FileOutput | FileRead):
        return {"directory": str(files.prepare(node))}
    if isinstance(node, Trace) and node.destination == "file":
        return {"file": str(files.place(node.file))}
    return LISTENING if isinstance(node, HTTPInput) else {}
