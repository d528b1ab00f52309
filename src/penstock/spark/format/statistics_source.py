"""The Spark data source "penstock-statistics": statistics and accounting messages as rows, one per figure.

It browses the queues of a queue manager and changes nothing. Option `url` names the queue manager as for
"penstock"; `accounting` (true) reads accounting messages; `queue` names another queue with such messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource, DataSourceReader

from penstock.spark.format.option_names import is_set
from penstock.spark.plain_errors import plain
from penstock.spark.remote_queue_manager import queue_manager_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pyspark.sql.datasource import InputPartition
    from pyspark.sql.types import StructType

    from penstock.face.blocking import BlockingQueueManager

STATISTICS, ACCOUNTING = "SYSTEM.ADMIN.STATISTICS.QUEUE", "SYSTEM.ADMIN.ACCOUNTING.QUEUE"
SCHEMA = (
    "qmgr string, start string, end string, kind string, object string, field string, persistence string, "
    "value bigint"
)


class StatisticsDataSource(DataSource):
    """Statistics of a queue manager. Spark calls the methods by these names and keywords."""

    @classmethod
    def name(cls) -> str:
        return "penstock-statistics"

    def schema(self) -> str:
        return SCHEMA

    def reader(self, schema: StructType) -> DataSourceReader:
        return StatisticsReader(dict(self.options))


class StatisticsReader(DataSourceReader):
    """Reads the messages once, in one partition: there are few."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self._options = options

    @plain
    def read(self, partition: InputPartition) -> Iterator[tuple[Any, ...]]:
        """Yield the figures."""
        default = ACCOUNTING if is_set(self._options, "accounting") else STATISTICS
        queue = self._options.get("queue", default)
        rows: list[tuple[Any, ...]] = queue_manager_of(self._options).do(lambda qm: figures(qm, queue))
        return iter(rows)


def figures(qm: BlockingQueueManager, queue: str) -> list[tuple[Any, ...]]:
    """Return the figures of the messages on a queue."""
    from penstock.model.statistics_rows import rows_of

    found: list[tuple[Any, ...]] = []
    for message in qm.browse(queue):
        own = message.descriptor
        found += [tuple(row) for row in rows_of(bytes(message.body or b""), own.encoding, own.ccsid)]
    return found
