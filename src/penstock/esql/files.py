"""Finds and reads `.esql` files: the only module of the room that opens one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.esql.limits import FILES_MAX, SOURCE_BYTES_MAX
from penstock.esql.source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

SUFFIX = ".esql"


def find_files(paths: Iterable[Path]) -> list[Path]:
    """Return the files that paths name, in order and once each; a folder means the files below it.

    A path that does not exist raises FileNotFoundError; more than FILES_MAX files raise ValueError.
    """
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = (each for each in path.rglob("*") if each.suffix.lower() == SUFFIX and each.is_file())
            found.update(dict.fromkeys(sorted(inside)))
        elif path.exists():
            found[path] = None
        else:
            raise FileNotFoundError(2, "no such file or folder", str(path))
        if len(found) > FILES_MAX:
            raise ValueError(f"more than {FILES_MAX} files in {path}")
    return list(found)


def read_source(path: Path) -> Source:
    """Read a file; from one that is too large only as much as makes the parser refuse it."""
    with path.open("rb") as file:
        return Source.decode(str(path), file.read(4 * SOURCE_BYTES_MAX + 4))
