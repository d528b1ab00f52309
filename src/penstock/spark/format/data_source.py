"""The Spark data source "penstock": which class reads or writes for a program's options.

Spark makes an instance for `load` and asks it for its schema, and again for the plan of a query. Unknown
options are refused in the constructor, and a queue that is missing or not allowed when the schema is asked
for: both are errors of `load`, in one line.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSource

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.format.body_columns import body_columns
from penstock.spark.format.columns import SCHEMA, check_columns
from penstock.spark.format.dead_letter_columns import DEAD_LETTER_SCHEMA
from penstock.spark.format.option_names import check_options, is_set
from penstock.spark.format.table_options import (
    check_secrets,
    found_options,
    is_table,
    keep_options,
    own_options,
)
from penstock.spark.plain_errors import plain
from penstock.spark.remote_queue_manager import queue_manager_of

if TYPE_CHECKING:
    from pyspark.sql.datasource import DataSourceReader, DataSourceStreamReader
    from pyspark.sql.types import StructType

    from penstock.face.blocking import BlockingQueueManager
    from penstock.spark.format.batch_sink import QueueWrite
    from penstock.spark.format.sink import QueueSink

NUMBERS = ("maxRows", "maxBytes", "partitions", "epoch", "batch")
LOAD_SECONDS = 2.0  # how long a load waits for a queue manager that does not answer


class PenstockDataSource(DataSource):
    """Queues and subscriptions of a queue manager. Spark calls the methods by these names and keywords."""

    @plain
    def __init__(self, options: dict[str, str]) -> None:
        check_options(own_options(options))
        check_secrets(options)
        super().__init__(options)

    @classmethod
    def name(cls) -> str:
        return "penstock"

    @plain
    def schema(self) -> str:
        columns = self._columns()
        return keep_options(columns, self.options) if is_table(self.options) else columns

    def _columns(self) -> str:
        self._check_numbers()
        self._look()
        parts = [SCHEMA, DEAD_LETTER_SCHEMA if is_set(self.options, "deadLetters") else ""]
        if "journal" in self.options:
            from penstock.spark.format.journal_source import JOURNAL_SCHEMA

            parts.append(JOURNAL_SCHEMA)
        return ", ".join(filter(None, (*parts, body_columns(self.options))))

    def streamReader(self, schema: StructType) -> DataSourceStreamReader:
        from penstock.spark.format.refused_stream import stream_or_refusal

        return stream_or_refusal(lambda: self._stream(schema))

    def _stream(self, schema: StructType) -> DataSourceStreamReader:
        from penstock.spark.format.browse_stream import BrowseStream
        from penstock.spark.format.source import QueueStream

        self.options = found_options(self.options, schema)
        if "journal" in self.options:
            raise error(mq.PSRC_SPARK_OPTION, "journal is for batch reads: use read, not readStream")
        check_columns(schema, self.options)
        if is_set(self.options, "browse") or is_set(self.options, "deadLetters"):
            return BrowseStream(self.options, schema, self._queue())
        return QueueStream(self.options, schema)

    @plain
    def reader(self, schema: StructType) -> DataSourceReader:
        from penstock.spark.format.batch_source import QueueBrowse

        self.options = found_options(self.options, schema)
        if "journal" in self.options:
            from penstock.spark.format.journal_source import JournalRead

            return JournalRead(self.options, schema)
        check_columns(schema, self.options)
        return QueueBrowse(self.options, schema, self._queue())

    @plain
    def streamWriter(self, schema: StructType, overwrite: bool) -> QueueSink:
        from penstock.spark.format.sink import QueueSink

        _check_adds(overwrite, "outputMode append")
        return QueueSink(found_options(self.options, schema), schema)

    @plain
    def writer(self, schema: StructType, overwrite: bool) -> QueueWrite:
        from penstock.spark.format.batch_sink import QueueWrite

        _check_adds(overwrite, "mode append")
        return QueueWrite(found_options(self.options, schema), schema)

    def _queue(self) -> str:
        """Return the queue to browse: the named one, or that of the dead letters."""
        from penstock.tools.dead_letters import dead_letter_queue

        named = self.options.get("queue", "")
        if not is_set(self.options, "deadLetters"):
            return named
        remote = replace(queue_manager_of(self.options), patience_seconds=LOAD_SECONDS)
        return remote.do(lambda qm: dead_letter_queue(qm, named))

    def _check_numbers(self) -> None:
        from penstock.spark.format.source import whole_number

        for name in NUMBERS:
            whole_number(self.options, name, 0)

    def _look(self) -> None:
        """Check that the queue exists and may be read: 2085, 2035, or why nothing answers."""
        if "journal" in self.options:
            from penstock.spark.format.journal_source import log_folders

            log_folders(self.options["journal"])
            return
        queue = self._queue()
        if not queue:
            return  # a subscription is made when the query starts
        browses = is_set(self.options, "browse") or is_set(self.options, "deadLetters")
        wanted = mq.MQOO_BROWSE if browses else mq.MQOO_INPUT_SHARED | mq.MQOO_BROWSE

        def look(qm: BlockingQueueManager) -> Any:
            return qm.open(queue, wanted | mq.MQOO_INQUIRE).close()

        replace(queue_manager_of(self.options), patience_seconds=LOAD_SECONDS).do(look)


def _check_adds(overwrite: bool, instead: str) -> None:
    """Refuse a write that would replace existing data: 8405."""
    if overwrite:
        raise error(mq.PSRC_SPARK_OPTION, f"a write adds messages to queues and removes none: use {instead}")
