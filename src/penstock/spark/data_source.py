"""The Spark data source "penstock": which class reads or writes for a program's options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyspark.sql.datasource import DataSource

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.columns import SCHEMA, check_columns

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

    from penstock.spark.batch_sink import QueueWrite
    from penstock.spark.batch_source import QueueBrowse
    from penstock.spark.sink import QueueSink
    from penstock.spark.source import QueueStream


class PenstockDataSource(DataSource):
    """Queues and subscriptions of a queue manager. Spark calls the methods by these names and keywords."""

    @classmethod
    def name(cls) -> str:
        return "penstock"

    def schema(self) -> str:
        return SCHEMA

    def streamReader(self, schema: StructType) -> QueueStream:
        from penstock.spark.source import QueueStream

        check_columns(schema)
        return QueueStream(self.options, schema)

    def reader(self, schema: StructType) -> QueueBrowse:
        from penstock.spark.batch_source import QueueBrowse

        check_columns(schema)
        return QueueBrowse(self.options, schema)

    def streamWriter(self, schema: StructType, overwrite: bool) -> QueueSink:
        from penstock.spark.sink import QueueSink

        _check_adds(overwrite, "outputMode append")
        return QueueSink(self.options, schema)

    def writer(self, schema: StructType, overwrite: bool) -> QueueWrite:
        from penstock.spark.batch_sink import QueueWrite

        _check_adds(overwrite, "mode append")
        return QueueWrite(self.options, schema)


def _check_adds(overwrite: bool, instead: str) -> None:
    """Refuse a write that would replace existing data: 8405."""
    if overwrite:
        raise error(mq.PSRC_SPARK_OPTION, f"a write adds messages to queues and removes none: use {instead}")
