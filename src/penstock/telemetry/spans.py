"""Spans: what began when, for which trace; and which of them are recorded.

`active()` is the `Spans` of this process, or None without an endpoint: connections and flows ask once, when
they begin. A trace that begins here is recorded by chance (the ratio of the settings); one that came from
elsewhere as its parent says.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.model.message_handle import MessageHandle
from penstock.telemetry import context
from penstock.telemetry._sampling import Sampler
from penstock.telemetry.context import SpanContext
from penstock.telemetry.settings import names_a_collector, of_environment

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType
    from typing import Self

    from penstock.model.message import Message
    from penstock.telemetry.settings import Settings

Attribute = str | int | float | bool
INTERNAL, SERVER, CLIENT, PRODUCER, CONSUMER = 1, 2, 3, 4, 5  # SpanKind
SYSTEM = "penstock"  # messaging.system


class Span:
    """One piece of work; `with span:` ends it, with the error if there is one."""

    __slots__ = (
        "_before",
        "_spans",
        "attributes",
        "began",
        "context",
        "ended",
        "error",
        "kind",
        "name",
        "parent",
    )

    def __init__(
        self, spans: Spans, name: str, kind: int, parent: SpanContext | None, attributes: dict[str, Attribute]
    ) -> None:
        trace_id = random_id(16) if parent is None else parent.trace_id
        self.context = SpanContext(trace_id, random_id(8), True)
        self.parent = parent
        self.name = name
        self.kind = kind
        self.attributes = attributes
        self.began = self.ended = time.time_ns()
        self.error = ""
        self._spans = spans
        self._before: Any = None

    def __enter__(self) -> Self:
        self._before = context._current.set(self.context)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        context._current.reset(self._before)
        self.end(f"{type(value).__name__}: {value}" if value is not None else "")

    def end(self, error: str = "") -> None:
        """End it, and have it exported."""
        self.ended = max(self.began, time.time_ns())
        self.error = error
        self._spans.exporter.add(self)


class Spans:
    """Begins spans, of traces that are recorded."""

    def __init__(self, settings: Settings) -> None:
        from penstock.telemetry.exporter import Exporter  # most programs export nothing

        self.sampler = Sampler(settings.ratio, self)
        self.settings = settings
        self.exporter = Exporter(settings)

    def begin(
        self, name: str, kind: int, parent: SpanContext | None, attributes: dict[str, Attribute]
    ) -> Span | None:
        """Return a new span; None when its trace is not recorded."""
        if not (self.sampler.draw() if parent is None else parent.sampled):
            return None
        return Span(self, name, kind, parent, attributes)

    def parent_of(self, properties: Any) -> SpanContext | None:
        """Return the span of a program's own API that a put is done in, else what the message carries."""
        found = context.current() if context.API in sys.modules else None
        if found is None and properties is not None:
            found = context.of_properties(as_mapping(properties))
        return found

    def begin_put(self, target: str, parent: SpanContext | None) -> Span:
        """Return the span of a put that is recorded."""
        return Span(self, f"send {target}", PRODUCER, parent, about(target, "send"))

    def record_got(self, queue: str, message: Message, began_ns: int) -> None:
        """Record a get as a child of who put the message, if that is recorded."""
        from penstock.telemetry.messages import context_in

        parent = context_in(message)
        if parent is None or not parent.sampled:
            return
        span = Span(self, f"receive {queue}", CONSUMER, parent, about(queue, "receive"))
        span.began = began_ns or span.began
        span.attributes["messaging.message.id"] = message.msg_id.hex()
        span.end()


def random_id(length: int) -> bytes:
    """Return a new id, never all zero; Python's generator begins anew in a forked process."""
    return (random.getrandbits(8 * length) or 1).to_bytes(length, "big")


def about(target: str, operation: str) -> dict[str, Attribute]:
    """Return the attributes of work with a queue or topic, by OpenTelemetry's conventions for messaging."""
    return {
        "messaging.system": SYSTEM,
        "messaging.destination.name": target,
        "messaging.operation.type": operation,
    }


def as_mapping(properties: Any) -> Mapping[str, Any] | None:
    """Return properties as a program gave them: a mapping, what a message handle holds, or none of these."""
    if hasattr(properties, "get"):
        found: Mapping[str, Any] = properties
        return found
    return properties.properties() if isinstance(properties, MessageHandle) else None


def carrying(properties: Any, span: Span) -> dict[str, Any]:
    """Return properties with a span's context."""
    return {**(properties or {}), context.PROPERTY: span.context.text}


_lock = threading.Lock()
_known: list[Spans | None] = []


def active() -> Spans | None:
    """Return what records spans in this process; None when the environment names no endpoint."""
    if not _known:
        with _lock:
            if not _known:
                _known.append(_of_environment())
    return _known[0]


def _of_environment() -> Spans | None:
    if not names_a_collector():
        return None
    settings = of_environment(sys.argv[0] if sys.argv else "")
    return None if settings is None else Spans(settings)


def active_sampler() -> Sampler | None:
    """Return what decides which puts and gets of this process are recorded; None without an endpoint."""
    spans = active()
    return None if spans is None else spans.sampler


def configure(settings: Settings | None) -> None:
    """Record spans with other settings than those of the environment; for connections made from now on."""
    with _lock:
        _known[:] = [None if settings is None else Spans(settings)]
