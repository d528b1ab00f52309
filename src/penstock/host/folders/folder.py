"""The folder of a queue manager: its name, its path and its contents.

Not the content: journal, queue files and checkpoints belong to `store`. Called by
`host.queue_manager`, `host.backup` and the `qmgr` commands. Invariant: a folder is a queue manager
when it holds a `qm.ini`, which is written last when one is created and removed first when one is
deleted; a folder without it is an unfinished creation or deletion and may be removed at any time.
"""

from __future__ import annotations

import errno
import shutil
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from penstock.host.folders.folder_lock import holder_of
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.names import check_qmgr_name, is_object_name
from penstock.store.failures import DESCRIPTORS_USED_UP, file_failure
from penstock.store.home import FOLDER_MODE, make_private, penstock_home

if TYPE_CHECKING:
    import os
    from pathlib import Path

# As MQ does on UNIX: object names contain neither character, so the reverse mapping is unique,
# and no name can become `.`, `..` or a path.
SAFE = str.maketrans({"/": "&", ".": "!"})
PLAIN = str.maketrans({"&": "/", "!": "."})


@dataclass(frozen=True)
class Folder:
    """The paths of one queue manager, whether or not the files exist."""

    name: str
    path: Path

    @property
    def ini(self) -> Path:
        """The settings, in stanzas."""
        return self.path / "qm.ini"

    @property
    def lock(self) -> Path:
        """The file whose lock shows which process runs this queue manager."""
        return self.path / "lock"

    @property
    def log(self) -> Path:
        """The journal's segments."""
        return self.path / "log"

    @property
    def models(self) -> Path:
        """Message models for filters on bodies; optional."""
        return self.path / "models"

    @property
    def queues(self) -> Path:
        """Messages that have left memory, and checkpoints."""
        return self.path / "queues"

    @property
    def errors(self) -> Path:
        """The error logs."""
        return self.path / "errors"

    @property
    def error_log(self) -> Path:
        """The error log that is being written."""
        return self.errors / "AMQERR01.LOG"

    def exists(self) -> bool:
        """Return whether a queue manager was created here, completely; 8006 when we may not look."""
        try:
            return self.ini.is_file()
        except PermissionError as failure:
            raise not_writable(self.path, failure) from failure


def folder_of(name: str, home: str | os.PathLike[str] | None = None) -> Folder:
    """Return the place of a queue manager, created or not; 2058 when the name breaks MQ's rules."""
    return Folder(name, penstock_home(home) / file_name(name))


def existing_folder(name: str, home: str | os.PathLike[str] | None = None) -> Folder:
    """Return the folder of a queue manager that exists; 2058 when it does not."""
    folder = folder_of(name, home)
    if folder.exists():
        return folder
    known = ", ".join(each.name for each in list_folders(home)) or "none"
    raise error(
        mq.MQRC_Q_MGR_NAME_ERROR,
        f"queue manager {name} does not exist in {folder.path.parent} (there: {known})",
    )


def list_folders(home: str | os.PathLike[str] | None = None) -> list[Folder]:
    """Return all queue managers, by name; without folders that we may not read."""
    place = penstock_home(home)
    try:
        entries = list(place.iterdir()) if place.is_dir() else []
    except PermissionError as failure:
        raise not_writable(place, failure) from failure
    found = (Folder(entry.name.translate(PLAIN), entry) for entry in entries)
    return sorted((each for each in found if _is_ours(each)), key=lambda each: each.name)


def _is_ours(folder: Folder) -> bool:
    try:
        return is_object_name(folder.name) and folder.exists()
    except MQError:
        return False


def create_folder(name: str, home: str | os.PathLike[str] | None = None) -> Folder:
    """Make the empty folders of a new queue manager, for its owner alone; 8008 when it exists.

    The caller fills them and writes `qm.ini` last.
    """
    folder = folder_of(name, home)
    if folder.exists():
        raise error(mq.PSRC_QMGR_EXISTS, f"queue manager {name} already exists in {folder.path.parent}")
    try:
        make_private(folder.path.parent)
        if folder.path.exists():
            _remove_unfinished(folder)
        for path in (folder.path, folder.log, folder.queues, folder.errors):
            path.mkdir(mode=FOLDER_MODE)
    except OSError as failure:
        raise not_writable(folder.path, failure) from failure
    return folder


def _remove_unfinished(folder: Folder) -> None:
    holder = holder_of(folder.lock)
    if holder is not None:
        raise error(mq.PSRC_FOLDER_LOCKED, f"{folder.path} is being created by {holder}", **asdict(holder))
    shutil.rmtree(folder.path)


def delete_folder(folder: Folder) -> None:
    """Remove a queue manager with everything in it. The caller holds its lock, and asked the user."""
    try:
        folder.ini.unlink(missing_ok=True)
        shutil.rmtree(folder.path)
    except OSError as failure:
        raise not_writable(folder.path, failure) from failure


def file_name(name: str) -> str:
    """Return the folder name for a queue manager's name.

    >>> file_name("QM.EU/1%")
    'QM!EU&1%'
    """
    return check_qmgr_name(name).translate(SAFE)


def not_writable(path: Path, failure: OSError) -> MQError:
    """Return 8006 for a folder that cannot be written, with the system's own word for why.

    2102 when that is for want of a file descriptor.
    """
    if failure.errno in DESCRIPTORS_USED_UP:
        return file_failure(failure, "opening", path)
    if failure.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return error(mq.PSRC_FOLDER_READ_ONLY, f"{path}: {failure.strerror}")
    return error(mq.PSRC_FOLDER_READ_ONLY, f"{path}: {failure}")
