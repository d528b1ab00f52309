"""Files that a flow reads: claimed by one instance at a time, resumed after a crash, then disposed of.

A claimed file is moved into `mqsitransitin` beside it (one rename, so it is in one folder only) and locked.
Its position is written as 0 before the move, so that the position of an earlier file of that name does not
count. After each record the position is written beside the file and synced, after the record's unit of work
was committed. When a process dies, the next instance gets its lock and continues from the position. So no
record is lost; a record whose unit was committed before its position was written may be processed twice.
Names are added to transit, and positions removed, under the lock of the folder, so that instances do not
interfere.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from typing import IO, TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.durable_files import sync_file, sync_folder

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TRANSIT, ARCHIVE, BACKOUT = "mqsitransitin", "mqsiarchive", "mqsibackout"
POSITION = ".position"
DELETE, MOVE, STAMP = "delete", "archive", "timestampAndArchive"
ACTIONS = (DELETE, MOVE, STAMP)
COPIES_MAX = 10_000


class Claim:
    """A file that is ours until it is disposed of or released."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.file = file
        self.name = path.name
        self.position, self.number = _read_position(path)
        found = os.fstat(file.fileno())
        self.size, self.changed = found.st_size, found.st_mtime

    def note(self, position: int, number: int) -> None:
        """Record durably that everything before a position is done."""
        self.position, self.number = position, number
        _write_position(self.path, position, number)

    def put_away(self, action: str, now: float) -> None:
        """Dispose of a file that was read, as the node specifies; its position is removed last."""
        home = self.path.parent.parent
        if action == DELETE:
            self.path.unlink()
        else:
            stamp = f"{datetime.fromtimestamp(now, UTC):%Y%m%d_%H%M%S_%f}_" if action == STAMP else ""
            move_to(self.path, home / ARCHIVE, f"{stamp}{self.name}")
        self._end()

    def back_out(self) -> None:
        """Move a file that cannot be read away, for someone to examine."""
        move_to(self.path, self.path.parent.parent / BACKOUT, self.name)
        self._end()

    def let_go(self) -> None:
        """Release the file; it stays in transit for the next instance."""
        self.file.close()

    def _end(self) -> None:
        with _locked(self.path.parent):
            if not self.path.exists():  # otherwise the next file of that name has been claimed meanwhile
                _position_path(self.path).unlink(missing_ok=True)
        self.file.close()


def claim_next(folder: Path, pattern: str, least_age: float, now: float) -> Claim | None:
    """Claim the next file: first what a dead instance left in transit, then the oldest; None if there is
    none.
    """
    transit = folder / TRANSIT
    for path in _files(transit, pattern):
        claimed = _lock(path)
        if claimed is not None:
            return claimed
    for path in _files(folder, pattern, now - least_age):
        transit.mkdir(exist_ok=True)
        claimed = _lock(transit / path.name) if _moved(path, transit) else None
        if claimed is not None:
            return claimed
    return None


def _moved(path: Path, transit: Path) -> bool:
    """Move a file into transit; False if one of that name is in progress, or another instance was quicker."""
    target = transit / path.name
    with _locked(transit):
        if target.exists() or not path.exists():
            return False
        _write_position(target, 0, 0)
        try:
            path.rename(target)
        except FileNotFoundError:  # its writer has removed it
            _position_path(target).unlink()
            return False
    sync_folder(path.parent)
    sync_folder(transit)
    return True


def move_to(path: Path, folder: Path, name: str) -> Path:
    """Move a file into a folder, under a new name if the name is taken: nothing is overwritten."""
    folder.mkdir(exist_ok=True)
    for copy in range(COPIES_MAX):
        target = folder / (f"{name}.{copy}" if copy else name)
        try:
            os.link(path, target)  # fails if the target exists, unlike a rename
        except FileExistsError:
            continue
        sync_folder(folder)
        path.unlink()
        sync_folder(path.parent)
        return target
    raise error(mq.PSRC_FLOW_FILE, f"{folder} holds {COPIES_MAX} files called {name}")


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, briefly."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _files(folder: Path, pattern: str, newest: float = math.inf) -> Iterator[Path]:
    """Yield the files of a folder that match a pattern, oldest first; no links, no hidden files."""
    if not folder.is_dir():
        return
    found = []
    for entry in os.scandir(folder):
        if entry.is_file(follow_symlinks=False) and not entry.name.startswith("."):
            if fnmatchcase(entry.name, pattern):
                with suppress(FileNotFoundError):  # another has claimed it
                    found.append((entry.stat().st_mtime, entry.name))
    for changed, name in sorted(found):
        if changed <= newest:
            yield folder / name


def _lock(path: Path) -> Claim | None:
    """Lock a file in transit; None if another instance has it or has just disposed of it."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if path.exists() and path.stat().st_ino == os.fstat(file.fileno()).st_ino:
            return Claim(path, file)
    except OSError:
        pass
    file.close()
    return None


def _position_path(path: Path) -> Path:
    """Return the path of a file's position; it is a hash, since a file's own name may have the maximum
    length.
    """
    return path.with_name(f".{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:32]}{POSITION}")


def _write_position(path: Path, position: int, number: int) -> None:
    target = _position_path(path)
    draft = target.with_suffix(".new")
    with draft.open("w") as out:
        json.dump({"file": path.name, "position": position, "record": number}, out)
        sync_file(out)
    draft.replace(target)
    sync_folder(path.parent)


def _read_position(path: Path) -> tuple[int, int]:
    try:
        said = json.loads(_position_path(path).read_text())
        return int(said["position"]), int(said["record"])
    except FileNotFoundError:
        return 0, 0
    except (ValueError, KeyError, TypeError) as raised:
        what = f"{_position_path(path)} does not say how far {path.name} was read; delete it to begin anew"
        raise error(mq.PSRC_FLOW_FILE, what) from raised
