"""Files that a flow reads: claimed by one instance at a time, gone on with after a crash, then put away.

A claimed file is moved into `mqsitransitin` beside it (one rename, so it is in one place only) and locked.
Its position is written, as 0, before it is moved: what an earlier file of that name left does not count.
Behind every record the position is written beside the file and synced, after the record's unit of work was
committed. A process that dies leaves its lock: the next instance goes on from the position. So no record is
lost, and one record, whose unit was committed while its position was not yet written, may come once more.
Names come into transit, and positions go, under the lock of the folder: instances do not meet.
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

from penstock.model.constants_reasons import PSRC_FLOW_FILE
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

TRANSIT, ARCHIVE, BACKOUT = "mqsitransitin", "mqsiarchive", "mqsibackout"
POSITION = ".position"
DELETE, MOVE, STAMP = "delete", "archive", "timestampAndArchive"
ACTIONS = (DELETE, MOVE, STAMP)
COPIES_MAX = 10_000


class Claim:
    """A file that is ours until it is put away or let go."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path = path
        self.file = file
        self.name = path.name
        self.position, self.number = _read_position(path)
        found = os.fstat(file.fileno())
        self.size, self.changed = found.st_size, found.st_mtime

    def note(self, position: int, number: int) -> None:
        """Write down, durably, that everything before a position was done."""
        self.position, self.number = position, number
        _write_position(self.path, position, number)

    def put_away(self, action: str, now: float) -> None:
        """Do with a file that was read what the node says; its position is forgotten last."""
        home = self.path.parent.parent
        if action == DELETE:
            self.path.unlink()
        else:
            stamp = f"{datetime.fromtimestamp(now, UTC):%Y%m%d_%H%M%S_%f}_" if action == STAMP else ""
            move_to(self.path, home / ARCHIVE, f"{stamp}{self.name}")
        self._end()

    def back_out(self) -> None:
        """Lead a file that cannot be read away, to where someone looks at it."""
        move_to(self.path, self.path.parent.parent / BACKOUT, self.name)
        self._end()

    def let_go(self) -> None:
        """Leave the file in transit for whoever comes next."""
        self.file.close()

    def _end(self) -> None:
        with _locked(self.path.parent):
            if not self.path.exists():  # else the next file of that name was claimed meanwhile
                _position_path(self.path).unlink(missing_ok=True)
        self.file.close()


def claim_next(folder: Path, pattern: str, least_age: float, now: float) -> Claim | None:
    """Claim the next file: first what a dead instance left in transit, then the oldest; None for none."""
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
    """Move a file into transit; False when one of that name is at work, or another was quicker."""
    target = transit / path.name
    with _locked(transit):
        if target.exists() or not path.exists():
            return False
        _write_position(target, 0, 0)
        try:
            path.rename(target)
        except FileNotFoundError:  # whoever wrote it has taken it back
            _position_path(target).unlink()
            return False
    sync_folder(path.parent)
    sync_folder(transit)
    return True


def move_to(path: Path, folder: Path, name: str) -> Path:
    """Move a file into a folder, under a new name if there is one of that name: nothing is overwritten."""
    folder.mkdir(exist_ok=True)
    for copy in range(COPIES_MAX):
        target = folder / (f"{name}.{copy}" if copy else name)
        try:
            os.link(path, target)  # fails if it is there, unlike a rename
        except FileExistsError:
            continue
        sync_folder(folder)
        path.unlink()
        sync_folder(path.parent)
        return target
    raise error(PSRC_FLOW_FILE, f"{folder} holds {COPIES_MAX} files called {name}")


def sync_folder(folder: Path) -> None:
    """Make what was renamed in a folder last."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder; it is held for moments only."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _files(folder: Path, pattern: str, newest: float = math.inf) -> Iterator[Path]:
    """Give the files of a folder that a pattern means, oldest first; not links, not hidden files."""
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
    """Lock a file in transit; None when another has it, or has just put it away."""
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
    """Return where a file's position is; named by a hash, since a file's name may be as long as names get."""
    return path.with_name(f".{hashlib.sha256(os.fsencode(path.name)).hexdigest()[:32]}{POSITION}")


def _write_position(path: Path, position: int, number: int) -> None:
    target = _position_path(path)
    draft = target.with_suffix(".new")
    with draft.open("w") as out:
        json.dump({"file": path.name, "position": position, "record": number}, out)
        out.flush()
        os.fsync(out.fileno())
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
        raise error(PSRC_FLOW_FILE, what) from raised
