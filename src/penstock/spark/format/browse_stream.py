"""A queue as a stream that takes nothing: every message that is put is seen once while it is on the queue.

Offsets are places of messages on their queue. A message that is got before a batch reads it is not seen.
After a restart of the queue manager places start again, and messages that are still there are seen again.
Nothing is reserved, so that other getters are not disturbed. `batch_source` reads a range of places.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadMaxRows, SupportsTriggerAvailableNow

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.spark.format.batch_source import Range, pieces, ranges
from penstock.spark.format.columns import RowMaker
from penstock.spark.format.source import NO_LIMIT, ROWS_MAX, whole_number
from penstock.spark.plain_errors import plain
from penstock.spark.remote_queue_manager import queue_manager_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.streaming.datasource import ReadLimit
    from pyspark.sql.types import StructType

VERSION = 1


class BrowseStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """The messages of a queue, in the order of their places."""

    def __init__(self, options: Mapping[str, str], schema: StructType, queue: str) -> None:
        self._remote = queue_manager_of(options)
        self._queue = queue
        self._rows_max = whole_number(options, "maxRows", ROWS_MAX) or NO_LIMIT
        self._parts = whole_number(options, "partitions", 1) or 1
        self._maker = RowMaker(schema, options)
        self._until: dict[str, Any] | None = None  # where an AvailableNow run ends

    @plain
    def initialOffset(self) -> dict[str, Any]:
        here = self._extent()
        return _offset(here["first"] - 1, here["started"])

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxRows(self._rows_max)

    @plain
    def prepareForTriggerAvailableNow(self) -> None:
        self._until = self._extent()

    @plain
    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        """Return the place up to which the next batch reads."""
        here = self._until or self._extent()
        rows = (
            self._rows_max
            if isinstance(limit, ReadAllAvailable)
            else getattr(limit, "max_rows", self._rows_max)
        )
        seen = start["place"] if start["started"] == here["started"] else here["first"] - 1
        return _offset(max(seen, min(here["last"], max(seen, here["first"] - 1) + rows)), here["started"])

    @plain
    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        first = start["place"] + 1 if start["started"] == end["started"] else 0
        return ranges(self._queue, end["started"], first, end["place"], self._parts)

    @plain
    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Range)
        try:
            for piece in pieces(self._remote, partition):
                yield self._maker.batch(piece, "")
        except MQError as failure:
            if failure.reason != mq.PSRC_RESERVATION_UNKNOWN:
                raise  # otherwise it was restarted: messages have new places, and the next batch reads them

    def commit(self, end: dict[str, Any]) -> None:
        """Do nothing: nothing was taken."""

    def _extent(self) -> dict[str, Any]:
        found: dict[str, Any] = self._remote.do(lambda qm: qm.batches.extent(self._queue))
        return found


def _offset(place: int, started: float) -> dict[str, Any]:
    return {"v": VERSION, "place": place, "started": started}
