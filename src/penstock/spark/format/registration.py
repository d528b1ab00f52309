"""Registers the format "penstock" and the SQL function `penstock_esql` with a session, classic or Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Let a session read and write queues, `spark.readStream.format("penstock")`, and call `penstock_esql`.

    PySpark finds the format by itself if the package `penstock` is installed beside it (through the module
    `pyspark_penstock`); this is for sessions where that is disabled.
    """
    from penstock.spark.esql_function import register_esql
    from penstock.spark.format.data_source import PenstockDataSource
    from penstock.spark.format.statistics_source import StatisticsDataSource

    spark.dataSource.register(PenstockDataSource)
    spark.dataSource.register(StatisticsDataSource)
    register_esql(spark)
