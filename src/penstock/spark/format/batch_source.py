"""The batch source: the current messages of a queue, which stay there.

A batch read browses; it takes and reserves nothing and promises nothing about messages that arrive or leave
meanwhile. To take messages use a stream; `trigger(availableNow=True)` ends it when the queue is done.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader, InputPartition

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.format.columns import RowMaker
from penstock.spark.format.source import CHUNK_ROWS, whole_number
from penstock.spark.plain_errors import plain
from penstock.spark.remote_queue_manager import queue_manager_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.types import StructType

    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.message import Message
    from penstock.spark.remote_queue_manager import RemoteQueueManager

HIGHEST = 9  # priority


@dataclass
class Range(InputPartition):
    """The part of a queue that one task browses: positions of messages, as counted by the queue manager."""

    queue: str
    started: float
    first: int
    end: int  # behind the last one


class QueueBrowse(DataSourceReader):
    """The messages of a queue, once: with one cursor, or a range of positions for each of several tasks."""

    def __init__(self, options: Mapping[str, str], schema: StructType, queue: str) -> None:
        self._remote = queue_manager_of(options)
        self._queue = queue
        if not self._queue:
            raise error(mq.PSRC_SPARK_OPTION, "a batch read browses a queue: the option queue is missing")
        self._rows_max = whole_number(options, "maxRows", 0)
        self._selector = options.get("selector")
        self._parts = whole_number(options, "partitions", 1) or 1
        if self._parts > 1 and (self._selector or self._rows_max):
            raise error(
                mq.PSRC_SPARK_OPTION, "a selector and maxRows are for one partition: each counts its own"
            )
        self._maker = RowMaker(schema, options)

    @plain
    def partitions(self) -> Sequence[InputPartition]:
        if self._parts == 1:
            return [InputPartition(0)]
        here = self._remote.do(lambda qm: qm.batches.extent(self._queue))
        return ranges(self._queue, here["started"], here["first"], here["last"], self._parts)

    @plain
    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the messages that are on the queue now."""
        if isinstance(partition, Range):
            for piece in pieces(self._remote, partition):
                yield self._maker.batch(piece, "")
            return
        details = {"selector": self._selector} if self._selector else {}
        messages = self._remote.do(lambda qm: iter(qm.browse(self._queue, **details)))
        if self._rows_max:
            messages = islice(messages, self._rows_max)
        while chunk := list(islice(messages, CHUNK_ROWS)):
            yield self._maker.batch(chunk, "")


def ranges(queue: str, started: float, first: int, last: int, parts: int) -> list[Range]:
    """Cut the places of a queue from `first` to `last` into parts."""
    size = last - first + 1
    cuts = [first + size * number // parts for number in range(parts + 1)]
    return [Range(queue, started, *cut) for cut in pairwise(cuts) if cut[0] < cut[1]]


def pieces(remote: RemoteQueueManager, part: Range) -> Iterator[list[Message]]:
    """Yield the messages of a range that are there now, some at a time."""
    after = (HIGHEST, 0)
    while True:
        rows = remote.do(partial(_piece, part, after))
        if not rows:
            return
        after = rows[-1][:2]
        yield [message for _, _, message in rows]


def _piece(part: Range, after: tuple[int, int], qm: BlockingQueueManager) -> list[tuple[int, int, Message]]:
    given = {"started": part.started, "first": part.first, "last": part.end - 1, "after": after}
    found: list[tuple[int, int, Message]] = qm.batches.read_extent(part.queue, **given)
    return found
