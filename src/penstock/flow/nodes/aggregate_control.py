"""AggregateControl: starts an aggregation. The requests that AggregateRequest nodes behind `out` record are
its members.

When everything behind `out` is done, the records of the aggregation are put in the same unit of work as the
requests: no reply can arrive before they exist. A message without any recorded request starts nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from penstock.flow.aggregation.control_message import ControlMessage
from penstock.flow.aggregation.on_queues import message_of
from penstock.flow.aggregation.records import State
from penstock.flow.aggregation.state import Request, opened
from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE, KW_ONLY, OUT, Node
from penstock.model.message import Message as QueueMessage
from penstock.tree import Path, parse_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.tree import Message

CONTROL = "control"
COMPATIBLE = "MQSI_AGGR_COMPAT_MODE"  # the environment variable that enables control messages
IDENTIFIER = Path("ComIbmAggregateControlNode", "aggregateId")
_NAME = Path("ComIbmAggregateControlNode", "aggregateName")
_TIMEOUT = Path("ComIbmAggregateControlNode", "timeout")


class AggregateControl(Node):
    """Begins an aggregation: `AggregateControl("TRAVEL", timeout=30)`; `timeout` 0 waits for ever.

    `control_messages` True sends control messages to the deprecated control terminal, as it once was;
    None uses MQSI_AGGR_COMPAT_MODE of the environment.
    """

    outputs = (OUT, CONTROL, FAILURE)
    kind = Kind.QUEUE
    state_queues = tuple(state.value for state in State)

    aggregate: str
    _: KW_ONLY
    timeout: float = 0.0
    control_messages: bool | None = None

    def check(self) -> Iterable[str]:
        if not self.aggregate:
            yield "an AggregateControl needs an aggregate name, the one of its AggregateReply"
        if self.timeout < 0:
            yield f"timeout {self.timeout} is negative; 0 waits for ever"

    def start(self, at: NodeContext) -> Process:
        onward, told = at.wire(OUT), at.wire(CONTROL)
        wanted = self.control_messages
        if told is None or not (COMPATIBLE in os.environ if wanted is None else wanted):
            told = None

        def process(assembly: Assembly) -> None:
            ports = assembly.invocation.ports
            begun = ControlMessage(self.aggregate, ports.new_id(), [], ports.clock(), float(self.timeout))
            noted = assembly.invocation.notes.setdefault(IDENTIFIER, {})
            noted[begun.aggregation] = begun.requests
            if onward is not None:
                onward(assembly.sending(local_environment=_announced(assembly, begun)))
            del noted[begun.aggregation]
            if not begun.requests:
                return
            if told is None:
                keep(assembly, begun)
            else:
                tree = parse_message(QueueMessage(begun.document(), persistent=_lasts(assembly)), "XMLNSC")
                told(assembly.sending(message=tree))

        return process


def keep(assembly: Assembly, begun: ControlMessage) -> None:
    """Put the records of an aggregation; they are persistent if the flow's input message is."""
    invocation = assembly.invocation
    for record in opened(*begun, _lasts(assembly)):
        invocation.ports.put(record.state.value, message_of(record), in_unit=invocation.transactional)


def requests_of(assembly: Assembly) -> list[Request] | None:
    """Return the list for requests of the aggregation that LocalEnvironment names."""
    identifier = assembly.local_environment.get(IDENTIFIER)
    noted: dict[bytes, list[Request]] = assembly.invocation.notes.get(IDENTIFIER, {})
    return noted.get(identifier) if isinstance(identifier, bytes) else None


def _announced(assembly: Assembly, begun: ControlMessage) -> Message:
    copy = assembly.copied_local_environment()
    copy.set(IDENTIFIER, begun.aggregation)
    copy.set(_NAME, begun.name)
    copy.set(_TIMEOUT, begun.timeout)
    return copy


def _lasts(assembly: Assembly) -> bool:
    source = assembly.invocation.source
    return source is None or source.persistent
