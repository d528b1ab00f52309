"""Registers the format "penstock" with a Spark session, classic or Connect."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def register(spark: SparkSession) -> None:
    """Let a session read and write queues: `spark.readStream.format("penstock")`.

    PySpark finds the format by itself if the package `penstock` is installed beside it (through the module
    `pyspark_penstock`); this is for sessions where that is disabled.
    """
    from penstock.spark.data_source import PenstockDataSource

    spark.dataSource.register(PenstockDataSource)
