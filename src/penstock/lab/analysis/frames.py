"""Runs as DataFrames of Spark: raw rows and figures, for notebooks and for many runs at once.

    from penstock.lab import open_runs
    runs = open_runs("lab-run-1", "lab-run-2")
    runs.figures.groupBy("test").agg({"rate": "max"}).show()

`figures` has the columns of `summary.figures`; a test holds both equal.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.lab.analysis.summary import KEPT, PERCENTILES
from penstock.lab.load import histogram
from penstock.lab.run.folder import TABLES, RunFolder

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession


class Runs:
    """The frames of some runs."""

    def __init__(self, folders: list[RunFolder], spark: SparkSession) -> None:
        self._folders = folders
        self._spark = spark
        for name in TABLES:
            setattr(self, name, self._read(name))

    steps: DataFrame
    samples: DataFrame
    times: DataFrame
    processes: DataFrame
    facts: DataFrame

    @property
    def figures(self) -> DataFrame:
        """One row for each step."""
        from pyspark.sql import functions as f

        mine = self.steps.select("run", "step_id", "measured")
        joined = self.samples.join(mine, ["run", "step_id"]).where("role = measured")
        rates = joined.groupBy("run", "step_id").agg(
            f.sum("operations").alias("operations"),
            f.sum("seconds").alias("seconds"),
            f.sum(f.col("errors") + f.col("overdue")).alias("errors"),
        )
        steps = self.steps.select("run", "step_id", *KEPT, "foreign_percent")
        found = steps.join(rates, ["run", "step_id"], "left")
        found = found.join(self._times(mine), ["run", "step_id"], "left")
        found = found.join(self._costs(), ["run", "step_id"], "left")
        found = found.join(self._log(), ["run", "step_id"], "left")
        found = found.withColumn("rate", f.try_divide("operations", "seconds"))
        for name in ("cpu_us", "server_us", "load_us", "switches_each", "syncs_each", "written_bytes_each"):
            found = found.withColumn(name, f.try_divide(name, "operations"))
        for name in ("server_busy", "busiest_thread"):
            found = found.withColumn(name, f.try_divide(name, "seconds"))
        return found.orderBy("run", "place")

    def _times(self, mine: DataFrame) -> DataFrame:
        """Percentiles of the response times: the bucket in which the share is reached."""
        from pyspark.sql import Window
        from pyspark.sql import functions as f

        counts = self.times.join(mine, ["run", "step_id"]).where("role = measured and kind = 'response'")
        counts = counts.groupBy("run", "step_id", "bucket").agg(f.sum("count").alias("count"))
        step = Window.partitionBy("run", "step_id")
        counts = counts.withColumn("seen", f.sum("count").over(step.orderBy("bucket")))
        counts = counts.withColumn("total", f.sum("count").over(step))
        upper, middle = _upper_ns(f.col("bucket")), _middle_ns(f.col("bucket"))
        found = [
            (f.min(f.when(f.col("seen") * 100 >= f.col("total") * percent, upper)) / 1e6).alias(name)
            for name, percent in PERCENTILES.items()
        ]
        mean = (f.sum(f.col("count") * middle) / f.sum("count") / 1e6).alias("mean_ms")
        return counts.groupBy("run", "step_id").agg(mean, *found)

    def _costs(self) -> DataFrame:
        from pyspark.sql import functions as f

        server = f.col("part") == "server"
        cpu_us = f.col("cpu_ns") / 1000
        return self.processes.groupBy("run", "step_id").agg(
            f.sum(cpu_us).alias("cpu_us"),
            f.sum(f.when(server, cpu_us)).alias("server_us"),
            f.sum(f.when(~server, cpu_us)).alias("load_us"),
            f.sum(f.col("switches_voluntary") + f.col("switches_forced")).alias("switches_each"),
            f.sum(f.when(server, f.col("rss_bytes") / 1e6)).alias("server_mb"),
            f.sum(f.when(server, f.col("cpu_ns") / 1e9)).alias("server_busy"),
            f.max(f.col("busiest_thread_ns") / 1e9).alias("busiest_thread"),
        )

    def _log(self) -> DataFrame:
        from pyspark.sql import functions as f

        def counted(name: str) -> Column:
            return f.sum(f.when(f.col("name") == name, f.col("value")))

        return self.facts.groupBy("run", "step_id").agg(
            counted("log_syncs").alias("syncs_each"), counted("log_bytes_written").alias("written_bytes_each")
        )

    def _read(self, name: str) -> DataFrame:
        from pyspark.sql import functions as f

        frames = []
        for folder in self._folders:
            files = [str(path.resolve()) for path in folder.files(name)]
            frame = self._spark.read.parquet(*files)
            frames.append(frame.withColumn("run", f.lit(str(folder.about().get("run_id", folder.path.name)))))
        whole = frames[0]
        for other in frames[1:]:
            whole = whole.unionByName(other)
        return whole


def open_runs(*paths: str | Path, spark: SparkSession | None = None) -> Runs:
    """Open the folders of runs as DataFrames, on a session of Spark that is given or started."""
    if spark is None:
        from penstock.spark import session

        spark = session()
    return Runs([RunFolder.existing(Path(path)) for path in paths], spark)


def _upper_ns(bucket: Column) -> Any:
    """The largest time of a bucket, as `histogram.upper_ns` has it."""
    from pyspark.sql import functions as f

    shift = f.floor(bucket / histogram.STEPS) - 1
    top = (bucket % histogram.STEPS + histogram.STEPS + 1) * f.pow(f.lit(2.0), shift) - 1
    return f.when(bucket < histogram.STEPS, bucket.cast("double")).otherwise(top)


def _middle_ns(bucket: Column) -> Any:
    from pyspark.sql import functions as f

    below = f.when(bucket == 0, f.lit(-1.0)).otherwise(_upper_ns(bucket - 1))
    return (below + 1 + _upper_ns(bucket)) / 2
