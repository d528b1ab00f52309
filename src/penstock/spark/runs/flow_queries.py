"""The streaming queries of one run of a flow: started, watched, found again, and stopped in order.

Spark finishes a batch of a query before it plans the next one. With more than one batch waiting, a second
query therefore takes messages of the same queue, as a flow of its own (`orders/In~2`): its tasks work while
the first query commits and plans, and the other way round. Each has its own reservations, epoch and
checkpoint, so every batch is still done once. The second query ends when the backlog is gone.
"""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.on_queues import define_missing
from penstock.flow.nodes.mq_input import MQInput
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.spark.failures import as_error
from penstock.spark.remote_queue_manager import BROKEN, depth_of, queue_manager_of
from penstock.spark.runs import fused
from penstock.spark.runs.query_state import (
    POLL_SECONDS,
    came_up_late,
    is_in_batch,
    last_batch,
    wait_for_sources,
    waiting,
)
from penstock.spark.runs.run_checks import check, check_different
from penstock.spark.runs.spark_run import SECOND, checkpoint_of, may_overlap, of_query
from penstock.spark.starting.session import cores_of, is_local, master_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.spark.remote_queue_manager import RemoteQueueManager
    from penstock.spark.runs.spark_run import SparkRun

WORK = "penstock.spark.runs.flow_work:make"
SETTLE_SECONDS = 0.05
LOOK_SECONDS = 0.02  # between looks at events of this process, which cost nothing
AWAY_SECONDS = 2.0  # between attempts to reach a queue manager that was lost
RESTARTS_MAX = 8  # for each query
STOP_SECONDS = 6.0  # how long a stop waits for the current batch, before it gives it up
NOT_RESERVED, OVERTAKEN = mq.PSRC_RESERVATION_UNKNOWN, mq.PSRC_EPOCH_STALE


def hear_nothing(event: dict[str, Any]) -> None:
    """Ignore the reports of a run."""


class FlowQueries:
    """The queries of one run of a flow: one for each input at each queue manager, by their names.

    Each has slices, an epoch and a checkpoint of its own, so a queue manager that is lost stops its own
    queries only; they start again when it answers. The name of a second query ends with `SECOND`.
    """

    def __init__(
        self,
        spark: SparkSession,
        given: SparkRun,
        flow: CompiledFlow,
        tell: Callable[[dict[str, Any]], None] = hear_nothing,
        ended: threading.Event | None = None,
        mark: str = "",
    ) -> None:
        self.spark = spark
        self.given = given
        self.flow = flow
        self.queries: dict[str, StreamingQuery] = {}
        self.lost: dict[str, MQError] = {}  # queries whose queue manager does not answer, with the reason
        self._ended = ended or threading.Event()  # set when Spark reports the end of a query
        self._tell = tell
        self._mark = mark  # ends the names of the queries in Spark, which are unique in a session
        self._epochs: dict[str, tuple[RemoteQueueManager, str, int]] = {}
        self._runs: dict[str, tuple[SparkRun, str]] = {}  # by the name of the query: run and label
        self._helped: dict[str, int | None] = {}  # the batch after which a second query was started
        self._next_try = 0.0

    def start(self) -> None:
        """Start all of them, or none; of several queue managers, those that answer."""
        for run in self.given.each():
            check(self.flow, run.url, master_of(self.spark))
        if self.given.also:
            check_different(self.given)
        try:
            for number, run in enumerate(self.given.each()):
                for label, node in self.flow.inputs.items():
                    if isinstance(node, MQInput):
                        name = f"{run.flow}/{label}{f'@{number}' if number else ''}"
                        self._runs[name] = self._runs[name + SECOND] = (run, label)
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
            depth = self._start_one(name, *self._runs[name])
        except MQError as failure:
            if not self.given.also or failure.reason not in BROKEN:
                raise
            self._lost(name, failure)
            return
        if self.given.also:  # that many processes at once may not start in time
            wait_for_sources(self.queries[name], threading.Event())
        helps = self._may_help(name) and name + SECOND not in self.queries
        if helps and depth > self._runs[name][0].batch_rows:
            self._helped[name] = None
            self._start_or_lose(name + SECOND)

    def _start_one(self, name: str, run: SparkRun, label: str) -> int:
        """Start a query; return how many messages wait on its queue."""
        far, second = not is_local(master_of(self.spark)), name.endswith(SECOND)
        options, arguments = of_query(run, self.flow, label, far=far)
        if options["partitions"] == "0":
            options["partitions"] = str(cores_of(self.spark))
        remote = queue_manager_of(run.source_options())
        if self.flow.state_queues:
            remote.do(lambda qm: define_missing(qm, self.flow.state_queues))
        remote.do(lambda qm: depth_of(qm, options["queue"]))  # an unknown queue makes no flow
        if second:
            options["flow"] += SECOND
        else:
            _take_back(remote, options["flow"] + SECOND)
        flow = options["flow"]
        depth = remote.do(lambda qm: depth_of(qm, options["queue"]))
        epoch = remote.do(lambda qm: qm.batches.new_epoch(flow))
        self._epochs[name] = (remote, flow, epoch)
        self.queries[name] = fused.start(
            self.spark,
            {**options, "epoch": str(epoch)},
            work=WORK,
            arguments=arguments,
            checkpoint=str(checkpoint_of(run, flow)),
            until_empty=run.until_empty or second,
            interval_seconds=run.interval_seconds,
            name=f"{name} {self._mark}",
        )
        return depth

    def watch(self, stopped: threading.Event) -> None:
        """Wait until all have ended, or one has failed; after a stop, until each has finished its batch."""
        again = RESTARTS_MAX * len(self._runs)
        while not self._paused(stopped):
            late = [name for name, query in self.queries.items() if came_up_late(query)][:again]
            for name in late:
                del self.queries[name]
                self._start_or_lose(name)
                again -= 1
            if late:
                continue  # one of them may be late once more
            self._lose()
            self._find_again()
            self._help()
            if self._is_over():
                return
        before = {query: last_batch(query) for query in self.queries.values()}
        deadline = time.monotonic() + STOP_SECONDS
        for query, batch in before.items():
            while time.monotonic() < deadline and is_in_batch(query) and last_batch(query) == batch:
                time.sleep(SETTLE_SECONDS)

    def _is_over(self) -> bool:
        """Return whether all queries have ended well, or one has failed for good.

        A query may end between two steps of `watch`: one that only lost its queue manager is the next step's.
        """
        ended = {name: query for name, query in self.queries.items() if not query.isActive}
        failed = [name for name, query in ended.items() if query.exception() is not None]
        if failed:
            return any(
                self._loss(self.queries[name]) is None and not self._is_done_second(name) for name in failed
            )
        return len(ended) == len(self.queries) and self._may_end()

    def _paused(self, stopped: threading.Event) -> bool:
        """Wait a while, or until Spark reports the end of a query; return whether to stop."""
        deadline = time.monotonic() + POLL_SECONDS
        while not stopped.wait(LOOK_SECONDS) and time.monotonic() < deadline and not self._ended.is_set():
            pass
        self._ended.clear()
        return stopped.is_set()

    # -- the second query ------------------------------------------------------------------

    def _may_help(self, name: str) -> bool:
        """Return whether a second query may take messages of the same queue."""
        return not name.endswith(SECOND) and may_overlap(self.flow, self._runs[name][1])

    def _help(self) -> None:
        """Start a second query where more than one batch waits; drop one that is done."""
        for name in list(self.queries):
            if self._is_done_second(name):
                del self.queries[name]
        for name, query in list(self.queries.items()):
            batch = last_batch(query) if self._may_help(name) else None
            if (
                batch is None
                or batch == self._helped.get(name, -1)
                or name + SECOND in self.queries
                or not query.isActive
                or waiting(query) <= self._runs[name][0].batch_rows
            ):
                continue
            self._helped[name] = batch
            self._start_or_lose(name + SECOND)

    def _is_done_second(self, name: str) -> bool:
        """Return whether this is a second query that has ended well, or that another run has taken over.

        That run has taken over the first query too, which then ends with this error.
        """
        second = self.queries[name]
        if not name.endswith(SECOND) or second.isActive:
            return False
        failure = second.exception()
        reason = as_error(str(failure)) if failure is not None else None
        return failure is None or (reason is not None and reason.reason == OVERTAKEN)

    # -- queue managers that do not answer -------------------------------------------------

    def _lose(self) -> None:
        """Drop queries whose queue manager does not answer, if there are others."""
        for name, query in list(self.queries.items()):
            reason = self._loss(query)
            if reason is not None:
                del self.queries[name]
                self._lost(name, reason)

    def _loss(self, query: StreamingQuery) -> MQError | None:
        """Return why a query has lost its queue manager, if there are others; None if it has not."""
        failure = None if query.isActive or not self.given.also else query.exception()
        reason = as_error(str(failure)) if failure is not None else None
        return reason if reason is not None and reason.reason in BROKEN else None

    def _lost(self, name: str, reason: MQError) -> None:
        if not name.endswith(SECOND):  # its first query is lost too, and starts it again
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
            if name + SECOND in self.queries:
                continue  # it ends with the error of the first one, or with its own batches
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

    def check_not_overtaken(self) -> None:
        """Refuse to call a run done that Spark has stopped for a later run of the same session: 8031."""
        for name, (remote, flow, epoch) in self._epochs.items():
            if name.endswith(SECOND) or name in self.lost:
                continue
            now = epoch
            with suppress(MQError):  # the queries have ended well; one that cannot be asked has no news
                known = {each.flow: each.epoch for each in remote.do(lambda qm: qm.batches.listing())}
                now = known.get(flow, epoch)
            if now != epoch:
                raise error(OVERTAKEN, f"flow {flow} is at epoch {now}; {epoch} may not go on", flow=flow)

    # -- the end of a run ------------------------------------------------------------------

    def end(self) -> None:
        """Stop what still runs, and raise the error of a query that ended by itself."""
        self._lose()
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


def _take_back(remote: RemoteQueueManager, flow: str) -> None:
    """Shut out the second query of an earlier run, and return what it has reserved to the queue."""
    if any(each.flow == flow for each in remote.do(lambda qm: qm.batches.listing())):
        epoch = remote.do(lambda qm: qm.batches.new_epoch(flow))
        _released(remote, flow, epoch)


def _released(remote: RemoteQueueManager, name: str, epoch: int) -> int:
    try:
        return int(remote.do(lambda qm: qm.batches.release(name, epoch=epoch)))
    except MQError as failure:
        if failure.reason in (NOT_RESERVED, OVERTAKEN) or failure.reason in BROKEN:
            return 0  # nothing is held; or another run has it; or the next run takes it over
        raise
