"""What `spark_flows` lets a warm session run: the same transformation in three ways, and single messages.

Each is a job by name as `penstock.spark.starting.resident` takes it; Spark's Python workers import this
module too. Times are taken here, beside Spark, and do not include asking for the job.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import penstock
from penstock.spark.format.archives import read_archive
from penstock.spark.runs import flow_job
from penstock.spark.runs.flow_rows import flow_rows
from penstock.spark.runs.spark_run import SparkRun
from tests.bench.esql_programs import lxml_complex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import DataFrame, SparkSession

LOOPS = 5
WAIT_SECONDS = 60.0
LATENCIES_MEASURED = 20
ELEMENT = "struct<COMPONENT: string, QUEUE: string>"
DOCUMENT = (
    "A1 string, TestCase struct<Stack: struct<ProcessingPath: "
    f"struct<Element: array<{ELEMENT}>>>>, Pad string"
)


def parquet_to_parquet(
    spark: SparkSession, arguments: dict[str, Any], tell: Any, stopped: Any
) -> dict[str, Any]:
    """Run one of the ways over an archive; `arguments` name it, the archive and the folder to write."""
    way: Callable[[SparkSession, dict[str, Any]], DataFrame] = WAYS[arguments["way"]]
    began = time.perf_counter()
    way(spark, arguments).write.mode("overwrite").parquet(arguments["target"])
    return {"seconds": time.perf_counter() - began}


def as_flow(spark: SparkSession, arguments: dict[str, Any]) -> DataFrame:
    """Our flow."""
    return flow_rows(read_archive(spark, arguments["archive"]), arguments["flow"])


def by_hand(spark: SparkSession, arguments: dict[str, Any]) -> DataFrame:
    """The job that a person would write: pandas and lxml."""
    rows = spark.read.parquet(arguments["archive"]).select("msg_id", "body")
    return rows.mapInPandas(_over_frames, "msg_id binary, body binary")


def _over_frames(frames: Iterator[Any]) -> Iterator[Any]:
    work = lxml_complex(LOOPS)
    for frame in frames:
        frame["body"] = [work(body) for body in frame["body"]]
        yield frame


def with_xml_functions(spark: SparkSession, arguments: dict[str, Any]) -> DataFrame:
    """Spark's own functions, without any Python; the loop runs once, for its rounds give the same."""
    from pyspark.sql import functions as f

    rows = spark.read.parquet(arguments["archive"])
    parsed = rows.select("msg_id", f.from_xml(f.col("body").cast("string"), DOCUMENT).alias("d"))
    components = f.transform(
        "d.TestCase.Stack.ProcessingPath.Element",
        lambda each: f.struct(
            each["COMPONENT"].alias("Name"),
            f.struct(f.lit("A").alias("_Type"), each["QUEUE"].alias("Queue")).alias("Transport"),
        ),
    )
    case = f.col("d.TestCase").withField("ProcessingPath", f.struct(components.alias("Component")))
    made = parsed.select("msg_id", f.struct("d.A1", case.alias("TestCase"), "d.Pad").alias("d"))
    return made.select("msg_id", f.to_xml("d", {"rowTag": "CSIM"}).alias("body"))


WAYS = {"flow": as_flow, "hand": by_hand, "functions": with_xml_functions}


def single_messages(
    spark: SparkSession, arguments: dict[str, Any], tell: Any, stopped: Any
) -> dict[str, Any]:
    """Run a flow continuously and put messages one by one; return the seconds until each was out."""
    given = SparkRun(**arguments["run"])
    queries = flow_job.start(spark, given)
    try:
        with penstock.connect(given.url, home=given.options["home"], share=False) as qm:
            took = [_trip(qm, arguments["body"].encode()) for _ in range(LATENCIES_MEASURED + 1)]
    finally:
        for query in queries.values():
            query.stop()
    return {"seconds": took[1:]}  # the first one waits for the query's start


def _trip(qm: Any, body: bytes) -> float:
    began = time.perf_counter()
    qm.put("IN", body, persistent=True)
    if qm.get("OUT", wait=WAIT_SECONDS) is None:
        raise TimeoutError("the flow on Spark has not put the message")
    return time.perf_counter() - began
