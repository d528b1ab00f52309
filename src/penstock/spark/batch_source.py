"""The batch source: the messages of a queue as they are now, left where they are.

A batch read browses; it takes nothing, holds nothing and promises nothing about messages that come or go
meanwhile. Work that takes messages is a stream, which `trigger(availableNow=True)` ends when the queue is
done.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSourceReader, InputPartition

from penstock.model.errors import error
from penstock.spark.columns import RowMaker
from penstock.spark.connection import place_of
from penstock.spark.source import CHUNK_ROWS, whole_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from pyspark.sql.types import StructType

SPARK_OPTION = 8405


class QueueBrowse(DataSourceReader):
    """The messages of a queue, once, in one partition: a browse has one cursor."""

    def __init__(self, options: Mapping[str, str], schema: StructType) -> None:
        self._place = place_of(options)
        self._queue = options.get("queue", "")
        if not self._queue:
            raise error(SPARK_OPTION, "a batch read browses a queue: the option queue is missing")
        self._rows_max = whole_number(options, "maxRows", 0)
        self._selector = options.get("selector")
        self._schema = schema

    def partitions(self) -> Sequence[InputPartition]:
        return [InputPartition(0)]

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the messages that are on the queue now."""
        maker = RowMaker(self._schema)
        details = {"selector": self._selector} if self._selector else {}
        messages = self._place.do(lambda qm: iter(qm.browse(self._queue, **details)))
        if self._rows_max:
            messages = islice(messages, self._rows_max)
        while chunk := list(islice(messages, CHUNK_ROWS)):
            yield maker.batch(chunk, "")
