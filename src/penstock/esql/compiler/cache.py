"""Compiled ESQL on disk, keyed by the sources, the compiler and the Python version.

An entry is one file with the result for a set of sources. It is written aside and renamed, so that a reader
sees a complete one or none; an unreadable one is replaced. Entries are code: the folder must belong to the
user that runs it.
"""

from __future__ import annotations

import hashlib
import marshal
import os
import sys
from typing import TYPE_CHECKING

from penstock.esql.library import CompiledFile, EntryPoint

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.esql.source import Source

COMPILER_VERSION = 6
MAGIC = b"penstock-esql\n"


class Cache:
    """A folder of compiled sources."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def place(self, sources: list[Source]) -> Path:
        """Return the cache file of a set of sources."""
        digest = hashlib.sha256(f"{COMPILER_VERSION} {sys.implementation.cache_tag} {sys.version}".encode())
        for source in sources:
            for part in (source.name, source.text):
                data = part.encode("utf-8", "surrogatepass")
                digest.update(len(data).to_bytes(8, "big") + data)
        return self.folder / f"{digest.hexdigest()}.esqlc"

    def load(self, sources: list[Source]) -> list[CompiledFile] | None:
        """Return the stored result for sources, or None."""
        try:
            data = self.place(sources).read_bytes()
        except OSError:
            return None
        if not data.startswith(MAGIC):
            return None
        check, content = data[len(MAGIC) : len(MAGIC) + 32], data[len(MAGIC) + 32 :]
        if hashlib.sha256(content).digest() != check:
            return None
        files = marshal.loads(content)
        return [
            CompiledFile(name, python, code, lines, tuple(EntryPoint(*entry) for entry in entries), shared)
            for name, python, code, lines, entries, shared in files
        ]

    def save(self, sources: list[Source], files: list[CompiledFile]) -> None:
        """Store the result for sources; nothing happens if the folder is not writable."""
        content = marshal.dumps([each.parts() for each in files])
        place = self.place(sources)
        aside = place.with_suffix(f".{os.getpid()}")
        try:
            from penstock.store.home import make_private

            make_private(self.folder)
            aside.write_bytes(MAGIC + hashlib.sha256(content).digest() + content)
            aside.replace(place)
        except OSError:
            aside.unlink(missing_ok=True)
