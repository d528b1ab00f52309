"""A copy of a queue manager that can be started elsewhere.

Taken while it runs: after a checkpoint, files are copied with checkpoints held off, so that nothing
the checkpoint speaks of goes away; the journal last, and only as far as it was on disk when its
copying began. The copy then is what a crash at that moment would have left, and starts like that.
"""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from penstock.host import checkpointing
from penstock.host.folder import FOLDER_MODE, Folder
from penstock.model.errors import MQError, error
from penstock.store.files import FILE_MODE, Files
from penstock.store.segments import segment_name

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.host.host import Host

BACKUP_FAILED = 8014
COPY_BYTES = 1 << 20
PASSING = (".NEW", ".tmp", ".new")


def backup(host: Host, target: Path) -> Path:
    """Copy everything that a start needs to `target`, which must not exist; return it.

    Work goes on meanwhile; what is confirmed before the call is in the copy.
    """
    if target.exists():
        raise error(BACKUP_FAILED, f"{target} exists already", path=str(target))
    checkpointing.checkpoint(host)
    partial = target.with_name(target.name + ".partial")
    try:
        shutil.rmtree(partial, ignore_errors=True)
        with host.checkpoint_lock:
            _copy(host, Folder(host.folder.name, partial))
        partial.rename(target)
        Files().sync_folder(target.parent)
    except MQError:
        shutil.rmtree(partial, ignore_errors=True)
        raise
    except OSError as failure:
        shutil.rmtree(partial, ignore_errors=True)
        raise _failed(target, failure) from failure
    return target


def _failed(target: Path, failure: OSError) -> MQError:
    return error(BACKUP_FAILED, f"the backup to {target} failed: {failure}", path=str(target))


def _copy(host: Host, copy: Folder) -> None:
    copy.path.mkdir(mode=FOLDER_MODE, parents=True)
    for folder in (copy.log, copy.queues, copy.errors):
        folder.mkdir(mode=FOLDER_MODE)
    for path in sorted(host.folder.queues.iterdir()):
        _copy_file(path, copy.queues / path.name)
    _copy_journal(host, copy.log)
    if host.folder.models.is_dir():
        shutil.copytree(host.folder.models, copy.models)
    for path in sorted(host.folder.path.iterdir()):
        if path.is_file() and path != host.folder.lock and not path.name.endswith(PASSING):
            _copy_file(path, copy.path / path.name)
    for folder in (copy.log, copy.queues, copy.path):
        Files().sync_folder(folder)


def _copy_journal(host: Host, target: Path) -> None:
    """Copy the journal from its tail up to what is durable now; nothing that is written later."""
    journal = host.journal
    journal.wait(journal.end)
    end = journal.durable
    first, last = journal.tail // journal.segment_bytes, end // journal.segment_bytes
    for number in range(first, last + 1):
        path = journal.folder / segment_name(number)
        if number < last or path.exists():
            keep = end - number * journal.segment_bytes if number == last else journal.segment_bytes
            _copy_file(path, target / path.name, keep, journal.segment_bytes)


def _copy_file(source: Path, target: Path, keep: int | None = None, size: int = 0) -> None:
    """Copy a file, or its first `keep` bytes followed by zeros up to `size`; synced."""
    left = source.stat().st_size if keep is None else keep
    with source.open("rb") as reader, target.open("xb") as writer:
        while left > 0 and (part := reader.read(min(COPY_BYTES, left))):
            writer.write(part)
            left -= len(part)
        if size:
            writer.truncate(size)
        writer.flush()
        Files().sync(writer.fileno(), target)
    target.chmod(FILE_MODE)
