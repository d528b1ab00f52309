"""A flow on Spark: one query for each of its queues, in the fused plan, exactly once.

`run` is the job that `resident.run_job` is given by name: it checks that Spark can promise what the flow asks
for, starts the queries, and tells of every batch. Driver and tasks reach the queue manager by the same
address, so on a cluster it has to be one that the workers can reach. Room `flow` says what a flow means.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.on_queues import define_missing
from penstock.flow.engines import why_not_spark
from penstock.flow.loading import compiled_flow
from penstock.flow.nodes.mq_input import MQInput
from penstock.model.constants_reasons import PSRC_FLOW_ENGINE
from penstock.model.errors import error
from penstock.spark import fused
from penstock.spark.aggregation_timers import Timers, collecting
from penstock.spark.failures import told
from penstock.spark.flow_work import fixed_sources, work_arguments
from penstock.spark.remote_queue_manager import queue_manager_of
from penstock.spark.session import is_local, master_of, spark_folder
from penstock.wire.client.address import is_address

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.flow.graph.compiled import CompiledFlow

JOB = "penstock.spark.flow_job:run"
WORK = "penstock.spark.flow_work:make"
BATCH_ROWS = 100_000  # a batch costs half a second whatever it holds
POLL_SECONDS = 0.2
RESTARTS_MAX = 8
INITIALIZING = "Initializing sources"
NOT_IN_TIME = "Python worker failed to connect back"
NOT_FOR_WORK = ("queue", "flow", "maxRows", "partitions")


@dataclass(frozen=True)
class SparkRun:
    """What a flow is run with: its project, the queue manager, batches, and what was set.

    `checkpoint` is a folder that belongs to this flow on this queue manager; without one it is found below
    PENSTOCK_HOME. `options` are further ones of the source: user, passwordFile, home ... `fixed` gives the
    tasks a seed and a time, so that two runs can be compared.
    """

    project: str
    flow: str
    url: str
    properties: dict[str, str] = field(default_factory=dict)
    batch_rows: int = BATCH_ROWS
    partitions: int = 2
    until_empty: bool = False
    interval_seconds: float = 0.0
    checkpoint: str = ""
    options: dict[str, str] = field(default_factory=dict)
    fixed: dict[str, Any] = field(default_factory=dict)

    def compiled(self) -> CompiledFlow:
        """Return the flow, with its properties set and checked."""
        return compiled_flow(self.project, self.flow, self.properties)

    def source_options(self) -> dict[str, str]:
        """Return what tells a source where its queue manager is."""
        return {**self.options, "url": self.url}

    def arguments(self) -> dict[str, Any]:
        """Return all of it as plain values, for a job."""
        return asdict(self)


def run(
    spark: SparkSession,
    arguments: dict[str, Any],
    tell: Callable[[dict[str, Any]], None],
    stopped: threading.Event,
) -> dict[str, Any]:
    """Run a flow until it is stopped, or its queues are empty; return what was done."""
    from penstock.spark.progress import BatchDone, Started, watch

    given, begun = SparkRun(**arguments), time.monotonic()
    done = {"messages": 0, "outputs": 0, "bytes": 0, "batches": 0}

    ours: set[str] = set()

    def hear(event: object) -> None:
        if isinstance(event, Started) and event.name.startswith(f"{given.flow}/"):
            ours.add(event.query)
        if isinstance(event, BatchDone) and event.rows and event.query in ours:
            done["messages"] += event.rows
            done["outputs"] += event.outputs or 0
            done["bytes"] += event.bytes or 0
            done["batches"] += 1
            tell(
                {**done, "rate": round(event.rows_per_second), "seconds": event.seconds, "depth": event.depth}
            )

    with told(), watch(spark, hear):
        flow = given.compiled()
        timers = Timers(flow, queue_manager_of(given.source_options()), fixed_sources(given.fixed))
        queries = start(spark, given, flow)
        timers.start()
        again = RESTARTS_MAX
        try:
            while not stopped.wait(POLL_SECONDS):
                for label in [each for each, query in queries.items() if came_up_late(query)][:again]:
                    queries[label] = _start_one(spark, given, flow, label)
                    again -= 1
                    wait_for_sources(queries[label], stopped)
                ended = [query for query in queries.values() if not query.isActive]
                if len(ended) == len(queries) or any(query.exception() for query in ended):
                    break
        finally:
            try:
                _end(queries)
            finally:
                timers.finish()
        settle_events(spark)
    seconds = time.monotonic() - begun
    facts = {"flow": given.flow, "engine": "spark", "master": master_of(spark), **done}
    return {**facts, "seconds": round(seconds, 3), "rate": round(done["messages"] / seconds, 1)}


def came_up_late(query: StreamingQuery) -> bool:
    """Say whether a query has ended because a busy machine did not start a Python process in time.

    Spark allows it ten seconds and no option changes that. Nothing was done: it may simply begin again.
    """
    return not query.isActive and NOT_IN_TIME in str(query.exception() or "")


def wait_for_sources(query: StreamingQuery, stopped: threading.Event) -> None:
    """Wait until a query's own processes run, so that those of the next need not share the machine."""
    while query.isActive and query.status["message"] == INITIALIZING:
        if stopped.wait(POLL_SECONDS):
            return


def start(
    spark: SparkSession, given: SparkRun, flow: CompiledFlow | None = None
) -> dict[str, StreamingQuery]:
    """Start a flow; return its queries by the label of their input."""
    flow = flow or given.compiled()
    check(flow, given.url, master_of(spark))
    if flow.state_queues:
        queue_manager_of(given.source_options()).do(lambda qm: define_missing(qm, flow.state_queues))
    started: dict[str, StreamingQuery] = {}
    try:
        for label, node in flow.inputs.items():
            if isinstance(node, MQInput):
                started[label] = _start_one(spark, given, flow, label)
    except BaseException:
        for query in started.values():
            query.stop()
        raise
    return started


def check(flow: CompiledFlow, url: str, master: str) -> None:
    """Refuse a run that cannot keep its promise: 8305 with the node or the address."""
    reasons = why_not_spark(flow)
    if reasons:
        text = "\n".join(map(str, reasons))
        raise error(PSRC_FLOW_ENGINE, f"flow {flow.name} cannot run on Spark\n{text}", nodes=reasons)
    check_address(url, master)


def check_address(url: str, master: str) -> None:
    """Refuse a queue manager that workers cannot reach: 8305."""
    if not is_local(master) and not is_address(url):
        raise error(
            PSRC_FLOW_ENGINE,
            f"workers of {master} cannot reach queue manager {url} by its name: give an mq:// address",
        )


def _start_one(spark: SparkSession, given: SparkRun, flow: CompiledFlow, label: str) -> StreamingQuery:
    options, arguments = of_query(given, flow, label, far=not is_local(master_of(spark)))
    name = options["flow"]
    return fused.start(
        spark,
        options,
        work=WORK,
        arguments=arguments,
        checkpoint=str(checkpoint_of(given, name)),
        until_empty=given.until_empty,
        interval_seconds=given.interval_seconds,
        name=name,
    )


def of_query(
    given: SparkRun, flow: CompiledFlow, label: str, *, far: bool = False
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the options of the query for one input, and the arguments of its work.

    `far` workers get the project along with them.
    """
    node = flow.inputs[label]
    assert isinstance(node, MQInput)
    options = {
        **given.source_options(),
        "queue": node.queue,
        "flow": f"{given.flow}/{label}",
        "maxRows": str(given.batch_rows),
        # replies of one aggregation change the same records: one task works on them, in order
        "partitions": str(1 if node.is_ordered or collecting(flow) else given.partitions),
    }
    arguments = work_arguments(
        str(given.project),
        given.flow,
        label,
        far=far,
        set=given.properties,
        qmgr=queue_manager_of(options).do(lambda qm: str(qm.name)),
        options={key: value for key, value in options.items() if key not in NOT_FOR_WORK},
        **given.fixed,
    )
    return options, arguments


def _end(queries: dict[str, StreamingQuery]) -> None:
    """Stop what still runs, and raise what one of them has ended with by itself."""
    ended = [query for query in queries.values() if not query.isActive]
    for query in queries.values():
        query.stop()
    for query in ended:
        failure = query.exception()
        if failure is not None:
            raise failure


def settle_events(spark: SparkSession, seconds: float = 5.0) -> None:
    """Wait until Spark's listener has heard everything: events come from a thread of their own."""
    bus = getattr(getattr(spark, "_jsparkSession", None), "sparkContext", None)
    if bus is not None:
        bus().listenerBus().waitUntilEmpty(round(seconds * 1000))


def checkpoint_of(given: SparkRun, name: str) -> Path | str:
    """Return the folder that Spark remembers a flow in: the one given, or one for flow and queue manager."""
    mark = hashlib.sha256(f"{name} {given.url}".encode()).hexdigest()[:16]
    if given.checkpoint:
        return f"{given.checkpoint.rstrip('/')}/{mark}"
    return spark_folder(given.options.get("home")) / "checkpoints" / mark
