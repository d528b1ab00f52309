"""Restores backups: checked first, copied under another name, then exchanged for the existing files.

Nothing in the home changes before every file of the backup was read and compared with its manifest and
copied; then folders and files change their names, which takes no time. What was replaced is removed last. An
exchange that was interrupted between two names is undone by the next restore. What is restored never has the
incarnation of the original. `flow.broker.home_backup` restores whole homes with the same parts.
"""

from __future__ import annotations

import shutil
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

from penstock.host.backups import manifest
from penstock.host.backups.manifest import QUEUE_MANAGER, Copier, Manifest
from penstock.host.folders.folder import Folder, folder_of
from penstock.host.folders.folder_lock import FolderLock, holder_of, lock_folder
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store.files import Files
from penstock.store.home import FOLDER_MODE, penstock_home

if TYPE_CHECKING:
    import os
    from pathlib import Path
    from typing import Self

# No queue manager, broker or file of a home has a tilde in its name, so these cannot be mistaken for one.
NEW, OLD = "~restored", "~replaced"


def restore_queue_manager(
    source: Path, home: str | os.PathLike[str] | None = None, replace: bool = False
) -> tuple[Folder, Manifest]:
    """Restore a queue manager from its backup, under its own name; return its folder and what was restored.

    8018 when the backup is not whole, 8019 when the queue manager exists and is not to be replaced, 8001 when
    it runs.
    """
    found = manifest.verify(source)
    if found.kind != QUEUE_MANAGER:
        what = f"{source} is the backup of a {found.kind}: use `penstock home restore`"
        raise error(mq.PSRC_BACKUP_DAMAGED, what, path=str(source))
    folder = folder_of(found.name, home)
    with Restore(penstock_home(home)) as restore:
        restore.take(folder.path)
        restore.check(replace)
        copier = Copier(restore.new(folder.path))
        copier.tree(source, without=frozenset((manifest.NAME,)))
        manifest.compare(copier.files, found)
        copier.sync()
        restore.exchange()
    return folder, found


class Restore:
    """One restore: its targets, with the locks of queue managers that must not run meanwhile."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.places: list[Path] = []
        self._closing = ExitStack()

    def __enter__(self) -> Self:
        self.home.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        _undo_interrupted(self.home)
        return self

    def __exit__(self, *failure: object) -> None:
        self._closing.close()
        for place in self.places:
            _remove(self.new(place))

    def take(self, place: Path) -> None:
        """Add a folder or file to the restore; remains of an earlier restore are removed."""
        _undo_interrupted(place.parent)
        self.places.append(place)
        place.parent.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        _remove(self.new(place))

    def new(self, place: Path) -> Path:
        """Return where the new content of a place is copied to."""
        return place.with_name(place.name + NEW)

    def check(self, replace: bool) -> None:
        """Refuse to overwrite without `replace`, or if it runs; it cannot be started until the end."""
        there = [place for place in self.places if place.exists()]
        if there and not replace:
            names = ", ".join(place.name for place in there)
            raise error(mq.PSRC_RESTORE_EXISTS, f"{self.home} has {names} already", path=str(self.home))
        for place in there:
            if place.is_dir():
                self._closing.enter_context(_lock(place))

    def exchange(self) -> None:
        """Give the copies their final names, and remove the previous files."""
        for place in self.places:
            if place.exists():
                place.rename(place.with_name(place.name + OLD))
            self.new(place).rename(place)
        for folder in {place.parent for place in self.places}:
            Files().sync_folder(folder)
        for place in self.places:
            _remove(place.with_name(place.name + OLD))


def _lock(place: Path) -> FolderLock:
    holder = holder_of(place / "lock")
    if holder is not None:
        raise error(mq.PSRC_FOLDER_LOCKED, f"{place} is in use by {holder}", **asdict(holder))
    return lock_folder(place / "lock")


def _undo_interrupted(folder: Path) -> None:
    """Undo the renames of an interrupted exchange."""
    for old in folder.glob(f"*{OLD}") if folder.is_dir() else ():
        place = old.with_name(old.name.removesuffix(OLD))
        if place.exists():
            _remove(old)
        else:
            old.rename(place)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
