"""A copy of a queue manager that can be restored, or started where it is.

Taken while it runs: after a checkpoint, files are copied with checkpoints held off, so that nothing
the checkpoint speaks of goes away; the journal last, and only as far as it was on disk when its
copying began. The copy then is what a crash at that moment would have left, and starts like that. One that
does not run is copied with its lock held. The copy grows beside its place, under another name, and gets its
own when it is whole and has its `manifest`. It holds messages, objects, settings, models and TLS keys; users
and data sources belong to the home. Restoring is `restoring`.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.host import checkpointing
from penstock.host.backups import manifest
from penstock.host.backups.manifest import QUEUE_MANAGER, Copier
from penstock.host.folders import incarnation
from penstock.host.folders.folder_lock import lock_folder
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store.files import Files
from penstock.store.segments import segment_name

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.host.folders.folder import Folder
    from penstock.host.host import Host

PASSING = (".NEW", ".tmp", ".new")
PARTIAL = ".partial"
LOCK = "lock"
OWN = frozenset((LOCK, manifest.NAME, incarnation.NAME, incarnation.MARK_NAME))  # that no copy may have
INNER = ("queues", "models", "ssl")  # folders that a copy has, besides the log


def backup(host: Host, target: Path) -> Path:
    """Copy everything that a start needs to `target`, which must not exist; return it.

    Other work continues; everything confirmed before the call is in the copy.
    """
    check_target(target)
    checkpointing.checkpoint(host)
    with new_backup(target) as copier:
        with host.checkpoint_lock:
            _copy_folders(host.folder, copier)
            _copy_journal(host, copier)
            _copy_files(host.folder, copier)
        _note_keys(str(host.engine.definition.attributes.get("SSLKEYR", "")), copier)
        copier.finish(QUEUE_MANAGER, host.folder.name)
    return target


def backup_stopped(folder: Folder, target: Path) -> Path:
    """Copy a stopped queue manager without starting it; 8001 if it runs."""
    check_target(target)
    with lock_folder(folder.lock), new_backup(target) as copier:
        _copy_folders(folder, copier)
        copier.tree(folder.log, folder.log.name)
        _copy_files(folder, copier)
        copier.finish(QUEUE_MANAGER, folder.name)
    return target


def check_target(target: Path) -> None:
    """Raise 8014 when there is something where a backup is to be."""
    if target.exists() or target.is_symlink():
        raise error(mq.PSRC_BACKUP_ERROR, f"{target} exists already", path=str(target))


@contextmanager
def new_backup(target: Path) -> Iterator[Copier]:
    """Give a copier for a backup, which has its name only if the block ends well; else nothing is left."""
    check_target(target)
    partial = target.with_name(target.name + PARTIAL)
    try:
        partial.mkdir(mode=manifest.FOLDER_MODE, parents=True, exist_ok=True)
        with lock_folder(partial / LOCK):
            try:
                _empty(partial)
                yield Copier(partial)
                (partial / LOCK).unlink()
                partial.rename(target)
                Files().sync_folder(target.parent)
            except BaseException:
                shutil.rmtree(partial, ignore_errors=True)
                raise
    except OSError as failure:
        raise error(
            mq.PSRC_BACKUP_ERROR, f"the backup to {target} failed: {failure}", path=str(target)
        ) from failure
    except MQError as failure:
        if failure.reason != mq.PSRC_FOLDER_LOCKED:
            raise
        what = f"another backup to {target} is under way: {failure.detail}"
        raise error(mq.PSRC_BACKUP_ERROR, what, path=str(target)) from failure


def _empty(partial: Path) -> None:
    """Remove the remains of an interrupted backup."""
    for path in partial.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path.name != LOCK:
            path.unlink()


def _copy_folders(folder: Folder, copier: Copier) -> None:
    copier.folder(folder.errors.name)
    copier.folder(folder.log.name)
    for name in INNER:
        source = folder.path / name
        if source.is_dir():
            copier.tree(source, name)


def _copy_files(folder: Folder, copier: Copier) -> None:
    """Copy settings and checkpoints; the settings last, because they make a folder a queue manager."""
    paths = sorted(folder.path.iterdir(), key=lambda path: (path == folder.ini, path.name))
    for path in paths:
        if path.is_file() and path.name not in OWN and not path.name.endswith(PASSING):
            copier.file(path, path.name)


def _copy_journal(host: Host, copier: Copier) -> None:
    """Copy the journal from its tail up to the durable position of now."""
    journal = host.journal
    journal.wait(journal.end)
    end = journal.durable
    first, last = journal.tail // journal.segment_bytes, end // journal.segment_bytes
    for number in range(first, last + 1):
        path = journal.folder / segment_name(number)
        if number < last or path.exists():
            keep = end - number * journal.segment_bytes if number == last else journal.segment_bytes
            copier.file(path, f"{host.folder.log.name}/{path.name}", keep, journal.segment_bytes)


def _note_keys(repository: str, copier: Copier) -> None:
    if repository:
        copier.notes.append(
            f"SSLKEYR names {os.fspath(repository)}: keys in that folder are not in the backup"
        )
