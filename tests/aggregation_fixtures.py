"""An aggregation for tests: a flow that sends requests, one that collects replies, who answers in between.

IN -> AggregateControl -> REQUESTS, REPLIES -> AggregateReply -> OUT, LATE, UNKNOWN, CAUGHT, FAILED. What
reaches OUT and LATE is a line like `TAXI=5 TAXI=7 HOTEL=90`.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.flow import CompiledFlow, Flow, Node, nodes
from penstock.flow.aggregation.records import State
from penstock.flow.running.listener import listener_for
from penstock.model.message import Message as QueueMessage
from penstock.tree import Path, parse_message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from penstock.flow import Assembly, Place

QUEUES = ("IN", "REQUESTS", "REPLIES", "OUT", "LATE", "UNKNOWN", "CAUGHT", "FAILED", "BACKOUT")
_BODY, _REPLY = Path("ComIbmAggregateReplyBody"), Path("BLOB", "BLOB")
_PERSISTENCE = Path("MQMD", "Persistence")


class Summary(Node):
    """Makes one line of an aggregated message; other messages pass."""

    def process(self, assembly: Assembly, at: Place) -> None:
        body = assembly.message.reference(_BODY)
        if body is None:
            at.send("out", assembly)
            return
        line = " ".join(f"{reply.name}={reply.get(_REPLY).decode()}" for reply in body)
        made = QueueMessage(line.encode(), persistent=assembly.message.get(_PERSISTENCE) == 1)
        at.send("out", assembly.sending(parse_message(made, "BLOB")))


class Failing(Node):
    """Fails on every message."""

    def process(self, assembly: Assembly, at: Place) -> None:
        raise ValueError("not this one")


def fan_out(folders: Sequence[str] = ("TAXI", "HOTEL"), *, transaction: str = "yes", **control: Any) -> Flow:
    """Return a flow that sends a request for each folder."""
    flow = Flow("fan-out")
    start = flow.add(nodes.MQInput("IN", transaction=transaction))
    begin = flow.add(nodes.AggregateControl("TRIP", **control))
    start.out >> begin.in_
    for folder in folders:
        send = flow.add(nodes.MQOutput("REQUESTS", request=True, reply_to="REPLIES", new_msg_id=True))
        note = flow.add(nodes.AggregateRequest(folder))
        begin.out >> send.in_
        send.out >> note.in_
    return flow


def fan_in(*, failing: Sequence[str] = (), flow: Flow | None = None, **reply: Any) -> Flow:
    """Return a flow that collects; what goes to the terminals in `failing` fails behind them."""
    flow = flow or Flow("fan-in")
    start = flow.add(nodes.MQInput("REPLIES"), name="Replies")
    collect = flow.add(nodes.AggregateReply("TRIP", **reply))
    start.out >> collect.in_
    ends = {"out": "OUT", "timeout": "LATE", "unknown": "UNKNOWN", "catch": "CAUGHT", "failure": "FAILED"}
    for terminal, queue in ends.items():
        source = collect.terminal(terminal)
        if terminal in ("out", "timeout", "catch"):
            line = flow.add(Summary())
            source >> line.in_
            source = line.out
        end = flow.add(Failing() if terminal in failing else nodes.MQOutput(queue), name=queue)
        source >> end.in_
    return flow


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
