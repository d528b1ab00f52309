"""The contents of a backup: every file with its length and checksum, in `backup.json`.

Written last and read first: a folder without it, or with a file too few, too many or changed, is not a whole
backup and is refused (8018) before a restore touches anything. Format: docs/internals/backup-format.md. Used
by `backup`, `restoring` and room `flow`, for queue managers and whole homes alike.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import penstock
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store.files import FILE_MODE, Files

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "backup.json"
PASSING_NAME = "backup.json.new"
FORMAT = 1
QUEUE_MANAGER, HOME = "queue manager", "home"  # the kind of backup
FOLDER_MODE = 0o700
COPY_BYTES = 1 << 20
MANIFEST_BYTES_MAX = 1 << 30

Entry = tuple[int, str]  # length and SHA-256 of a file


@dataclass(frozen=True)
class Manifest:
    """What a backup is of, and its files by their paths."""

    kind: str
    name: str
    made: str
    release: str
    files: dict[str, Entry]
    notes: list[str] = field(default_factory=list)  # omissions that a user may not expect
    objects: list[tuple[str, str, int]] | None = None  # kind, name, id in an image of some; None: of all

    @property
    def bytes(self) -> int:
        """How long all files are together."""
        return sum(size for size, _ in self.files.values())


class Copier:
    """Copies files into a new folder, for its owner alone, and records them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.files: dict[str, Entry] = {}
        self.notes: list[str] = []
        self._folders = {root}
        root.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)

    def folder(self, relative: str) -> None:
        """Make a folder, with those above it."""
        path = self.root / relative
        missing = [
            each for each in (path, *path.parents) if each not in self._folders and self.root in each.parents
        ]
        for each in reversed(missing):
            each.mkdir(mode=FOLDER_MODE, exist_ok=True)
            self._folders.add(each)

    def tree(self, source: Path, relative: str = "", without: frozenset[str] = frozenset()) -> None:
        """Copy a folder except for certain names; links to folders are noted."""
        self.folder(relative)
        for here, folders, files in os.walk(source):
            folders[:] = sorted(set(folders) - without)
            place = Path(here)
            below = Path(relative) / place.relative_to(source)
            for name in folders:
                if (place / name).is_symlink():
                    self.notes.append(
                        f"{place / name} is a link to a folder, whose files are not in the backup"
                    )
                else:
                    self.folder(str(below / name))
            for name in sorted(set(files) - without):
                if (place / name).is_file():
                    self.file(place / name, str(below / name))

    def file(self, source: Path, relative: str, keep: int | None = None, size: int = 0) -> None:
        """Copy a file, or its first `keep` bytes followed by zeros up to `size`; synced."""
        target = self.root / relative
        self.folder(str(Path(relative).parent))
        found = source.stat()
        left = found.st_size if keep is None else keep
        digest, written = hashlib.sha256(), 0
        with source.open("rb") as reader, target.open("xb") as writer:
            os.fchmod(writer.fileno(), FILE_MODE | (found.st_mode & 0o100))
            while left > 0 and (part := reader.read(min(COPY_BYTES, left))):
                writer.write(part)
                digest.update(part)
                left -= len(part)
                written += len(part)
            if size > written:
                writer.truncate(size)
                _update_zeros(digest, size - written)
                written = size
            writer.flush()
            Files().sync(writer.fileno(), target)
        self.files[str(Path(relative))] = (written, digest.hexdigest())

    def written(self, relative: str) -> None:
        """Add a file that was written into the folder and synced."""
        with (self.root / relative).open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            self.files[relative] = (size, hashlib.file_digest(file, "sha256").hexdigest())

    def adopt(self, relative: str) -> None:
        """Add a backup that was written by another process into a subfolder."""
        inner = read_manifest(self.root / relative)
        self.files |= {f"{relative}/{name}": entry for name, entry in inner.files.items()}
        self.written(f"{relative}/{NAME}")
        self.notes += [f"{inner.name}: {note}" for note in inner.notes]

    def sync(self) -> None:
        """Return when the names of all files are on disk."""
        for folder in sorted(self._folders):
            Files().sync_folder(folder)

    def finish(self, kind: str, name: str, objects: list[tuple[str, str, int]] | None = None) -> Manifest:
        """Write the manifest; the backup is whole when this returns."""
        self.sync()
        made = datetime.now(UTC).isoformat(timespec="seconds")
        manifest = Manifest(kind, name, made, penstock.__version__, self.files, self.notes, objects)
        Files().replace(self.root / NAME, self.root / PASSING_NAME, _encoded(manifest))
        return manifest


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a backup; 8018 if it has none."""
    path = folder / NAME
    try:
        with path.open("rb") as file:
            return _decoded(file.read(MANIFEST_BYTES_MAX), path)
    except OSError as failure:
        what = f"{folder} is not a whole backup: {path.name}: {failure.strerror}"
        raise error(mq.PSRC_BACKUP_DAMAGED, what, path=str(path)) from failure


def verify(folder: Path) -> Manifest:
    """Read every file of a backup and return its manifest; 8018 names missing, extra and changed files."""
    manifest = read_manifest(folder)
    there = dict(_files_in(folder))
    missing = sorted(manifest.files.keys() - there.keys())
    more = sorted(there.keys() - manifest.files.keys())
    changed = [
        name
        for name, entry in sorted(manifest.files.items())
        if name in there and not _is(there[name], entry)
    ]
    wrong = [(missing, "missing"), (more, "not of the backup"), (changed, "changed")]
    told = [f"{_named(names)} {'is' if len(names) == 1 else 'are'} {what}" for names, what in wrong if names]
    if told:
        raise error(
            mq.PSRC_BACKUP_DAMAGED, f"{folder} is not a whole backup: {'; '.join(told)}", path=str(folder)
        )
    return manifest


def compare(copied: dict[str, Entry], manifest: Manifest) -> None:
    """Raise 8018 unless a copy of a backup has the files of its manifest."""
    wrong = [name for name, entry in manifest.files.items() if copied.get(name) != entry]
    if wrong:
        raise error(mq.PSRC_BACKUP_DAMAGED, f"{_named(wrong)} changed while the backup was read")


def _named(names: list[str]) -> str:
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more


def _files_in(folder: Path) -> Iterator[tuple[str, Path]]:
    for here, folders, files in os.walk(folder):
        folders.sort()
        for name in files:
            path = Path(here) / name
            if path != folder / NAME:
                yield str(path.relative_to(folder)), path


def _is(path: Path, entry: Entry) -> bool:
    """Return whether a file has the content of the manifest."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size != entry[0]:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == entry[1]


def _update_zeros(digest: hashlib._Hash, count: int) -> None:
    zeros = bytes(COPY_BYTES)
    while count > 0:
        digest.update(zeros[: min(COPY_BYTES, count)])
        count -= COPY_BYTES


def _encoded(manifest: Manifest) -> bytes:
    facts = {"format": FORMAT, **vars(manifest)}
    if manifest.objects is None:
        del facts["objects"]  # earlier releases do not know it
    text = json.dumps(facts, indent=1, sort_keys=True)
    return (
        json.dumps({"sha256": hashlib.sha256(text.encode()).hexdigest()}).encode()
        + b"\n"
        + text.encode()
        + b"\n"
    )


def _decoded(data: bytes, path: Path) -> Manifest:
    first, _, text = data.partition(b"\n")
    try:
        if json.loads(first)["sha256"] != hashlib.sha256(text.removesuffix(b"\n")).hexdigest():
            raise ValueError("its checksum does not match")
        facts = json.loads(text)
        if facts.pop("format") > FORMAT:
            raise error(mq.PSRC_FORMAT_TOO_NEW, f"{path} was written by release {facts.get('release')}")
        facts["files"] = {name: (int(size), str(digest)) for name, (size, digest) in facts["files"].items()}
        if "objects" in facts:
            facts["objects"] = [(str(kind), str(own), int(number)) for kind, own, number in facts["objects"]]
        manifest = Manifest(**facts)
    except MQError:
        raise
    except (ValueError, KeyError, TypeError) as failure:
        what = f"{path.parent} is not a whole backup: {path.name} is damaged: {failure}"
        raise error(mq.PSRC_BACKUP_DAMAGED, what, path=str(path)) from failure
    _check_paths(manifest, path)
    return manifest


def _check_paths(manifest: Manifest, path: Path) -> None:
    """Refuse a manifest that names files outside its folder: it is data, and a restore writes by it."""
    for name in manifest.files:
        if name != os.path.normpath(name) or name.startswith(("/", "..")) or "\0" in name:
            raise error(
                mq.PSRC_BACKUP_DAMAGED, f"{path}: {name!r} is no path within the backup", path=str(path)
            )
