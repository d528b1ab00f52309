"""An aggregation for tests: a flow that sends requests, one that collects replies, who answers in between.

IN -> AggregateControl -> REQUESTS, REPLIES -> AggregateReply -> OUT, LATE, UNKNOWN, CAUGHT, FAILED. What
reaches OUT and LATE is a line like `TAXI=5 TAXI=7 HOTEL=90`.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.flow import CompiledFlow, Flow
from penstock.flow.aggregation.records import State
from penstock.flow.running.listener import listener_for
from penstock.lab.flows.aggregation import QUEUES, Failing, Summary, fan_in, fan_out

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["QUEUES", "Failing", "Summary", "Trips", "fan_in", "fan_out", "run"]


class Trips:
    """Runs the two flows on a queue manager, each until there is nothing to do."""

    def __init__(self, qm: Any, out: Flow | None = None, back: Flow | None = None, batch: int = 100) -> None:
        self.qm = qm
        for queue in QUEUES:
            qm.mqsc(f"DEFINE QLOCAL({queue}) BOTHRESH(3) BOQNAME(BACKOUT) MAXDEPTH(999999)")
        self.out = CompiledFlow(out or fan_out())
        self.back = CompiledFlow(back or fan_in())
        self.batch = batch

    def begin(self, count: int = 1, *, clock: Callable[[], float] = time.time, **details: Any) -> list[Any]:
        """Begin trips; return the requests, in order."""
        self.qm.put_many("IN", [b"trip"] * count, **{"persistent": True, **details})
        self.fan_out(clock)
        return self.requests()

    def fan_out(self, clock: Callable[[], float] = time.time) -> None:
        """Send the requests of all trips that wait."""
        run(self.qm, self.out, "MQInput", self.batch, clock)

    def requests(self) -> list[Any]:
        """Get the requests that wait."""
        found: list[Any] = []
        while some := self.qm.get_many("REQUESTS", 1000):
            found.extend(some)
        return found

    def answer(self, request: Any, text: str, **details: Any) -> None:
        """Put a reply."""
        details = {"persistent": request.persistent, **details}
        self.qm.put("REPLIES", text.encode(), correl_id=request.msg_id, **details)

    def collect(self, **options: Any) -> Any:
        """Work on all replies."""
        return run(self.qm, self.back, "Replies", self.batch, **options)

    def look(self, seconds: float = 0.0) -> Any:
        """Let the timers work as if it were some seconds later."""
        return run(self.qm, self.back, "AggregateReply", 1, lambda: time.time() + seconds)

    def all(self, queue: str) -> list[str]:
        """Get everything from a queue."""
        return [message.body.decode() for message in self.qm.get_many(queue, 1000)]

    def kept(self) -> dict[str, int]:
        """Return how many records there are of each kind, but for those of which there are none."""
        depths = {state.name: sum(1 for _ in self.qm.browse(state.value)) for state in State}
        return {name: depth for name, depth in depths.items() if depth}


def run(
    qm: Any, flow: CompiledFlow, label: str, batch: int = 100, clock: Callable[[], float] = time.time
) -> Any:
    """Run one listener of a flow until there is nothing to do."""
    listener = listener_for(flow, label, lambda: qm, batch=batch, sources={"clock": clock})
    listener.run(threading.Event(), until_empty=True)
    return listener
