"""Media images, from which damaged objects are rebuilt with the log since then (linear logging).

An image is a checkpoint with its message files, in `images/I0000001` of the queue manager's folder, taken
while work goes on. That of all objects is a copy; that of some has message files of its own with the messages
of these queues only (`object_image`). The log from the image's position on holds everything that happened
since: `media_recovery` rebuilds everything from both, `object_recovery` single objects. Invariant: there is
an image of all objects before there is one of some, and an image is removed only when a later one holds all
its objects. Circular logging reuses log files: it has no images.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.host import checkpointing
from penstock.host.backups import manifest, object_image
from penstock.host.backups.backup import PARTIAL, new_backup
from penstock.host.backups.manifest import Copier
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.restart.object_choice import ALL, is_everything
from penstock.store import checkpoint
from penstock.store.file_header import HEADER_BYTES, decode_header
from penstock.store.files import Files
from penstock.store.home import make_private
from penstock.store.segments import LogType, segment_name, segment_numbers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from penstock.host.folders.folder import Folder
    from penstock.host.host import Host
    from penstock.qmgr.objects import Definition

IMAGES = "images"
MEDIA_IMAGE = "media image"  # its kind in the manifest
_POSITION = struct.Struct("<q")


class Image(NamedTuple):
    """One image: its folder, the journal position from which the log is needed with it, and its objects."""

    path: Path
    position: int
    objects: frozenset[tuple[str, str, int]] | None = None  # kind, name, id; None: all, and those made since

    def holds(self, other: Image) -> bool:
        """Return whether this image has every object of another one."""
        return self.objects is None or (other.objects is not None and other.objects <= self.objects)


def record(host: Host, names: Sequence[str] = (), object_type: str = ALL) -> dict[str, Any]:
    """Record an image of all objects, or of some, and return the log files that are needed and those not.

    Other work continues. Once it is durable, images whose objects it holds are removed. The first image is
    always of all objects. 8024 with circular logging, 2043 for an unknown type, 2085 for an unknown name.
    """
    everything = is_everything(names, object_type)
    if host.settings.log.log_type is not LogType.LINEAR:
        what = f"{host.folder.name} has circular logging, which keeps no log files to recover from"
        raise error(mq.PSRC_NO_IMAGE, what)
    make_private(host.folder.path / IMAGES)
    checkpointing.checkpoint(host)
    with host.checkpoint_lock:
        before = image_folders(host.folder)
        whole = images(host.folder)
        number = int(before[-1].name[1:]) + 1 if before else 1
        target = host.folder.path / IMAGES / f"I{number:07d}"
        objects = None if everything else object_image.chosen(host, names, object_type)
        if all(image.objects is not None for image in whole):
            objects = None
        with new_backup(target) as copier:
            if objects is None:
                copier.tree(host.folder.queues, host.folder.queues.name)
                copier.file(host.folder.path / checkpoint.NAME, checkpoint.NAME)
            else:
                object_image.write(host, copier, objects)
            copier.finish(MEDIA_IMAGE, host.folder.name, object_image.listed(objects))
        (image,) = [each for each in images(host.folder) if each.path == target]
        needed = {each.path for each in whole if not image.holds(each)}
        for path in before:
            if path not in needed:
                _remove(path)
    return log_facts(host) | {
        "image": str(target),
        "objects": [f"{kind}({name})" for kind, name, _ in sorted(image.objects or ())],
        "all": objects is None,
        "since": segment_name(image.position // host.journal.segment_bytes),
    }


def _remove(image: Path) -> None:
    """Remove an image, or the rest of one after a crash; without its manifest it is not an image any more."""
    Files().unlink(image / manifest.NAME)
    Files().sync_folder(image)
    shutil.rmtree(image, ignore_errors=True)


def images(folder: Folder) -> list[Image]:
    """Return the images of a queue manager, oldest first; not those whose position cannot be read."""
    found: list[Image] = []
    for path in image_folders(folder):
        position = _position(path)
        try:
            objects = manifest.read_manifest(path).objects
        except MQError:
            continue
        if position is not None:
            found.append(Image(path, position, None if objects is None else frozenset(objects)))
    return found


def image_of(found: Sequence[Image], definition: Definition) -> Image | None:
    """Return the newest image that holds an object: by its id, so not that of a deleted namesake."""
    own = (definition.kind, definition.name, definition.id)
    return next((each for each in reversed(found) if each.objects is None or own in each.objects), None)


def media_logs(host: Host) -> Callable[[Definition], str]:
    """Return a function that names the oldest log file that the recovery of an object needs."""
    found = images(host.folder) if host.settings.log.log_type is LogType.LINEAR else []

    def log_of(definition: Definition) -> str:
        image = image_of(found, definition)
        return "" if image is None else segment_name(image.position // host.journal.segment_bytes)

    return log_of


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
    media = min((image.position for image in found), default=None)
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
