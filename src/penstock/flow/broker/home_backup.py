"""Backup of a whole home: its queue managers, users, data sources, brokers and their deployments.

The backup has the layout of a home, with a manifest of all files. Each queue manager in it is a backup of its
own, which `penstock qmgr restore` accepts too. Running queue managers copy themselves, stopped ones are
copied without being started, brokers are copied between two deployments. The backup holds secrets (hashed
passwords, data source URLs with passwords, private keys), so only its owner can read it. Left out is what can
be recreated: caches, logs, warm Spark sessions and Spark's checkpoints (flows continue after the last batch
that their queue manager has recorded).
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from penstock.client.connect import connect
from penstock.esql.database.data_sources import DataSources
from penstock.flow.broker.home import BROKERS, BrokerHome, all_brokers
from penstock.host.backups import manifest
from penstock.host.backups.backup import backup_stopped, check_target, new_backup
from penstock.host.backups.manifest import HOME, Copier, Manifest
from penstock.host.backups.restoring import Restore
from penstock.host.folders.folder import PLAIN, file_name, list_folders
from penstock.host.folders.folder_lock import holder_of, lock_folder
from penstock.host.users.users_file import NAME as USERS_NAME
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store.home import penstock_home

if TYPE_CHECKING:
    from penstock.host.folders.folder import Folder

WITHOUT = frozenset(("lock", "change", "status.json", "logs"))  # of a broker


class Parts(NamedTuple):
    """What a backup of a home holds, by name."""

    queue_managers: list[str]
    brokers: list[str]
    files: list[str]


def backup_home(target: Path) -> Manifest:
    """Copy the home to a new folder; 8014 if anything in it cannot be copied: an incomplete backup is
    useless.
    """
    check_target(target)
    home = penstock_home()
    if target.absolute().is_relative_to(home):
        raise error(
            mq.PSRC_BACKUP_ERROR, f"{target} is inside {home}: put the backup elsewhere", path=str(target)
        )
    _check_access(home)
    with new_backup(target) as copier:
        for folder in list_folders():
            _copy_queue_manager(folder, copier)
        for broker in all_brokers():
            _copy_broker(broker, copier)
        for path in (home / USERS_NAME, DataSources(home).path):
            if path.is_file():
                copier.file(path, path.name)
        return copier.finish(HOME, str(home))


def restore_home(source: Path, replace: bool = False) -> tuple[Path, Parts]:
    """Restore a home, or its missing parts. Return its folder and what was restored.

    Parts that exist are refused (8019) unless they are to be replaced; parts that the backup does not have
    stay unchanged.
    """
    found = manifest.verify(source)
    if found.kind != HOME:
        what = f"{source} is the backup of a {found.kind}: use `penstock qmgr restore`"
        raise error(mq.PSRC_BACKUP_DAMAGED, what, path=str(source))
    home = penstock_home()
    parts = parts_of(found)
    copied: dict[str, manifest.Entry] = {}
    with Restore(home) as restore:
        names = [file_name(name) for name in parts.queue_managers]
        names += [*(f"{BROKERS}/{name}" for name in parts.brokers), *parts.files]
        for name in names:
            restore.take(home / name)
        restore.check(replace)
        for name in names:
            copied |= _copied(source / name, restore.new(home / name), name)
        manifest.compare(copied, found)
        restore.exchange()
    return home, parts


def parts_of(found: Manifest) -> Parts:
    """Return which parts of a home the files of a backup belong to."""
    paths = [Path(name) for name in found.files]
    brokers = {path.parts[1] for path in paths if path.parts[0] == BROKERS and len(path.parts) > 2}
    folders = {path.parts[0] for path in paths if len(path.parts) > 1} - {BROKERS}
    return Parts(
        sorted(folder.translate(PLAIN) for folder in folders),
        sorted(brokers),
        sorted(str(path) for path in paths if len(path.parts) == 1),
    )


def _check_access(home: Path) -> None:
    """Refuse to skip files that cannot be read."""
    for path in sorted(home.iterdir()) if home.is_dir() else ():
        if path.is_dir() and not os.access(path, os.R_OK | os.X_OK):
            raise error(mq.PSRC_BACKUP_ERROR, f"{path} cannot be read by this user", path=str(path))


def _copy_queue_manager(folder: Folder, copier: Copier) -> None:
    """Ask a running queue manager to copy itself; its manifest lists what the copy holds."""
    target = copier.root / folder.path.name
    try:
        if holder_of(folder.lock) is None:
            backup_stopped(folder, target)
        else:
            with connect(folder.name, home=folder.path.parent, commands_only=True) as qm:
                qm.backup(target)
    except MQError as failure:
        if failure.reason != mq.MQRC_Q_MGR_NOT_AVAILABLE:
            raise
        what = f"queue manager {folder.name} cannot be copied: {failure.detail}"
        raise error(mq.PSRC_BACKUP_ERROR, what, path=str(target)) from failure
    copier.adopt(folder.path.name)


def _copy_broker(broker: BrokerHome, copier: Copier) -> None:
    """Copy a broker's deployments and their projects; new deployments wait meanwhile."""
    with lock_folder(broker.path / "change"):
        copier.tree(broker.path, f"{BROKERS}/{broker.name}", without=WITHOUT)


def _copied(source: Path, target: Path, name: str) -> dict[str, manifest.Entry]:
    """Copy a part of a backup to its destination; return its files by their names in the backup."""
    if source.is_dir():
        copier = Copier(target)
        copier.tree(source, without=frozenset())
        copier.sync()
        return {f"{name}/{path}": entry for path, entry in copier.files.items()}
    copier = Copier(target.parent)
    copier.file(source, target.name)
    copier.sync()
    return {name: copier.files[target.name]}
