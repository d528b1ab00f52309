"""Archived messages through the current flow, and the differences from an earlier run.

`replay` runs a flow over an archive into a Parquet folder; `compare` joins two such folders by the message
that an output came from, its queue, and its position among the outputs there. The flow's clock is fixed and
its ids are derived from those of the messages, so that two runs of an unchanged flow are equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import Descriptor
from penstock.model.rfh2 import detach_properties
from penstock.spark.failures import told
from penstock.spark.format.archives import is_empty, is_left_over, local_paths, nothing_in, read_archive
from penstock.spark.runs.flow_rows import flow_rows
from penstock.spark.runs.flow_work import work_arguments
from penstock.spark.starting.session import is_local, master_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pyspark.sql import DataFrame, SparkSession

SAMPLES = 20
TO_QUEUES = "queues"
TOLD = ("source_id", "place", "failed")  # about an output, not of it
FIXED = {"seed": 0, "now": 0.0}
KEY = ("source_id", "queue", "topic", "number")
COMPARED = ("body", "format", "reply_to", "persistent", "priority")


def replay(
    spark: SparkSession,
    arguments: Mapping[str, Any],
    archive: str,
    target: str,
    *,
    form: str = "",
    span: tuple[str, str] = ("", ""),
    options: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Run a flow over an archive; return how many messages were read, failed, and were put, by queue.

    `target` is a new folder for Parquet, or that of a run which did not end, or "queues": then `options`
    specify the queue manager. `span` is since when and until when messages were put.
    """
    messages = read_archive(spark, archive, form, *span)
    made = flow_rows(messages, {**FIXED, **arguments})
    if target == TO_QUEUES:
        return _to_queues(messages, made, dict(options or {}))
    made.write.mode("overwrite" if is_left_over(target) else "errorifexists").parquet(target)
    return counts(messages.count(), spark.read.parquet(target))


def _to_queues(messages: DataFrame, made: DataFrame, options: dict[str, str]) -> dict[str, Any]:
    if "url" not in options:
        raise error(mq.PSRC_SPARK_OPTION, "which queue manager? An option url is needed to put to queues")
    kept = made.cache()
    try:
        kept.drop(*TOLD).write.format("penstock").options(**options).mode("append").save()
        return counts(messages.count(), kept)
    finally:
        kept.unpersist()


def counts(messages: int, made: DataFrame) -> dict[str, Any]:
    """Return how many messages failed, and how many were put, by queue or topic."""
    from pyspark.sql import functions as f

    firsts = f.sum(f.when(f.col("failed") & (f.col("place") == 0), 1).otherwise(0)).alias("failed")
    to = f.coalesce("queue", "topic").alias("to")
    found = made.groupBy(to).agg(f.count("*").alias("outputs"), firsts).collect()
    by_queue = {str(row["to"]): int(row["outputs"]) for row in found}
    return {
        "messages": messages,
        "failed": sum(int(row["failed"]) for row in found),
        "outputs": sum(by_queue.values()),
        "queues": dict(sorted(by_queue.items())),
    }


def compare(spark: SparkSession, before: str, now: str, samples: int = SAMPLES) -> dict[str, Any]:
    """Return how many outputs of two runs are equal, changed, or only in one; with examples."""
    from pyspark.sql import functions as f

    old, new = _numbered(spark.read.parquet(before)), _numbered(spark.read.parquet(now))
    same_key = [f.col(f"old.{name}").eqNullSafe(f.col(f"new.{name}")) for name in KEY]
    joined = old.alias("old").join(new.alias("new"), same_key, "full_outer")
    changed = f.lit(False)
    for name in COMPARED:
        changed = changed | ~f.col(f"old.{name}").eqNullSafe(f.col(f"new.{name}"))
    verdict = (
        f.when(f.col("old.number").isNull(), "only_now")
        .when(f.col("new.number").isNull(), "only_before")
        .when(changed, "changed")
        .otherwise("same")
    )
    judged = joined.select(
        verdict.alias("verdict"),
        f.coalesce("old.source_id", "new.source_id").alias("source_id"),
        f.coalesce("old.queue", "new.queue", "old.topic", "new.topic").alias("to"),
        f.col("old.body").alias("before"),
        f.col("new.body").alias("now"),
        f.col("old.format").alias("before_format"),
        f.col("new.format").alias("now_format"),
    ).cache()
    try:
        found = {
            str(row["verdict"]): int(row["count"]) for row in judged.groupBy("verdict").count().collect()
        }
        differing = judged.where("verdict <> 'same'").orderBy("source_id", "to").limit(samples).collect()
    finally:
        judged.unpersist()
    totals = {name: found.get(name, 0) for name in ("same", "changed", "only_before", "only_now")}
    return {**totals, "samples": [_sample(row) for row in differing]}


def _numbered(rows: DataFrame) -> DataFrame:
    """Number the outputs of a message at each queue: a message may put several there."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    window = Window.partitionBy("source_id", "queue", "topic").orderBy("place", "body")
    return rows.withColumn("number", f.row_number().over(window)).select(*KEY, *COMPARED)


def _sample(row: Any) -> dict[str, Any]:
    before, now = (behind_properties(row[name], row[f"{name}_format"]) for name in ("before", "now"))
    if before == now:  # the properties differ, or a column
        before, now = row["before"], row["now"]
    return {
        "verdict": row["verdict"],
        "source_id": bytes(row["source_id"]).hex(),
        "to": row["to"],
        "before": _text(before),
        "now": _text(now),
    }


def behind_properties(body: bytes | bytearray | None, format: str | None) -> bytes | None:
    """Return a body without the properties in front of it, which would hide it from a reader."""
    if body is None:
        return None
    try:
        return detach_properties(bytes(body), Descriptor(format=(format or "").strip()))[1]
    except MQError:
        return bytes(body)


def _text(body: bytes | bytearray | None) -> str | None:
    return None if body is None else bytes(body).decode("utf-8", "backslashreplace")


def job(
    spark: SparkSession, arguments: dict[str, Any], tell: Callable[[dict[str, Any]], None], stopped: Any
) -> dict[str, Any]:
    """Replay and compare, as a job by name; `arguments` are those of the command."""
    given = dict(arguments)
    compared = given.pop("compare", "")
    work: dict[str, Any] = {
        name: given.pop(name) for name in ("project", "flow", "input", "set") if name in given
    }
    with told():
        if compared:
            check_comparison(spark, compared, given["target"])
        facts = replay(spark, work_arguments(**work, far=not is_local(master_of(spark))), **given)
        if compared:
            facts["difference"] = compare(spark, compared, given["target"])
    return facts


def check_paths(archive: str, target: str, before: str = "") -> None:
    """Refuse, before Spark starts, missing local paths and an existing target: 8405."""
    for path in filter(None, (archive, before)):
        if local_paths(path) == []:
            raise error(mq.PSRC_SPARK_OPTION, f"{path} does not exist")
        if is_empty(path):
            raise nothing_in(path)
    if target != TO_QUEUES and local_paths(target) and not is_left_over(target):
        raise error(mq.PSRC_SPARK_OPTION, f"{target} exists already: give another folder, or remove it")


def check_comparison(spark: SparkSession, before: str, target: str) -> None:
    """Refuse, before a large archive is processed, what could not be compared afterwards: 8405."""
    if target == TO_QUEUES:
        raise error(mq.PSRC_SPARK_OPTION, "outputs on queues cannot be compared: give a folder for this run")
    found = spark.read.parquet(before).columns
    missing = [name for name in (*KEY[:-1], "place", *COMPARED) if name not in found]
    if missing:
        raise error(mq.PSRC_SPARK_OPTION, f"{before} is no earlier run: it has no column {missing[0]}")
