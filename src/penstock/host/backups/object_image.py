"""The content of a media image of some objects: a checkpoint whose message files have their messages only.

The state is that of the whole checkpoint, because definitions are few and a replay needs prepared units and
counters; the messages of the chosen queues are copied from the message files to new ones. `media_image` calls
it with checkpoints held off: until the next one, message files only grow beyond what the checkpoint names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.host.pacing import Pace
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.restart.object_choice import chosen_objects
from penstock.qmgr.restart.snapshot import stored_objects
from penstock.store import checkpoint
from penstock.store.message_files import MessageFiles
from penstock.store.message_format import head_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.host.backups.manifest import Copier
    from penstock.host.host import Host
    from penstock.qmgr.objects import Definition

CHUNK_BYTES = 4 << 20


def chosen(host: Host, names: Sequence[str], object_type: str) -> list[Definition]:
    """Return the objects of the last checkpoint that are meant; 2085 for a name that fits none."""
    return chosen_objects(stored_objects(_checkpoint(host).state), names, object_type)


def listed(objects: list[Definition] | None) -> list[tuple[str, str, int]] | None:
    """Return the objects as the image's manifest lists them; None for all."""
    return None if objects is None else [(each.kind, each.name, each.id) for each in objects]


def write(host: Host, copier: Copier, objects: list[Definition]) -> None:
    """Write the checkpoint and the messages of the chosen queues; 8010 if a message file is damaged."""
    folder = host.folder.queues.name
    copier.folder(folder)
    found = _checkpoint(host)
    source = MessageFiles(host.folder.queues, read_only=True)
    target = MessageFiles(copier.root / folder)
    try:
        _copy_messages(host, source, found, target, {each.id for each in objects if each.kind == "QLOCAL"})
        manifest = target.sync()
    finally:
        source.close()
        target.close()
    checkpoint.write_checkpoint(copier.root, found.state, found.journal_start, manifest)
    copier.written(checkpoint.NAME)
    for path in sorted((copier.root / folder).iterdir()):
        copier.written(f"{folder}/{path.name}")


def _copy_messages(
    host: Host, source: MessageFiles, found: checkpoint.Checkpoint, target: MessageFiles, queues: set[int]
) -> None:
    pace = Pace(host.pacer)
    chunk: list[tuple[bytes, bytes]] = []
    values: list[int] = []
    size = 0
    for _, head, body, value in source.load(found.manifest):
        pace.step()
        if head_numbers(head)[1] in queues:
            chunk.append((head, bytes(body)))
            values.append(value)
            size += len(body)
        if size >= CHUNK_BYTES:
            _write_chunk(target, chunk, values)
            chunk, values, size = [], [], 0
    _write_chunk(target, chunk, values)


def _write_chunk(target: MessageFiles, chunk: list[tuple[bytes, bytes]], values: list[int]) -> None:
    for location, value in zip(target.write(chunk), values, strict=True):
        if value:
            target.amend(location, value)


def _checkpoint(host: Host) -> checkpoint.Checkpoint:
    found = checkpoint.read_checkpoint(host.folder.path)
    if found is None:
        raise error(mq.PSRC_FOLDER_INCOMPLETE, f"{host.folder.path} has no checkpoint")
    return found
