"""Media recovery: rebuilds a damaged queue manager from its image and the log since then (linear logging).

The image (`media_image`) takes the place of checkpoint and message files, and a start replays the log from
its position: every object and persistent message is as it was, whichever file was damaged. Nothing is
exchanged before image and log were read from end to end. An interrupted recovery is begun anew: it changes
neither image nor log. Called by `penstock qmgr recover`.
"""

from __future__ import annotations

import itertools
import shutil
from typing import TYPE_CHECKING, NamedTuple

from penstock.host.backups import manifest
from penstock.host.backups.manifest import Copier
from penstock.host.backups.media_image import Image, image_folders, images
from penstock.host.folders.folder_lock import lock_folder
from penstock.host.starting import start
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.store import checkpoint
from penstock.store.files import Files
from penstock.store.journal_reader import read_journal
from penstock.store.segments import find_identity, segment_name, segment_numbers

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.host.folders.folder import Folder
    from penstock.qmgr.restart.recovery import Report

DAMAGED = "damaged"
NEW = "~recovered"


class Recovered(NamedTuple):
    """The image of a recovery, the findings of the start, and the folder with the previous files."""

    image: Image
    report: Report
    aside: Path


def recover(folder: Folder) -> Recovered:
    """Rebuild a damaged queue manager from its image and the log; return the findings of the start.

    It must not run (8001). 8024 when there is no whole image, or a log file since then is missing; 8002 when
    the log itself is damaged: then nothing has changed. What was in place is kept in `damaged`, or
    `damaged-2` and so on: what an earlier recovery has kept stays.
    """
    with lock_folder(folder.lock):
        image = _whole_image(folder)
        check_log_files(folder, image)
        for _ in read_journal(folder.log, image.position):
            pass  # a damaged log is found before anything changes
        queues, state = (folder.path / (each + NEW) for each in (folder.queues.name, checkpoint.NAME))
        _stage(image, queues, state)
        aside = new_aside(folder)
        for path, new in ((folder.queues, queues), (folder.path / checkpoint.NAME, state)):
            if path.exists():
                path.rename(aside / path.name)
            new.rename(path)
        Files().sync_folder(aside)
        Files().sync_folder(folder.path)
    host = start(folder)
    try:
        host.error_log.write(
            "AMQ7075I",
            f"The queue manager was rebuilt from {image.path.name} and {host.report.replayed} log records.",
            f"What was damaged is in {aside}.",
        )
        return Recovered(image, host.report, aside)
    finally:
        host.close()


def new_aside(folder: Folder) -> Path:
    """Make the folder for the current files; an earlier one may hold the originals and is not changed."""
    for number in itertools.count(1):
        aside = folder.path / (DAMAGED if number == 1 else f"{DAMAGED}-{number}")
        try:
            aside.mkdir(mode=manifest.FOLDER_MODE)
        except FileExistsError:
            continue
        break
    return aside


def _whole_image(folder: Folder) -> Image:
    """Return the newest image of all objects whose files are as they were written."""
    why = "none was recorded: use `penstock qmgr image` while the queue manager is whole"
    if there := image_folders(folder):
        why = f"{there[-1]} is not whole: its manifest or checkpoint is missing or damaged"
    for image in reversed([each for each in images(folder) if each.objects is None]):
        try:
            manifest.verify(image.path)
        except MQError as raised:
            why = raised.detail
        else:
            return image
    raise error(mq.PSRC_NO_IMAGE, f"{folder.name} has no media image to recover from: {why}")


def is_whole(image: Image) -> bool:
    """Return whether the files of an image are as they were written."""
    try:
        manifest.verify(image.path)
    except MQError:
        return False
    return True


def check_log_files(folder: Folder, image: Image) -> None:
    """Raise 8024 when a log file since the image is missing."""
    first = image.position // find_identity(folder.log).segment_bytes
    there = segment_numbers(folder.log)
    missing = [
        segment_name(each) for each in range(first, max(there, default=first) + 1) if each not in there
    ]
    if missing:
        what = f"{', '.join(missing[:5])} of {folder.log} are missing: copy them back from your archive"
        raise error(mq.PSRC_NO_IMAGE, what, missing=missing)


def _stage(image: Image, queues: Path, state: Path) -> None:
    """Copy an image beside what it will replace; an interrupted recovery may have left some."""
    shutil.rmtree(queues, ignore_errors=True)
    state.unlink(missing_ok=True)
    found = manifest.read_manifest(image.path)
    copier = Copier(queues)
    copier.tree(image.path / queues.name.removesuffix(NEW))
    beside = Copier(state.parent)
    beside.file(image.path / checkpoint.NAME, state.name)
    copier.sync()
    copied = {f"{queues.name.removesuffix(NEW)}/{name}": entry for name, entry in copier.files.items()}
    manifest.compare(copied | {checkpoint.NAME: beside.files[state.name]}, found)
