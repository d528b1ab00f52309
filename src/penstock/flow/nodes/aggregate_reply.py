"""AggregateReply: collects the replies of an aggregation and sends one message when all have arrived.

An unknown reply goes to `unknown`, at once or after it was held for `unknown_timeout` seconds. Aggregations
whose time is over go to `timeout` with the replies so far; `running/aggregation_listener.py` drives both.
Errors behind `timeout`, `unknown`, and behind what a timer sends to `out`, go to `catch` of this node.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.combining import combined
from penstock.flow.aggregation.control_message import control_message
from penstock.flow.aggregation.records import State
from penstock.flow.aggregation.state import expired, held, replied
from penstock.flow.aggregation.stored_reply import reply_of, stored_reply
from penstock.flow.assembly import Assembly, Invocation
from penstock.flow.failing import CANNOT_BE_HANDLED, exceptions_of, type_name
from penstock.flow.kinds import Kind
from penstock.flow.node import CATCH, FAILURE, IN, KW_ONLY, OUT, Node
from penstock.flow.nodes.aggregate_control import CONTROL, keep
from penstock.flow.nodes.mq_input import TRANSACTIONS
from penstock.model import constants as mq
from penstock.model.errors import MessageFailed, error
from penstock.tree import serialise_message

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.flow.aggregation.records import Records
    from penstock.flow.aggregation.state import Ended, Outcome
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.ports import Ports
    from penstock.flow.running.listener import Listener

TIMEOUT, UNKNOWN = "timeout", "unknown"


class AggregateReply(Node):
    """Collects replies: `AggregateReply("TRAVEL", unknown_timeout=5)`."""

    inputs = (IN, CONTROL)
    outputs = (OUT, UNKNOWN, TIMEOUT, CATCH, FAILURE)
    kind = Kind.QUEUE
    is_driven = True
    state_queues = tuple(state.value for state in State)

    aggregate: str
    _: KW_ONLY
    unknown_timeout: float = 0.0
    transaction: str = "yes"

    def check(self) -> Iterable[str]:
        if not self.aggregate:
            yield "an AggregateReply needs an aggregate name, the one of its AggregateControl"
        if self.unknown_timeout < 0:
            yield f"unknown_timeout {self.unknown_timeout} is negative; 0 does not hold unknown replies"

        yield from self.wrong_choices(transaction=TRANSACTIONS)

    def start(self, at: NodeContext) -> Mapping[str, Process]:
        collecting = Collecting(self, at)
        return {IN: collecting.reply, CONTROL: collecting.begin}

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.aggregation_listener import AggregationListener

        return AggregationListener(flow, label, connect(), **options)


class Collecting:
    """An AggregateReply in a running flow. `reply` and `begin` are its inputs, `expire` and `examine` its
    timers.
    """

    def __init__(self, node: AggregateReply, at: NodeContext) -> None:
        self.node = node
        self.at = at
        self.kind = type_name(node)
        self.project = at.instance.project

    def reply(self, assembly: Assembly) -> None:
        """Process a reply."""
        stored = stored_reply(assembly)
        invocation = assembly.invocation
        records = records_of(invocation.ports)
        outcome = replied(records, self.node.aggregate, stored)
        self._end_late(outcome, invocation)
        if outcome.complete is not None:
            self.at.send(OUT, self._assembly(outcome.complete, invocation))
        elif outcome.unknown and self.node.unknown_timeout:
            due = invocation.ports.clock() + self.node.unknown_timeout
            records.keep(held(self.node.aggregate, stored, invocation.ports.new_id(), due))
        elif outcome.unknown:
            self._catching(UNKNOWN, assembly)

    def begin(self, assembly: Assembly) -> None:
        """Process a control message: the aggregation starts now, as far as this node knows."""
        begun = control_message(serialise_message(assembly.message).body or b"")
        if begun.name == self.node.aggregate:
            keep(assembly, begun)

    def expire(self, aggregation: bytes, ports: Ports, regardless: bool) -> bool:
        """End an aggregation whose time is over; False if it has ended already."""
        ended = expired(records_of(ports), aggregation, regardless=regardless)
        if ended is None:
            return False
        invocation = Invocation(ports, transactional=self._in_unit(ended.persistent))
        self._catching(TIMEOUT, self._assembly(ended, invocation))
        return True

    def examine(self, key: bytes, ports: Ports) -> bool:
        """Check a held reply again; False if it is gone."""
        record = records_of(ports).take(State.UNKNOWN, key)
        if record is None:
            return False
        stored = reply_of(record)
        in_unit = self._in_unit(stored.message.persistent)
        invocation = Invocation(ports, transactional=in_unit, source=stored.message)
        outcome = replied(records_of(ports), self.node.aggregate, stored)
        self._end_late(outcome, invocation)
        if outcome.complete is not None:
            self._catching(OUT, self._assembly(outcome.complete, invocation))
        elif outcome.unknown:
            tree = stored.tree(self.project, in_unit)
            self._catching(UNKNOWN, Assembly(tree, invocation))
        return True

    def _end_late(self, outcome: Outcome, invocation: Invocation) -> None:
        if outcome.partial is not None:
            own = Invocation(invocation.ports, invocation.transactional)
            self._catching(TIMEOUT, self._assembly(outcome.partial, own))

    def _assembly(self, ended: Ended, invocation: Invocation) -> Assembly:
        return Assembly(combined(ended, self.project, invocation.transactional), invocation)

    def _in_unit(self, persistent: bool) -> bool:
        return self.node.transaction == "yes" or (self.node.transaction == "automatic" and persistent)

    def _catching(self, terminal: str, assembly: Assembly) -> None:
        """Send a message on; failures behind the terminal go to `catch`."""
        catch = self.at.wire(CATCH)
        try:
            self.at.send(terminal, assembly)
        except MessageFailed as raised:
            if catch is None or raised.reason in CANNOT_BE_HANDLED:
                raise
            raised.fields["nodes"].append((self.at.label, self.kind))
            catch(assembly.sending(exception_list=exceptions_of(raised)))


def records_of(ports: Ports) -> Records:
    """Return the records of an engine; 8305 for an engine that has none."""
    records: Records | None = ports.records
    if records is None:
        raise error(mq.PSRC_FLOW_ENGINE, "this engine cannot keep the replies of aggregations")
    return records
