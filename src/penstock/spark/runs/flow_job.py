"""A flow on Spark: one query for each of its queues, in the fused plan, exactly once.

`run` is the job that `resident.run_job` gets by name: it checks that Spark can give the guarantees of the
flow, starts the queries, and reports every batch. Driver and tasks reach the queue manager at the same
address, so on a cluster it has to be one that the workers can reach. Room `flow` decides what a flow means.
"""

from __future__ import annotations

import threading
import time
import uuid
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.spark.failures import told
from penstock.spark.remote_queue_manager import queue_manager_of
from penstock.spark.runs.aggregation_timers import Timers, collecting
from penstock.spark.runs.flow_queries import FlowQueries
from penstock.spark.runs.flow_work import fixed_sources
from penstock.spark.runs.spark_run import SparkRun
from penstock.spark.starting.session import master_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.flow.graph.compiled import CompiledFlow

EVENTS_SECONDS = 60.0  # for Spark's events; on a busy machine 5 made a run that was done fail
FAILURES = ("failed", "given_up", "lost")


def run(
    spark: SparkSession,
    arguments: dict[str, Any],
    tell: Callable[[dict[str, Any]], None],
    stopped: threading.Event,
) -> dict[str, Any]:
    """Run a flow until it is stopped, or its queues are empty; return the counts."""
    from penstock.spark.runs.progress import BatchDone, Ended, Started, watch

    given, begun = SparkRun(**arguments), time.monotonic()
    done = dict.fromkeys(("messages", "outputs", "bytes", "batches", *FAILURES), 0)

    ours: set[str] = set()
    ended, mark = threading.Event(), uuid.uuid4().hex  # other runs of this flow may share the session

    def hear(event: object) -> None:
        if isinstance(event, Started) and event.name.endswith(mark):
            ours.add(event.query)
        if isinstance(event, Ended):
            ended.set()
        if isinstance(event, BatchDone) and event.rows and event.query in ours:
            done["messages"] += event.rows
            done["outputs"] += event.outputs or 0
            done["bytes"] += event.bytes or 0
            done["batches"] += 1
            for name in FAILURES:
                done[name] += getattr(event, name)
            tell(
                {**done, "rate": round(event.rows_per_second), "seconds": event.seconds, "depth": event.depth}
            )

    with told(), watch(spark, hear):
        flow = given.compiled()
        timers = Timers(flow, queue_manager_of(given.source_options()), fixed_sources(given.fixed))
        if given.also and collecting(flow):
            raise error(mq.PSRC_FLOW_ENGINE, "an aggregation is kept by one queue manager: leave out --also")
        queries = FlowQueries(spark, given, flow, tell, ended, mark)
        queries.start()
        tell({"step": "flow"})
        timers.start()
        released = 0
        try:
            queries.watch(stopped)
        finally:
            try:
                queries.end()
            except Exception:
                queries.release_after_failure()
                raise
            finally:
                timers.finish()
        if stopped.is_set():
            released = queries.release()
        else:
            queries.check_not_overtaken()
        settle_events(spark)
    seconds = time.monotonic() - begun
    queries.check_all_reached()
    facts = {"flow": given.flow, "engine": "spark", "master": master_of(spark), **done, "released": released}
    return {**facts, "seconds": round(seconds, 3), "rate": round(done["messages"] / seconds, 1)}


def start(
    spark: SparkSession, given: SparkRun, flow: CompiledFlow | None = None
) -> dict[str, StreamingQuery]:
    """Start a flow; return its queries by their names."""
    made = FlowQueries(spark, given, flow or given.compiled())
    made.start()
    return made.queries


def settle_events(spark: SparkSession, seconds: float = EVENTS_SECONDS) -> None:
    """Wait until Spark's listener has received everything: events arrive in another thread."""
    bus = getattr(getattr(spark, "_jsparkSession", None), "sparkContext", None)
    if bus is not None:
        bus().listenerBus().waitUntilEmpty(round(seconds * 1000))
