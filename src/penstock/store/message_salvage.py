"""Damaged message files: saves the readable records of each in a new file, and counts what is lost.

For the recovery of single objects (`host.object_recovery`). It changes no existing file: the new files belong
to a manifest that only the next checkpoint makes valid, and without it the next load removes them. A record
counts as readable only if its checksum is right and it begins where the record before it ends: nothing inside
the body of a damaged record is taken for a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from penstock.model.errors import MQError
from penstock.store import _scan
from penstock.store.files import Files, read_file
from penstock.store.manifest import Manifest
from penstock.store.message_file import DATA_START, NUMBER_SHIFT, MessageFile

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.store.faults import Faults
    from penstock.store.manifest import Extent


class Salvage(NamedTuple):
    """The manifest of what is left, the numbers of the damaged files, and how many messages are lost."""

    manifest: Manifest
    damaged: tuple[int, ...]
    lost: int  # at most: when a side file is damaged, it is unknown which of its records were live


def salvage(folder: Path, manifest: Manifest, faults: Faults | None = None) -> Salvage:
    """Write the readable live records of damaged files to new files; whole files stay as they are."""
    files = Files(faults)
    extents: list[Extent] = []
    damaged: list[int] = []
    number, lost = manifest.next_number, 0
    for extent in manifest.extents:
        if _is_whole(MessageFile(folder, extent.number, files), extent):
            extents.append(extent)
            continue
        damaged.append(extent.number)
        file = MessageFile(folder, number, files)
        lost += _copy_readable(MessageFile(folder, extent.number, files), extent, file)
        if file.records:
            extents.append(file.extent())
            number += 1
    if number != manifest.next_number:
        files.sync_folder(folder)
    return Salvage(Manifest(tuple(extents), number), tuple(damaged), lost)


def _is_whole(file: MessageFile, extent: Extent) -> bool:
    try:
        if not file.path.exists():
            return False
        file.open(extent, cut=False)
        for _ in file.load(_scan.scan_records, keeps_views=False):
            pass
    except MQError:
        return False
    finally:
        file.close()
    return True


def _copy_readable(file: MessageFile, extent: Extent, target: MessageFile) -> int:
    """Copy the readable live records of a damaged file to a new one; return how many are lost."""
    file.length, file.records, file.deaths_length = extent.length, extent.records, extent.deaths_length
    try:
        amended = file.load_deaths()
        data = read_file(file.path)[: extent.length]
    except MQError:
        return extent.records
    found = [(offset, head, body) for offset, head, body in _readable(data) if not file.is_dead(offset)]
    if found:
        target.create()
        offsets = target.append([(head, body) for _, head, body in found])
        for (old, _, _), new in zip(found, offsets, strict=True):
            value = amended.get(file.number << NUMBER_SHIFT | old)
            if value is not None:
                target.amend(new, value)
        target.sync()
        target.close()
    return extent.records - file.dead - len(found)


def _readable(data: bytes) -> Iterator[tuple[int, bytes, bytes]]:
    """Yield (offset, head, body) of the whole records in a damaged file."""
    at = DATA_START
    while at < len(data):
        record = _scan.parse_record(data, at)
        length = _scan.record_length(data, at)
        if length <= 0:
            return  # it is unknown where the next record begins
        if record is not None:
            head, body = record
            holder = _scan.parse_record(data, body) if isinstance(body, int) else None
            whole = holder[1] if holder is not None else body
            if isinstance(whole, bytes):
                yield at, head, whole
        at += length
