"""Spans of flows and nodes: a tap around each node's function, in a process with telemetry.

A flow's span is the child of what its message carries: the property `traceparent`, or the header of an HTTP
request. Nodes are its children, nested as their calls are. Outputs carry the context of the node that puts
them. Without telemetry nothing of this is called: `CompiledFlow.start` asks once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.telemetry import context
from penstock.telemetry.messages import context_in, give_context
from penstock.telemetry.spans import CONSUMER, INTERNAL, SERVER, SYSTEM
from penstock.tree import Path

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process
    from penstock.model.message import Message
    from penstock.telemetry.context import SpanContext
    from penstock.telemetry.spans import Attribute, Spans

    Tap = Callable[[NodeContext, Process], Process]

NOT_RECORDED = "penstock.flow.not_recorded"  # the note of an invocation whose trace is not recorded
FLOW = "penstock.flow.span"
_HTTP = tuple(Path("HTTPInputHeader", name) for name in (context.PROPERTY, "Traceparent"))


class OutputMarks:
    """Gives outputs the context of the span that puts them."""

    def mark(self, message: Message) -> None:
        """Replace the context that a message carries, if a span is recorded here."""
        at = context.current()
        if at is not None:
            give_context(message, at)


def with_spans(spans: Spans, tap: Tap | None) -> Tap:
    """Return a tap that records spans around what another tap does."""

    def tapped(at: NodeContext, process: Process) -> Process:
        inner = process if tap is None else tap(at, process)
        about: dict[str, Attribute] = {
            "penstock.flow": at.instance.flow_name,
            "penstock.node": at.label,
            "penstock.node.type": type(at.node).__name__,
        }

        def spanned(assembly: Assembly) -> None:
            notes = assembly.invocation.notes
            if NOT_RECORDED in notes:
                inner(assembly)
            elif FLOW in notes:
                with spans.begin(at.label, INTERNAL, context.current(), dict(about)):
                    inner(assembly)
            else:
                _in_flow(spans, at.instance.flow_name, spanned, assembly)

        return spanned

    return tapped


def _in_flow(spans: Spans, flow: str, process: Process, assembly: Assembly) -> None:
    """Run the first node behind an input, in the span of the flow."""
    inside = context.in_flow.set(True)
    try:
        _recorded(spans, flow, process, assembly)
    finally:
        context.in_flow.reset(inside)


def _recorded(spans: Spans, flow: str, process: Process, assembly: Assembly) -> None:
    notes = assembly.invocation.notes
    parent, kind = _parent(assembly)
    if not spans.is_recorded(parent):
        _unrecorded(parent, process, assembly)
        return
    about: dict[str, Attribute] = {"penstock.flow": flow, "messaging.system": SYSTEM}
    span = spans.begin(f"flow {flow}", kind, parent, about)
    if assembly.invocation.source is not None:
        span.attributes["messaging.message.id"] = assembly.invocation.source.msg_id.hex()
    notes[FLOW] = span
    try:
        with span:
            process(assembly)
    finally:
        del notes[FLOW]


def _unrecorded(parent: SpanContext | None, process: Process, assembly: Assembly) -> None:
    """Run it without spans; what it puts has the context that the message carries."""
    notes = assembly.invocation.notes
    notes[NOT_RECORDED] = True
    before = context._current.set(parent or context.UNRECORDED)
    try:
        process(assembly)
    finally:
        context._current.reset(before)
        del notes[NOT_RECORDED]


def _parent(assembly: Assembly) -> tuple[SpanContext | None, int]:
    source = assembly.invocation.source
    if source is not None:
        return context_in(source), CONSUMER
    for path in _HTTP:
        found = context.parsed(assembly.message.get(path))
        if found is not None:
            return found, SERVER
    return context.current(), INTERNAL
