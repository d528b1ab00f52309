"""The aggregation of the broker's performance report: a flow that sends requests, one that collects replies.

IN -> AggregateControl -> REQUESTS, REPLIES -> AggregateReply -> OUT, LATE, UNKNOWN, CAUGHT, FAILED. What
reaches OUT and LATE is a line like `TAXI=5 TAXI=7 HOTEL=90`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow import Flow, Node, nodes
from penstock.model.message import Message as QueueMessage
from penstock.tree import Path, parse_message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from penstock.flow import Assembly
    from penstock.flow.graph.node_context import NodeContext

QUEUES = ("IN", "REQUESTS", "REPLIES", "OUT", "LATE", "UNKNOWN", "CAUGHT", "FAILED", "BACKOUT")
_BODY, _REPLY = Path("ComIbmAggregateReplyBody"), Path("BLOB", "BLOB")
_PERSISTENCE = Path("MQMD", "Persistence")


class Summary(Node):
    """Makes one line of an aggregated message; other messages pass."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        body = assembly.message.reference(_BODY)
        if body is None:
            at.send("out", assembly)
            return
        line = " ".join(f"{reply.name}={reply.get(_REPLY).decode()}" for reply in body)
        made = QueueMessage(line.encode(), persistent=assembly.message.get(_PERSISTENCE) == 1)
        at.send("out", assembly.sending(parse_message(made, "BLOB")))


class Failing(Node):
    """Fails on every message."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        raise ValueError("not this one")


def fan_out(
    folders: Sequence[str] = ("TAXI", "HOTEL"), *, transaction: str = "yes", prefix: str = "", **control: Any
) -> Flow:
    """Return a flow that sends a request for each folder; all queues begin with the prefix."""
    flow = Flow("fan-out")
    start = flow.add(nodes.MQInput(f"{prefix}IN", transaction=transaction))
    begin = flow.add(nodes.AggregateControl("TRIP", **control))
    start.out >> begin.in_
    for folder in folders:
        send = flow.add(
            nodes.MQOutput(f"{prefix}REQUESTS", request=True, reply_to=f"{prefix}REPLIES", new_msg_id=True)
        )
        note = flow.add(nodes.AggregateRequest(folder))
        begin.out >> send.in_
        send.out >> note.in_
    return flow


def fan_in(*, failing: Sequence[str] = (), flow: Flow | None = None, prefix: str = "", **reply: Any) -> Flow:
    """Return a flow that collects; what goes to the terminals in `failing` fails behind them."""
    flow = flow or Flow("fan-in")
    start = flow.add(nodes.MQInput(f"{prefix}REPLIES"), name="Replies")
    collect = flow.add(nodes.AggregateReply("TRIP", **reply))
    start.out >> collect.in_
    ends = {"out": "OUT", "timeout": "LATE", "unknown": "UNKNOWN", "catch": "CAUGHT", "failure": "FAILED"}
    for terminal, queue in ends.items():
        source = collect.terminal(terminal)
        if terminal in ("out", "timeout", "catch"):
            line = flow.add(Summary())
            source >> line.in_
            source = line.out
        end = flow.add(Failing() if terminal in failing else nodes.MQOutput(f"{prefix}{queue}"), name=queue)
        source >> end.in_
    return flow
