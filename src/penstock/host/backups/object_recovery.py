"""Recovers single objects: a damaged queue comes back from its newest image and the log since then.

The queue manager starts as always, from its checkpoint and the log, but without the unreadable records of its
message files. Beside it, the image of each chosen queue is replayed to the end of the log, and its messages
replace those that are there. The checkpoint that follows makes all of it valid at once: until then nothing of
before is changed, so an interrupted recovery is begun anew. Nothing is done unless every lost message is
accounted for: if queues that were not named have lost some, they are named in the refusal. Definitions are in
the checkpoint, which is whole or rebuilt as one (`media_recovery`). Called by `penstock qmgr recover`.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from penstock.host import checkpointing
from penstock.host.backups.media_image import image_of, images
from penstock.host.backups.media_recovery import check_log_files, is_whole, new_aside
from penstock.host.starting import NoJournal, empty_engine, replayed, start
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.restart.object_choice import ALL, chosen_objects, kinds_of
from penstock.qmgr.restart.object_exchange import exchange, persistent_messages
from penstock.store.checkpoint import read_checkpoint
from penstock.store.message_files import MessageFiles
from penstock.store.message_salvage import salvage

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from penstock.host.backups.media_image import Image
    from penstock.host.folders.folder import Folder
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.restart.recovery import Recovery, Report
    from penstock.store.checkpoint import Checkpoint
    from penstock.store.message_salvage import Salvage

READ_MESSAGES = 256  # of an image, together


class RecoveredObject(NamedTuple):
    """One object of a recovery: how many messages it has now, and how many of them had been lost."""

    kind: str
    name: str
    image: Path | None  # None: only its definition was asked for, and that is whole
    messages: int
    lost: int


def recover_objects(
    folder: Folder, names: Sequence[str], object_type: str = ALL
) -> tuple[list[RecoveredObject], Path | None]:
    """Recover the chosen objects of a stopped queue manager; return them, and where damaged files are kept.

    8001 when it runs, 8024 without an image or a log file since then, 8010 when queues that were not named
    have lost messages too, 8011 when the checkpoint is damaged, 2085 for an unknown name: then nothing has
    changed.
    """
    kinds_of(object_type)
    work = _ObjectRecovery(names, object_type)
    try:
        host = start(folder, recover=work.recover)
    except MQError as failure:
        if failure.reason != mq.PSRC_CHECKPOINT_DAMAGED:
            raise
        what = f"{failure.detail}; it holds the definitions of all objects: recover without names of objects"
        raise error(mq.PSRC_CHECKPOINT_DAMAGED, what, **failure.fields) from failure
    try:
        checkpointing.checkpoint(host)
        for each in work.done:
            if each.image is not None:
                what = f"{each.kind} {each.name} was recovered from {each.image.name} and the log"
                host.error_log.write("AMQ7075I", f"{what}: it has {each.messages} persistent messages.")
    finally:
        host.close()
    return work.done, work.aside


class _Rebuilt(NamedTuple):
    """Queues and the image that they come from, replayed to the end of the log."""

    queues: list[Definition]
    image: Image
    recovery: Recovery
    messages: dict[int, dict[int, Message]]  # by queue id and sequence number
    files: MessageFiles  # of the image, with the bodies


class _ObjectRecovery:
    """One recovery of chosen objects, at its place in a start."""

    def __init__(self, names: Sequence[str], object_type: str) -> None:
        self.names = names
        self.object_type = object_type
        self.done: list[RecoveredObject] = []
        self.aside: Path | None = None

    def recover(
        self, engine: Engine, folder: Folder, checkpoint: Checkpoint, files: MessageFiles, now: float
    ) -> tuple[Report, int]:
        """Bring an empty engine to where the last run left off, with the chosen queues from their images."""
        whole = _WholeImages(folder, now)
        saved = salvage(folder.queues, checkpoint.manifest)
        files.replace_damaged(saved.damaged)
        current, reading = replayed(engine, folder, replace(checkpoint, manifest=saved.manifest), files, now)
        chosen = chosen_objects(engine.objects.in_order(), self.names, self.object_type)
        before = persistent_messages(current)
        rebuilt = whole.rebuilt([each for each in chosen if each.kind == "QLOCAL"])
        try:
            _check_losses(engine, saved, before, rebuilt, whole)
            self.aside = _keep_damaged(folder, saved)
            for each in rebuilt:
                self.done += _take_over(current, each, before, files)
        finally:
            for each in rebuilt:
                each.files.close()
        others = [each for each in chosen if each.kind != "QLOCAL"]
        self.done += [RecoveredObject(each.kind, each.name, None, 0, 0) for each in others]
        report = current.finish(now)
        report.torn = reading.torn
        return report, reading.end


class _WholeImages:
    """The images of a queue manager whose files are as they were written."""

    def __init__(self, folder: Folder, now: float) -> None:
        self.folder = folder
        self.now = now
        self.found = [image for image in images(folder) if is_whole(image)]

    def rebuilt(self, queues: list[Definition]) -> list[_Rebuilt]:
        """Return the queues by the newest image that holds each, replayed; 8024 without one."""
        groups: dict[Path, tuple[Image, list[Definition]]] = {}
        for queue in queues:
            image = image_of(self.found, queue)
            if image is None:
                what = f"{self.folder.name} has no whole media image with queue {queue.name}"
                raise error(mq.PSRC_NO_IMAGE, what)
            groups.setdefault(image.path, (image, []))[1].append(queue)
        return [self._replayed(image, group) for image, group in groups.values()]

    def of_everything(self, queues: list[Definition]) -> _Rebuilt:
        """Return queues from the newest image of all objects; 8024 without one."""
        image = next((each for each in reversed(self.found) if each.objects is None), None)
        if image is None:
            what = f"{self.folder.name} has no whole media image of all objects to compare its queues with"
            raise error(mq.PSRC_NO_IMAGE, what)
        return self._replayed(image, queues)

    def _replayed(self, image: Image, queues: list[Definition]) -> _Rebuilt:
        check_log_files(self.folder, image)
        checkpoint = read_checkpoint(image.path)
        if checkpoint is None:
            raise error(mq.PSRC_NO_IMAGE, f"{image.path} has no checkpoint", path=str(image.path))
        engine = empty_engine(self.folder, NoJournal(), self.now)
        files = MessageFiles(image.path / self.folder.queues.name, read_only=True)
        recovery, _ = replayed(engine, self.folder, checkpoint, files, self.now)
        return _Rebuilt(queues, image, recovery, persistent_messages(recovery), files)


def _check_losses(
    engine: Engine,
    saved: Salvage,
    before: dict[int, dict[int, Message]],
    rebuilt: list[_Rebuilt],
    whole: _WholeImages,
) -> None:
    """Raise 8010 if the damaged files held messages of queues that are not being recovered.

    The damage does not say whose messages it hit, so each other queue is compared with its image and the
    log; not if the chosen queues account for every lost message.
    """
    chosen = {queue.id for each in rebuilt for queue in each.queues}
    explained = sum(_missing(each, queue, before) for each in rebuilt for queue in each.queues)
    if saved.lost <= explained:
        return
    others = [queue.definition for queue in engine.queues.values() if queue.id not in chosen]
    all_objects = whole.of_everything(others)
    all_objects.files.close()
    hurt = [queue.name for queue in others if _missing(all_objects, queue, before)]
    if hurt:
        what = (
            f"{', '.join(sorted(hurt))} lost messages too: name these queues as well, or none to recover all"
        )
        raise error(mq.PSRC_MESSAGE_FILE_DAMAGED, what, queues=sorted(hurt))


def _missing(rebuilt: _Rebuilt, queue: Definition, before: dict[int, dict[int, Message]]) -> int:
    """Return how many messages of a queue the image and the log have, and the message files have not."""
    return len(rebuilt.messages.get(queue.id, {}).keys() - before.get(queue.id, {}).keys())


def _take_over(
    current: Recovery, rebuilt: _Rebuilt, before: dict[int, dict[int, Message]], files: MessageFiles
) -> list[RecoveredObject]:
    """Move the messages of queues from their image, with the log since then, to the current state."""
    done = []
    for queue in rebuilt.queues:
        messages = rebuilt.messages.get(queue.id, {})
        _move_bodies(current, [each for each in messages.values() if each.location], rebuilt.files, files)
        lost = _missing(rebuilt, queue, before)
        done.append(RecoveredObject(queue.kind, queue.name, rebuilt.image.path, len(messages), lost))
    exchange(current, rebuilt.recovery, {queue.id for queue in rebuilt.queues})
    return done


def _move_bodies(current: Recovery, stored: list[Message], image: MessageFiles, files: MessageFiles) -> None:
    """Write messages of an image to the message files, where the next checkpoint names them."""
    for first in range(0, len(stored), READ_MESSAGES):
        part = stored[first : first + READ_MESSAGES]
        locations = files.write(image.read([each.location for each in part]))
        for message, location in zip(part, locations, strict=True):
            message.location = location
            current.engine.wishes.amended.append(message)  # the file has the backout count of the image


def _keep_damaged(folder: Folder, saved: Salvage) -> Path | None:
    """Copy the damaged files to a folder of their own, as far as they can be read."""
    if not saved.damaged:
        return None
    aside = new_aside(folder)
    for number in saved.damaged:
        for path in folder.queues.glob(f"M{number:07d}.D*"):
            shutil.copy2(path, aside / path.name)
    return aside
