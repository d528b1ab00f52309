"""A flow on Spark: one query for each of its queues, in the fused plan, exactly once.

`run` is the job that `resident.run_job` gets by name: it checks that Spark can give the guarantees of the
flow, starts the queries, and reports every batch. Driver and tasks reach the queue manager at the same
address, so on a cluster it has to be one that the workers can reach. Room `flow` decides what a flow means.
"""

from __future__ import annotations

import hashlib
import threading
import time
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.client.address import is_address
from penstock.flow.aggregation.on_queues import define_missing
from penstock.flow.engines import why_not_spark
from penstock.flow.loading import compiled_flow
from penstock.flow.nodes.mq_input import MQInput
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark import fused
from penstock.spark.aggregation_timers import Timers, collecting
from penstock.spark.failures import as_error, told
from penstock.spark.flow_work import fixed_sources, work_arguments
from penstock.spark.remote_queue_manager import BROKEN, queue_manager_of
from penstock.spark.session import is_local, master_of, spark_folder
from penstock.spark.source import depth_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.spark.remote_queue_manager import RemoteQueueManager

JOB = "penstock.spark.flow_job:run"
WORK = "penstock.spark.flow_work:make"
BATCH_ROWS = 100_000  # a batch costs half a second regardless of its size
POLL_SECONDS = 0.2
SETTLE_SECONDS = 0.05
PATIENCE_SECONDS = 5.0  # with a queue manager that does not answer, while others have work for the tasks
AWAY_SECONDS = 2.0  # between attempts to reach a queue manager that was lost
RESTARTS_MAX = 8  # for each query
INITIALIZING = "Initializing sources"
NOT_IN_TIME = "Python worker failed to connect back"
EVENTS_SECONDS = 60.0  # for Spark's events; on a busy machine 5 made a run that was done fail
STOP_SECONDS = 6.0  # how long a stop waits for the current batch, before it gives it up
NOT_FOR_WORK = ("queue", "flow", "maxRows", "partitions", "epoch")
FAILURES = ("failed", "given_up", "lost")
NOT_RESERVED, OVERTAKEN = mq.PSRC_RESERVATION_UNKNOWN, mq.PSRC_EPOCH_STALE


@dataclass(frozen=True)
class SparkRun:
    """The settings of a run: its project, the queue manager, batches, and properties.

    `checkpoint` is a folder that belongs to this flow on this queue manager; by default it is below
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
    also: list[str] = field(default_factory=list)  # further queue managers, whose queues are read too
    fixed: dict[str, Any] = field(default_factory=dict)

    def compiled(self) -> CompiledFlow:
        """Return the flow, with its properties set and checked."""
        return compiled_flow(self.project, self.flow, self.properties)

    def source_options(self) -> dict[str, str]:
        """Return the source options that locate the queue manager."""
        return {**self.options, "url": self.url}

    def each(self) -> list[SparkRun]:
        """Return this run for each of its queue managers; with several, none is waited for at length."""
        if not self.also:
            return [self]
        options = {"patience": str(PATIENCE_SECONDS), **self.options}
        return [replace(self, url=url, also=[], options=options) for url in (self.url, *self.also)]

    def arguments(self) -> dict[str, Any]:
        """Return everything as plain values, for a job."""
        return asdict(self)


def run(
    spark: SparkSession,
    arguments: dict[str, Any],
    tell: Callable[[dict[str, Any]], None],
    stopped: threading.Event,
) -> dict[str, Any]:
    """Run a flow until it is stopped, or its queues are empty; return the counts."""
    from penstock.spark.progress import BatchDone, Started, watch

    given, begun = SparkRun(**arguments), time.monotonic()
    done = dict.fromkeys(("messages", "outputs", "bytes", "batches", *FAILURES), 0)

    ours: set[str] = set()

    def hear(event: object) -> None:
        if isinstance(event, Started) and event.name.startswith(f"{given.flow}/"):
            ours.add(event.query)
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
        queries = FlowQueries(spark, given, flow, tell)
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
        settle_events(spark)
    seconds = time.monotonic() - begun
    queries.check_all_reached()
    facts = {"flow": given.flow, "engine": "spark", "master": master_of(spark), **done, "released": released}
    return {**facts, "seconds": round(seconds, 3), "rate": round(done["messages"] / seconds, 1)}


def hear_nothing(event: dict[str, Any]) -> None:
    """Ignore the reports of a run."""


class FlowQueries:
    """The queries of one run of a flow: one for each input at each queue manager, by their names.

    Each has slices, an epoch and a checkpoint of its own, so a queue manager that is lost stops its own
    queries only; they start again when it answers.
    """

    def __init__(
        self,
        spark: SparkSession,
        given: SparkRun,
        flow: CompiledFlow,
        tell: Callable[[dict[str, Any]], None] = hear_nothing,
    ) -> None:
        self.spark = spark
        self.given = given
        self.flow = flow
        self.queries: dict[str, StreamingQuery] = {}
        self.lost: dict[str, MQError] = {}  # queries whose queue manager does not answer, with the reason
        self._tell = tell
        self._epochs: dict[str, tuple[RemoteQueueManager, str, int]] = {}
        self._runs: dict[str, tuple[SparkRun, str]] = {}  # by the name of the query: run and label
        self._next_try = 0.0

    def start(self) -> None:
        """Start all of them, or none; of several queue managers, those that answer."""
        for run in self.given.each():
            check(self.flow, run.url, master_of(self.spark))
        try:
            for number, run in enumerate(self.given.each()):
                for label, node in self.flow.inputs.items():
                    if isinstance(node, MQInput):
                        name = f"{run.flow}/{label}{f'@{number}' if number else ''}"
                        self._runs[name] = (run, label)
                        self._start_or_lose(name)
            if not self.queries:
                self.check_all_reached()
        except BaseException:
            for query in self.queries.values():
                query.stop()
            raise

    def _start_or_lose(self, name: str) -> None:
        """Start a query; one of several whose queue manager does not answer is lost for now."""
        try:
            self._start_one(name, *self._runs[name])
        except MQError as failure:
            if not self.given.also or failure.reason not in BROKEN:
                raise
            self._lost(name, failure)
            return
        if self.given.also:  # that many processes at once may not start in time
            wait_for_sources(self.queries[name], threading.Event())

    def _start_one(self, name: str, run: SparkRun, label: str) -> None:
        far = not is_local(master_of(self.spark))
        options, arguments = of_query(run, self.flow, label, far=far)
        flow, remote = options["flow"], queue_manager_of(run.source_options())
        if self.flow.state_queues:
            remote.do(lambda qm: define_missing(qm, self.flow.state_queues))
        remote.do(lambda qm: depth_of(qm, options["queue"]))  # an unknown queue makes no flow
        epoch = remote.do(lambda qm: qm.batches.new_epoch(flow))
        self._epochs[name] = (remote, flow, epoch)
        self.queries[name] = fused.start(
            self.spark,
            {**options, "epoch": str(epoch)},
            work=WORK,
            arguments=arguments,
            checkpoint=str(checkpoint_of(run, flow)),
            until_empty=run.until_empty,
            interval_seconds=run.interval_seconds,
            name=name,
        )

    def watch(self, stopped: threading.Event) -> None:
        """Wait until all have ended, or one has failed; after a stop, until each has finished its batch."""
        again = RESTARTS_MAX * len(self._runs)
        while not stopped.wait(POLL_SECONDS):
            late = [name for name, query in self.queries.items() if came_up_late(query)][:again]
            for name in late:
                del self.queries[name]
                self._start_or_lose(name)
                again -= 1
            if late:
                continue  # one of them may be late once more
            self._lose()
            self._find_again()
            ended = [query for query in self.queries.values() if not query.isActive]
            if (len(ended) == len(self.queries) and self._may_end()) or any(
                query.exception() for query in ended
            ):
                return
        before = {query: last_batch(query) for query in self.queries.values()}
        deadline = time.monotonic() + STOP_SECONDS
        for query, batch in before.items():
            while time.monotonic() < deadline and is_in_batch(query) and last_batch(query) == batch:
                time.sleep(SETTLE_SECONDS)

    def _lose(self) -> None:
        """Let go of queries whose queue manager does not answer, if there are others."""
        for name, query in list(self.queries.items()):
            failure = None if query.isActive or not self.given.also else query.exception()
            reason = as_error(str(failure)) if failure is not None else None
            if reason is not None and reason.reason in BROKEN:
                del self.queries[name]
                self._lost(name, reason)

    def _lost(self, name: str, reason: MQError) -> None:
        self.lost[name] = reason
        self._tell({"away": self._runs[name][0].url, "reason": str(reason)})

    def _find_again(self) -> None:
        """Start the queries of a queue manager again that answers."""
        if not self.lost or time.monotonic() < self._next_try:
            return
        self._next_try = time.monotonic() + AWAY_SECONDS
        for name in list(self.lost):
            run, _ = self._runs[name]
            probe = replace(queue_manager_of(run.source_options()), patience_seconds=0.0)
            try:
                probe.do(lambda qm: qm.batches.listing())
            except MQError:
                continue
            del self.lost[name]
            self._start_or_lose(name)
            if name in self.queries:
                self._tell({"back": run.url})

    def _may_end(self) -> bool:
        """Return whether a run ends when all its queries have ended: a continuous one starts them again."""
        return not self.lost or self.given.until_empty

    def check_all_reached(self) -> None:
        """Refuse to call a run complete that has lost a queue manager: its own error."""
        for name, reason in self.lost.items():
            url = self._runs[name][0].url
            raise error(
                reason.reason, f"{url} was lost, its messages wait there; the others are done: {reason}"
            )

    def end(self) -> None:
        """Stop what still runs, and raise the error of a query that ended by itself."""
        ended = [query for query in self.queries.values() if not query.isActive]
        for query in self.queries.values():
            query.stop()
        for query in ended:
            failure = query.exception()
            if failure is not None:
                raise failure

    def release(self) -> int:
        """Release the reservations of batches that will not run; return the number of messages."""
        return sum(
            _released(replace(remote, patience_seconds=0.0), flow, epoch)
            for remote, flow, epoch in self._epochs.values()
        )

    def release_after_failure(self) -> None:
        """Release what a failed run has reserved, for any other getter; the failure counts, not this."""
        with suppress(MQError):
            self.release()


def _released(remote: RemoteQueueManager, name: str, epoch: int) -> int:
    try:
        return int(remote.do(lambda qm: qm.batches.release(name, epoch=epoch)))
    except MQError as failure:
        if failure.reason in (NOT_RESERVED, OVERTAKEN) or failure.reason in BROKEN:
            return 0  # nothing is held; or another run has it; or the next run takes it over
        raise


def is_in_batch(query: StreamingQuery) -> bool:
    """Return whether a query is running a batch."""
    return bool(query.isActive and query.status["isTriggerActive"])


def last_batch(query: StreamingQuery) -> int | None:
    """Return the number of the last batch that a query has reported."""
    progress = query.lastProgress
    return None if progress is None else int(progress["batchId"])


def came_up_late(query: StreamingQuery) -> bool:
    """Return whether a query has ended because a busy machine did not start a Python process in time.

    Spark allows ten seconds and no option changes that. Nothing was done: it may simply start again.
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
    """Start a flow; return its queries by their names."""
    made = FlowQueries(spark, given, flow or given.compiled())
    made.start()
    return made.queries


def check(flow: CompiledFlow, url: str, master: str) -> None:
    """Refuse a run without the required guarantees: 8305 with the node or the address."""
    reasons = why_not_spark(flow)
    if reasons:
        text = "\n".join(map(str, reasons))
        raise error(mq.PSRC_FLOW_ENGINE, f"flow {flow.name} cannot run on Spark\n{text}", nodes=reasons)
    check_address(url, master)


def check_queues(given: SparkRun) -> None:
    """Refuse a flow that reads a queue that does not exist, before Spark is started: 2085.

    Of several queue managers one may be away, and is looked at when it is back.
    """
    lost: list[MQError] = []
    for run in given.each():
        try:
            remote = queue_manager_of(run.source_options())
            for queue in input_queues(given.compiled()):
                remote.do(partial(depth_of, queue=queue))
        except MQError as failure:
            if failure.reason not in BROKEN:
                raise
            lost.append(failure)
    if len(lost) == len(given.each()):
        raise lost[0]


def input_queues(flow: CompiledFlow) -> list[str]:
    """Return the queues that a flow reads."""
    return [node.queue for node in flow.inputs.values() if isinstance(node, MQInput)]


def check_address(url: str, master: str) -> None:
    """Refuse a queue manager that workers cannot reach: 8305."""
    if not is_local(master) and not is_address(url):
        raise error(
            mq.PSRC_FLOW_ENGINE,
            f"workers of {master} cannot reach queue manager {url} by its name: give an mq:// address",
        )


def of_query(
    given: SparkRun, flow: CompiledFlow, label: str, *, far: bool = False
) -> tuple[dict[str, str], dict[str, Any]]:
    """Return the options of the query for one input, and the arguments of its work.

    `far` workers get the project with the arguments.
    """
    node = flow.inputs[label]
    assert isinstance(node, MQInput)
    options = {
        **given.source_options(),
        "queue": node.queue,
        "flow": f"{given.flow}/{label}",
        "maxRows": str(given.batch_rows),
        # replies of one aggregation change the same records: one task processes them, in order
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


def settle_events(spark: SparkSession, seconds: float = EVENTS_SECONDS) -> None:
    """Wait until Spark's listener has received everything: events arrive in another thread."""
    bus = getattr(getattr(spark, "_jsparkSession", None), "sparkContext", None)
    if bus is not None:
        bus().listenerBus().waitUntilEmpty(round(seconds * 1000))


def checkpoint_of(given: SparkRun, name: str) -> Path | str:
    """Return the checkpoint folder of a flow: the one given, or one for flow and queue manager."""
    mark = hashlib.sha256(f"{name} {given.url}".encode()).hexdigest()[:16]
    if given.checkpoint:
        return f"{given.checkpoint.rstrip('/')}/{mark}"
    return spark_folder(given.options.get("home")) / "checkpoints" / mark
