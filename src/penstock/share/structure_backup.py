"""A backup of one structure's persistent messages: a file beside the journal, and how it is read.

Streams rows in slices by place, so that no snapshot of the facility is held for long; offloaded bodies are
read in. The last frame counts the others: a file without it is not a backup. Called by `structure_actions`
and `structure_history`. Not here: when, and what a recovery does with it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.sharing.wishes import Row
from penstock.share.framed_file import FrameReader, FrameWriter

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from penstock.share.bodies import Bodies
    from penstock.share.facility import Facility

SLICE_ROWS = 200
WRITE_BYTES = 4 << 20
MAGIC = b"PSTKCFBK"
COLUMNS = "queue, lane, seq, true, expires_at, place, backouts, head, body, key"


def slices(facility: Facility, structure: str, columns: str, count: int) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a structure's persistent messages; `columns` begin with queue, lane and seq."""
    queues = facility.execute("select id from queue where structure = %s order by id", (structure,))
    for (queue,) in queues:
        lane, seq = -1, 0
        while rows := facility.execute(
            f"select {columns} from p where queue = %s and (lane, seq) > (%s, %s)"
            " order by lane, seq limit %s",
            (queue, lane, seq, count),
        ):
            _, lane, seq = rows[-1][:3]
            yield from rows


def still_there(facility: Facility, row: Row) -> bool:
    """Return whether a message has not been got since its row was read."""
    place = row.queue, row.lane, row.seq
    return bool(facility.execute("select from p where queue = %s and lane = %s and seq = %s", place))


def back_up(facility: Facility, bodies: Bodies, structure: str, path: Path) -> tuple[int, int]:
    """Write all persistent messages of a structure; return bytes and messages. All bodies must be there."""
    file = FrameWriter(path, MAGIC, WRITE_BYTES)
    messages = 0
    try:
        for *values, key in slices(facility, structure, COLUMNS, SLICE_ROWS):
            row = Row(*values)
            if row.place:
                bodies.load([row])
            if row.failure is not None:
                if not still_there(facility, row):
                    continue  # it was got meanwhile
                raise row.failure
            file.add([row.queue, row.lane, row.seq, row.expires_at, row.backouts, row.head, row.body, key])
            messages += 1
        file.add(["END", messages])
        file.sync()
    finally:
        file.close()
    return file.bytes, messages


def read_backup(reader: FrameReader) -> Iterator[tuple[int, list[Any]]]:
    """Yield offset and values of each: queue, lane, seq, expires_at, backouts, head, body, key."""
    count = 0
    for offset, values in reader:
        if values[0] == "END" and values[1] == count:
            return
        count += 1
        yield offset, values
    raise error(mq.PSRC_IO_ERROR, f"backup {reader.path} is damaged or incomplete after {count} messages")
