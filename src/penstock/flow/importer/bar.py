"""BAR files unpacked into a folder that `Project` reads like any other: one subfolder for each application.

A BAR is a zip with zips in it (`.appzip`, `.libzip`, `.shlibzip`). It is untrusted: sizes and counts are
limited and checked during unpacking, names must stay inside the folder, and only file types of a flow project
are written: above all no Python. Compiled flows (`.cmf`) are listed, not read.
"""

from __future__ import annotations

import io
import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.importer.workspace import MARKS
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator

BAR_BYTES_MAX = 1 << 30
UNPACKED_BYTES_MAX = 2 << 30
ENTRIES_MAX = 50_000
CHUNK = 1 << 20
INNER = (".appzip", ".libzip", ".shlibzip")
TAKEN = frozenset(
    {
        *(".msgflow", ".subflow", ".msgnode", ".esql", ".map", ".xsl", ".xslt", ".xsd", ".mxsd", ".mset"),
        *(".wsdl", ".descriptor", ".policyxml", ".properties", ".json", ".yaml", ".yml", ".cpy", ".xml"),
    }
)
_KEPT = frozenset({".project"})


class Unpacked(NamedTuple):
    """The result of unpacking a BAR: files written, and names that were skipped with the reason."""

    folder: Path
    files: list[str]
    left: list[tuple[str, str]]


def is_bar(path: Path) -> bool:
    """Return whether a path is a BAR file."""
    return path.suffix.lower() == ".bar" and path.is_file()


def unpack(bar: Path, folder: Path) -> Unpacked:
    """Unpack a BAR file below a folder; 8361 when it is none, or larger than a BAR may be."""
    if bar.stat().st_size > BAR_BYTES_MAX:
        raise error(mq.PSRC_FLOW_IMPORT, f"{bar} is larger than {BAR_BYTES_MAX} bytes")
    unpacking = _Unpacking(bar, folder)
    with bar.open("rb") as file:
        unpacking.archive(file, PurePosixPath())
    return Unpacked(folder, unpacking.files, unpacking.left)


class _Unpacking:
    def __init__(self, bar: Path, folder: Path) -> None:
        self.bar = bar
        self.folder = folder
        self.files: list[str] = []
        self.left: list[tuple[str, str]] = []
        self.entries = 0
        self.bytes = 0

    def archive(self, file: io.BufferedIOBase | io.BufferedReader, inside: PurePosixPath) -> None:
        """Unpack one zip into a subfolder; zips of applications in it get a folder of their own."""
        try:
            with zipfile.ZipFile(file) as archive:
                for entry in archive.infolist():
                    self._entry(archive, entry, inside)
        except (
            zipfile.BadZipFile,
            NotImplementedError,
            RuntimeError,
            EOFError,
            OSError,
            ValueError,
        ) as raised:
            where = f"{self.bar}, {inside}" if inside.parts else str(self.bar)
            raise error(mq.PSRC_FLOW_IMPORT, f"{where}: {raised}") from raised

    def _entry(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, inside: PurePosixPath) -> None:
        self.entries += 1
        if self.entries > ENTRIES_MAX:
            raise error(mq.PSRC_FLOW_IMPORT, f"{self.bar} holds more than {ENTRIES_MAX} files")
        name = entry.filename.replace("\\", "/")
        if name.endswith("/"):
            return
        target = _safe(name)
        suffix = PurePosixPath(name).suffix.lower()
        if target is None:
            self.left.append((name, "the name leads out of the archive"))
        elif suffix in INNER and not inside.parts:
            self._application(archive, entry, target)
        elif suffix in TAKEN or target.name in _KEPT:
            self._write(archive, entry, inside / target)
        elif suffix == ".cmf":
            self.left.append((name, "a compiled flow: deploy a BAR that holds the flow files themselves"))
        elif suffix in (".jar", ".zip", ".appdomainzip", *INNER):
            self.left.append((name, "is not used here"))

    def _application(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: PurePosixPath) -> None:
        """Unpack the zip of an application; its folder is always marked as one."""
        name = _safe(target.stem)  # the stem of `...appzip` is `..`
        if name is None:
            self.left.append((entry.filename, "the name leads out of the archive"))
            return
        self.archive(io.BytesIO(b"".join(self._content(archive, entry))), name)
        folder = self.folder / name
        if not any((folder / mark).exists() for mark in MARKS):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "application.descriptor").write_text("<applicationDescriptor/>")

    def _content(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
        """Return the content in pieces; the sizes in a zip's directory are not trusted."""
        with archive.open(entry) as file:
            while piece := file.read(CHUNK):
                self.bytes += len(piece)
                if self.bytes > UNPACKED_BYTES_MAX:
                    raise error(
                        mq.PSRC_FLOW_IMPORT, f"{self.bar} unpacks to more than {UNPACKED_BYTES_MAX} bytes"
                    )
                yield piece

    def _write(self, archive: zipfile.ZipFile, entry: zipfile.ZipInfo, name: PurePosixPath) -> None:
        path = self.folder.joinpath(*name.parts)
        if not path.resolve().is_relative_to(self.folder.resolve()):
            raise error(mq.PSRC_FLOW_IMPORT, f"{self.bar}: {name} leads out of the archive")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            for piece in self._content(archive, entry):
                file.write(piece)
        self.files.append(str(name))


def _safe(name: str) -> PurePosixPath | None:
    """Return the path of an entry, or None when it would leave the folder."""
    path = PurePosixPath(name)
    wrong = path.is_absolute() or not path.parts or "\x00" in name or ":" in path.parts[0]
    return None if wrong or ".." in path.parts else path
