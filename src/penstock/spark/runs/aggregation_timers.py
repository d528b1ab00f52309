"""The timers of aggregations beside a flow on Spark: threads of the driver, one for each AggregateReply.

Endings and repeated checks are units of work on the queue manager, as inline
(`flow.running.aggregation_listener`): a driver that is killed in one leaves nothing half done, and two
drivers do no harm. The difference is where replies may still wait: in a batch in progress. Times are put
times, so a batch delays the end of an aggregation, by a minute at most.
"""

from __future__ import annotations

import logging
import threading
from typing import TYPE_CHECKING, Any

from penstock.flow.nodes.aggregate_reply import AggregateReply
from penstock.flow.running.aggregation_listener import AggregationListener
from penstock.model.errors import MQError
from penstock.spark.remote_queue_manager import BROKEN, connected

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.spark.remote_queue_manager import RemoteQueueManager

logger = logging.getLogger(__name__)
AGAIN_SECONDS = 0.5  # before a queue manager that is away is tried again


class BatchTimers(AggregationListener):
    """Timers that know batches: a reserved reply is still to be processed."""

    _reserved: list[float] | None = None  # put times of the oldest in each batch, read once per step

    def step(self) -> int:
        self._reserved = None
        return super().step()

    def _replies_wait(self, due: float) -> bool:
        if super()._replies_wait(due):
            return True
        if self._reserved is None:
            ours = {f"{self.flow.name}/{label}" for label in self.flow.inputs}
            held = (each.oldest for each in self.qm.batches.listing() if each.flow in ours)
            self._reserved = [oldest for oldest in held if oldest is not None]
        return any(oldest <= due for oldest in self._reserved)


class Timers:
    """The timers of a flow while it runs on Spark. `start`, then `finish` when its queries have ended."""

    def __init__(self, flow: CompiledFlow, remote: RemoteQueueManager, sources: dict[str, Any]) -> None:
        self._flow = flow
        self._remote = remote
        self._sources = sources
        self._stop = threading.Event()
        self._failures: list[MQError] = []
        self._threads = [
            threading.Thread(target=self._keep_time, args=(label,), name=f"{flow.name}.{label}", daemon=True)
            for label in collecting(flow)
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def finish(self) -> None:
        """Process what is due now, and end; raise the error of a timer."""
        self._stop.set()
        for thread in self._threads:
            thread.join()
        if self._failures:
            raise self._failures[0]

    def _keep_time(self, label: str) -> None:
        while True:
            try:
                with connected(self._remote) as qm:
                    listener = BatchTimers(self._flow, label, qm, sources=self._sources)
                    listener.run(self._stop)
                    self._last_look(label, qm)
                return
            except MQError as failure:
                if failure.reason not in BROKEN:
                    logger.warning("aggregation_timers_ended node=%s reason=%s", label, failure)
                    self._failures.append(failure)
                    return
            if self._stop.wait(AGAIN_SECONDS):
                return

    def _last_look(self, label: str, qm: BlockingQueueManager) -> None:
        """Process what has become due with the last batch, before the run ends."""
        BatchTimers(self._flow, label, qm, sources=self._sources).run(threading.Event(), until_empty=True)


def collecting(flow: CompiledFlow) -> list[str]:
    """Return the labels of the nodes that collect replies."""
    return [label for label, node in flow.flat.nodes.items() if isinstance(node, AggregateReply)]
