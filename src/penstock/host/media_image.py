"""Media images, from which a damaged queue manager is rebuilt with the log since then (linear logging).

An image is a copy of the checkpoint and of the message files that it names, in `images/I0000001` of the
queue manager's folder; it is taken while work goes on, and replaces the one before. The log from the image's
position on holds everything that happened since: `media_recovery` rebuilds from both. Messages of all queues
share message files, so an image is of all objects. Circular logging reuses log files: it has no images.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.host import checkpointing, manifest
from penstock.host.backup import PARTIAL, new_backup
from penstock.host.manifest import Copier
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.store import checkpoint
from penstock.store.file_header import HEADER_BYTES, decode_header
from penstock.store.files import Files
from penstock.store.home import make_private
from penstock.store.segments import LogType, segment_name, segment_numbers

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.host.folder import Folder
    from penstock.host.host import Host

IMAGES = "images"
MEDIA_IMAGE = "media image"  # its kind in the manifest
_POSITION = struct.Struct("<q")


class Image(NamedTuple):
    """One image: its folder, and the journal position from which the log is needed with it."""

    path: Path
    position: int


def record(host: Host) -> dict[str, Any]:
    """Record an image of all objects and return the log files that are needed and those that are not.

    Other work continues. Once it is durable the image before it is removed. 8024 with circular logging.
    """
    if host.settings.log.log_type is not LogType.LINEAR:
        what = f"{host.folder.name} has circular logging, which keeps no log files to recover from"
        raise error(mq.PSRC_NO_IMAGE, what)
    make_private(host.folder.path / IMAGES)
    checkpointing.checkpoint(host)
    with host.checkpoint_lock:
        before = image_folders(host.folder)
        number = int(before[-1].name[1:]) + 1 if before else 1
        target = host.folder.path / IMAGES / f"I{number:07d}"
        with new_backup(target) as copier:
            copier.tree(host.folder.queues, host.folder.queues.name)
            copier.file(host.folder.path / checkpoint.NAME, checkpoint.NAME)
            copier.finish(MEDIA_IMAGE, host.folder.name)
        for path in before:
            _remove(path)
    return log_facts(host) | {"image": str(target)}


def _remove(image: Path) -> None:
    """Remove an image, or the rest of one after a crash; without its manifest it is not an image any more."""
    Files().unlink(image / manifest.NAME)
    Files().sync_folder(image)
    shutil.rmtree(image, ignore_errors=True)


def images(folder: Folder) -> list[Image]:
    """Return the images of a queue manager, oldest first; not those whose position cannot be read."""
    whole = [path for path in image_folders(folder) if (path / manifest.NAME).is_file()]
    found = [(path, _position(path)) for path in whole]
    return [Image(path, position) for path, position in found if position is not None]


def image_folders(folder: Folder) -> list[Path]:
    """Return the folders of images, oldest first, with those that are damaged or half removed."""
    place = folder.path / IMAGES
    return sorted(place.glob("I" + "[0-9]" * 7)) if place.is_dir() else []


def _position(image: Path) -> int | None:
    """Return the journal position of an image; None if its checkpoint is missing, short or damaged."""
    path = image / checkpoint.NAME
    try:
        with path.open("rb") as file:
            data = file.read(HEADER_BYTES + _POSITION.size)
    except OSError:
        return None
    if len(data) < HEADER_BYTES + _POSITION.size or decode_header(data, checkpoint.MAGIC, path) is None:
        return None
    position = int(_POSITION.unpack_from(data, HEADER_BYTES)[0])
    return position if position >= 0 else None


def log_facts(host: Host) -> dict[str, Any]:
    """Return which log files are needed: the current one, and the oldest for a restart and for an image."""
    journal = host.journal
    found = images(host.folder)
    media = found[-1].position if found else None
    needed = journal.tail if media is None else min(media, journal.tail)
    numbers = [each for each in segment_numbers(journal.folder) if each < needed // journal.segment_bytes]
    return {
        "current": segment_name(journal.end // journal.segment_bytes),
        "restart": segment_name(journal.tail // journal.segment_bytes),
        "media": "" if media is None else segment_name(media // journal.segment_bytes),
        "restart_bytes": journal.end - journal.tail,
        "media_bytes": 0 if media is None else journal.end - media,
        "not_needed": [segment_name(each) for each in numbers],
    }


def archive(folder: Folder, names: list[str], target: Path) -> None:
    """Move log files that nothing needs any more to another folder; each is removed when its copy is durable.

    8014 when the folder has another file of such a name, or is the log itself: then nothing is removed.
    """
    copier = Copier(target)
    if target.samefile(folder.log):
        raise error(mq.PSRC_BACKUP_ERROR, f"{target} is the log itself: name another folder")
    there = [name for name in names if os.path.lexists(target / name)]
    for name in there:
        if not _same(folder.log / name, target / name):
            what = f"{target / name} exists already and differs from {folder.log / name}: name another folder"
            raise error(mq.PSRC_BACKUP_ERROR, what, path=str(target / name))
    for name in names:
        if name not in there:
            partial = target / (name + PARTIAL)
            Files().unlink(partial)  # of an archive that was interrupted
            copier.file(folder.log / name, partial.name)
            Files().rename(partial, target / name)
    copier.sync()
    for name in names:
        Files().unlink(folder.log / name)


def _same(log: Path, copy: Path) -> bool:
    """Return whether a file in the archive is a durable copy of a log file."""
    if copy.is_symlink() or not copy.is_file() or copy.stat().st_size != log.stat().st_size:
        return False
    with log.open("rb") as one, copy.open("rb") as other:
        Files().sync(other.fileno(), copy)
        return hashlib.file_digest(one, "sha256").digest() == hashlib.file_digest(other, "sha256").digest()
