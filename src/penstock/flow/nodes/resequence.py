"""Resequence: sends the messages of a group on in the order of their numbers, whatever order they came in.

Messages are put to a queue of the node in the flow's unit of work; `running.event_listener` sends them on,
each run of consecutive numbers in a unit of its own, together with the position of the group. If a number is
missing for too long, the messages that wait go to `expire`, and `missing` gets the numbers.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.stored_reply import StoredReply
from penstock.flow.events.event import Event, event_record, keep, queue_at
from penstock.flow.events.ordering import Sequence
from penstock.flow.events.sending import Out, Sending
from penstock.flow.kinds import Kind
from penstock.flow.new_messages import arrived
from penstock.flow.node import CATCH, FAILURE, KW_ONLY, OUT, Node
from penstock.flow.nodes.sequence import Bound
from penstock.flow.path_values import PathValue, wrong_paths
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Message as QueueMessage
from penstock.tree import Message, Path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.running.listener import Listener

EXPIRE, MISSING_NUMBERS = "expire", "missing"
FIRST, LAST, ONLY, MIDDLE, POSITION = "first", "last", "only", "", "position"
_FOLDER = Path("Sequence")


class Resequence(Node):
    """Orders messages: `Resequence("$LocalEnvironment/Sequence/Number", correlation="$Body/Order/Shop")`.

    `number` is an XPath expression for a whole number; `start_of` and `end_of` are as in Sequence. `timeout`
    is how long messages wait for a missing one, in seconds; 0 waits for ever.
    """

    outputs = (OUT, EXPIRE, MISSING_NUMBERS, FAILURE, CATCH)
    kind = Kind.QUEUE
    is_driven = True

    number: str = "$LocalEnvironment/Sequence/Number"
    _: KW_ONLY
    start_of: str = "1"
    end_of: str = ""
    correlation: str = ""
    timeout: float = 60.0
    namespaces: dict[str, str] = field(default_factory=dict)

    def check(self) -> Iterable[str]:
        bounds = {"start_of": self.start_of, "end_of": self.end_of}
        texts = {name: text for name, text in bounds.items() if not text.strip().lstrip("-").isdigit()}
        yield from wrong_paths(self.namespaces, number=self.number, correlation=self.correlation, **texts)
        if not self.number:
            yield "a Resequence needs the path of the number"
        if not self.start_of.strip():
            yield "start_of is a number, or an expression that is true for the first message"
        if self.timeout < 0:
            yield "timeout is a number of seconds, 0 waits for ever"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return (queue_at(flow, label),)

    def start(self, at: NodeContext) -> Process:
        queue = queue_at(at.instance.flow_name, at.label)
        number_path = PathValue(self.number, self.namespaces)
        group_path = PathValue(self.correlation, self.namespaces) if self.correlation else None
        begin, end = Bound(self.start_of, self.namespaces), Bound(self.end_of, self.namespaces)

        def process(assembly: Assembly) -> None:
            number = _whole(number_path.text(assembly))
            role = _ROLES[begin.reached(number, assembly), end.reached(number, assembly)]
            keep(assembly, queue, role, "" if group_path is None else group_path.text(assembly), number)

        return process

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.event_listener import EventListener

        queue = queue_at(flow.name, label)
        return EventListener(flow, label, connect(), queue, lambda at: OrderKeeper(self, at), **options)


_ROLES = {(True, True): ONLY, (True, False): FIRST, (False, True): LAST, (False, False): MIDDLE}


class OrderKeeper:
    """The sequences of a Resequence in a running flow: a `Keeper`."""

    def __init__(self, node: Resequence, at: NodeContext) -> None:
        self.node = node
        self.project = at.instance.project
        self.new_id = at.instance.ports.new_id
        self.sequences: dict[str, Sequence] = {}
        self.positions: dict[str, Event] = {}

    def add(self, event: Event) -> None:
        sequence = self.sequences.setdefault(event.group, Sequence())
        if event.terminal != POSITION:
            sequence.add(event, event.terminal in (FIRST, ONLY))
        elif event.group not in self.positions:  # left by a listener before this one
            self.positions[event.group] = event
            sequence.following = event.number

    def ready(self, now: float) -> list[Sending]:
        found: list[Sending] = []
        for group, sequence in self.sequences.items():
            run = sequence.run()
            if run:
                found.append(self._going(group, run, now))
            elif sequence.waiting and self.node.timeout and now >= sequence.since + self.node.timeout:
                found.append(self._given_up(group, sequence))
        return found

    def done(self, sending: Sending, now: float) -> None:
        group, taken = str(sending.key), set(sending.takes)
        sequence = self.sequences[group]
        ended = sequence.gone(taken, now)
        self.positions.pop(group, None)
        if sending.puts:
            self.positions[group] = self._position
        if ended or not sending.puts:
            rest = sequence.waiting
            del self.sequences[group]
            for each in [event for events in rest.values() for event in events]:
                self.add(each)  # of the next sequence of the group

    def due(self) -> float | None:
        if not self.node.timeout:
            return None
        waiting = [each.since + self.node.timeout for each in self.sequences.values() if each.waiting]
        return min(waiting, default=None)

    def _going(self, group: str, run: list[Event], now: float) -> Sending:
        """Return the unit that sends a run of messages, and moves the position of the group behind it."""
        takes = [event.identity for event in run]
        if group in self.positions:
            takes.append(self.positions[group].identity)
        puts: list[QueueMessage] = []
        if run[-1].terminal not in (LAST, ONLY):
            stored = StoredReply(QueueMessage(b"", persistent=True), ("BLOB", "", "", ""))
            self._position = Event(self.new_id(), POSITION, group, run[-1].number + 1, now, stored)
            puts = [event_record(self._position)]
        return Sending(group, takes, lambda: [self._out(OUT, event) for event in run], puts)

    def _given_up(self, group: str, sequence: Sequence) -> Sending:
        events = [event for number in sorted(sequence.waiting) for event in sequence.waiting[number]]
        takes = [event.identity for event in events]
        if group in self.positions:
            takes.append(self.positions[group].identity)
        numbers = sequence.missing()

        def messages() -> list[Out]:
            told = Message()
            folder = told.create(_FOLDER)
            folder.add_last_child("Group", group)
            for number in numbers:
                folder.create(Path("Missing")).add_last_child("Number", number)
            lost = Out(MISSING_NUMBERS, arrived(b"", "BLOB"), told)
            return [lost, *(self._out(EXPIRE, event) for event in events)]

        return Sending(group, takes, messages, [])

    def _out(self, terminal: str, event: Event) -> Out:
        told = Message()
        folder = told.create(_FOLDER)
        folder.add_last_child("Number", event.number)
        folder.add_last_child("Group", event.group)
        return Out(terminal, event.stored.tree(self.project, True), told)


def _whole(text: str) -> int:
    try:
        return int(text.strip())
    except ValueError:
        raise error(mq.PSRC_FLOW_SEQUENCE, f"{text[:40]!r} is no number of a sequence") from None
