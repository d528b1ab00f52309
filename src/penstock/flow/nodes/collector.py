"""Collector: collects messages of several input terminals and sends them on as one message.

A message that arrives is put to a queue of the node in the flow's unit of work, so it survives a restart;
`running.event_listener` makes the collections (`events/collecting.py` says which) and sends each in a unit of
its own. `Root.Collection` of the message has one folder for each message, named by its terminal.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.combining import joined
from penstock.flow.events.collecting import Collections, Handler
from penstock.flow.events.event import keep, queue_at
from penstock.flow.events.sending import Out, Sending
from penstock.flow.kinds import Kind
from penstock.flow.node import CATCH, FAILURE, KW_ONLY, OUT, Node
from penstock.flow.path_values import PathValue, wrong_paths
from penstock.tree import Message, Path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from penstock.flow.assembly import Assembly
    from penstock.flow.events.collecting import Collection
    from penstock.flow.events.event import Event
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.flow.running.listener import Listener

CONTROL, EXPIRE = "control", "expire"
AT_ONCE, ALL, FIRST = "disabled", "allCompleteCollections", "firstCompleteCollection"
COORDINATIONS = (AT_ONCE, ALL, FIRST)
HANDLERS_MAX = 100
_NAME_TYPE = 0x03000100  # an attribute, so that a loop over the messages skips it


class Collector(Node):
    """Collects: `Collector([("orders", 2, 0, "$Body/Order/Id"), ("bills", 1, 30, "$Body/Bill/Id")])`.

    Each row of `handlers` is an input terminal, how many messages it needs (0: any number), for how long it
    takes them after the first (seconds, 0: for ever), an XPath expression and a pattern: messages with the
    same value belong together. After `expiry` seconds an incomplete collection goes to `expire`. With
    `coordination` complete collections wait for a message at the terminal `control`.
    """

    outputs = (OUT, EXPIRE, FAILURE, CATCH)
    kind = Kind.QUEUE
    is_driven = True

    handlers: Sequence[Any]
    _: KW_ONLY
    collection: str = ""
    expiry: float = 0.0
    coordination: str = AT_ONCE
    namespaces: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.handlers = [Handler(*each) for each in self.handlers]
        self.namespaces = dict(self.namespaces or {})

    @property
    def inputs(self) -> tuple[str, ...]:  # type: ignore[override]
        """The terminals of the table, and `control`."""
        return (*(each.terminal for each in self.handlers), CONTROL)

    def check(self) -> Iterable[str]:
        yield from self.wrong_choices(coordination=COORDINATIONS)
        if not 1 <= len(self.handlers) <= HANDLERS_MAX:
            yield f"a Collector has 1 to {HANDLERS_MAX} input terminals"
        if len(set(self.inputs)) < len(self.inputs):
            yield f"the names of input terminals are not unique, or one is {CONTROL!r}"
        if self.expiry < 0:
            yield "expiry is a number of seconds, 0 for never"
        for each in self.handlers:
            yield from wrong_paths(self.namespaces, **{f"path of {each.terminal}": each.path})
            if each.quantity < 0 or each.timeout < 0:
                yield f"quantity and timeout of {each.terminal} cannot be negative"
            if not (each.quantity or each.timeout or self.expiry):
                yield f"{each.terminal} needs a quantity or a timeout: else no collection is ever complete"
            if each.pattern.count("*") > 1:
                yield f"pattern {each.pattern!r} of {each.terminal} has more than one asterisk"

    def queues_at(self, flow: str, label: str) -> tuple[str, ...]:
        return (queue_at(flow, label),)

    def start(self, at: NodeContext) -> Mapping[str, Process]:
        queue = queue_at(at.instance.flow_name, at.label)

        def entry(handler: Handler) -> Process:
            path = PathValue(handler.path, self.namespaces) if handler.path else None

            def process(assembly: Assembly) -> None:
                group = "" if path is None else matched(path.text(assembly), handler.pattern)
                keep(assembly, queue, handler.terminal, group)

            return process

        found = {each.terminal: entry(each) for each in self.handlers}
        return {**found, CONTROL: lambda assembly: keep(assembly, queue, CONTROL)}

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.event_listener import EventListener

        queue = queue_at(flow.name, label)
        return EventListener(flow, label, connect(), queue, lambda at: CollectionKeeper(self, at), **options)


class CollectionKeeper:
    """The collections of a Collector in a running flow: a `Keeper`."""

    def __init__(self, node: Collector, at: NodeContext) -> None:
        self.node = node
        self.project = at.instance.project
        self.collections = Collections(node.handlers, node.expiry)
        self.controls: list[Event] = []
        self._asked: dict[bytes, Collection | None] = {}

    def add(self, event: Event) -> None:
        if event.terminal == CONTROL:
            self.controls.append(event)
        elif event.terminal in self.collections.handlers:
            self.collections.add(event)

    def ready(self, now: float) -> list[Sending]:
        complete = self.collections.complete(now)
        found = [self._sending(each, EXPIRE) for each in self.collections.expired(now)]
        if self.node.coordination == AT_ONCE:
            return [*found, *(self._sending(each, OUT) for each in complete), *self._unasked(self.controls)]
        if self.node.coordination == FIRST:
            pairs = zip(complete, self.controls, strict=False)
            return [*found, *(self._sending(each, OUT, control) for each, control in pairs)]
        if not self.controls:
            return found
        released = [self._sending(each, OUT) for each in complete if self._before(each)]
        return [*found, *(released or self._unasked(self.controls[:1]))]

    def done(self, sending: Sending, now: float) -> None:
        taken = set(sending.takes)
        self.controls = [each for each in self.controls if each.identity not in taken]
        self.collections.open = [each for each in self.collections.open if id(each) != sending.key]

    def due(self) -> float | None:
        table = self.node.handlers
        times = [each.due(table, self.node.expiry) for each in self.collections.open]
        return min((each for each in times if each is not None), default=None)

    def _before(self, collection: Collection) -> bool:
        """Return whether a collection was complete before the first control message came."""
        return collection.is_complete(self.node.handlers, self.controls[0].came)

    def _unasked(self, controls: list[Event]) -> list[Sending]:
        """Return what takes control messages away that have nothing to release."""
        return [Sending(each.identity, [each.identity], list, []) for each in controls]

    def _sending(self, collection: Collection, terminal: str, control: Event | None = None) -> Sending:
        events = collection.ordered(self.node.handlers)
        takes = [event.identity for event in (*events, *([control] if control else []))]
        return Sending(id(collection), takes, lambda: [self._message(events, terminal)], [])

    def _message(self, events: list[Event], terminal: str) -> Out:
        persistent = any(event.stored.message.persistent for event in events)
        parts = [(event.terminal, event.stored) for event in events]
        message = joined("Collection", parts, persistent, self.project, True)
        folder = message.reference(Path("Collection"))
        if folder is not None and self.node.collection:
            folder.add_first_child("CollectionName", self.node.collection, type=_NAME_TYPE)
        return Out(terminal, message, Message())


def matched(value: str, pattern: str) -> str:
    """Return the part of a value at the asterisk of a pattern; the whole value if it does not match.

    >>> matched("17.order.xml", "*.order.xml")
    '17'
    """
    before, star, behind = pattern.partition("*")
    fits = value.startswith(before) and value.endswith(behind) and len(value) >= len(before) + len(behind)
    return value[len(before) : len(value) - len(behind)] if star and fits else value
