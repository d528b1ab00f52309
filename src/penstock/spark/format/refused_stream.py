"""A refused stream: its first call raises the error that its constructor could not raise.

PySpark replaces an exception of the constructor with its own error, so ours are raised a moment later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow

from penstock.model.errors import MQError
from penstock.spark.plain_errors import in_one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.streaming.datasource import ReadLimit


def stream_or_refusal(make: Callable[[], DataSourceStreamReader]) -> DataSourceStreamReader:
    """Return the stream that a function makes, or one that raises its error."""
    try:
        return make()
    except MQError as failure:
        return RefusedStream(in_one_line(failure))


class RefusedStream(DataSourceStreamReader, SupportsTriggerAvailableNow):
    """Raises an error at every call. Spark calls the methods by these names."""

    def __init__(self, failure: MQError) -> None:
        self._failure = failure

    def initialOffset(self) -> dict[str, Any]:
        raise self._failure

    def prepareForTriggerAvailableNow(self) -> None:
        raise self._failure

    def latestOffset(self, start: dict[str, Any], limit: ReadLimit) -> dict[str, Any]:
        raise self._failure

    def partitions(self, start: dict[str, Any], end: dict[str, Any]) -> Sequence[InputPartition]:
        raise self._failure

    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        raise self._failure
