"""Spans: what began when, for which trace; and which of them are recorded.

`active()` is the `Spans` of this process, or None without an endpoint: connections and flows ask once, when
they begin. A trace that begins here is recorded by chance (the ratio of the settings); one that came from
elsewhere as its parent says.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

from penstock.model.message_handle import MessageHandle
from penstock.telemetry import context
from penstock.telemetry._sampling import Sampler, Span
from penstock.telemetry.settings import names_a_collector, of_environment

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.model.message import Message
    from penstock.telemetry.context import SpanContext
    from penstock.telemetry.settings import Settings

Attribute = str | int | float | bool
INTERNAL, SERVER, CONSUMER = 1, 2, 5  # SpanKind
SYSTEM = "penstock"  # messaging.system


class Spans:
    """Begins spans, of traces that are recorded."""

    def __init__(self, settings: Settings) -> None:
        from penstock.telemetry.exporter import Exporter  # most programs export nothing

        self.sampler = Sampler(settings.ratio, self)
        self.settings = settings
        self.exporter = Exporter(settings)

    def is_recorded(self, parent: SpanContext | None) -> bool:
        """Return whether a piece of work has a span: as its parent says; by chance without one."""
        return self.sampler.draw() if parent is None else parent.sampled

    def begin(
        self, name: str, kind: int, parent: SpanContext | None, attributes: dict[str, Attribute]
    ) -> Span:
        """Return a new span of work that is recorded."""
        return Span(self, name, kind, parent, attributes)

    def parent_of(self, properties: Any) -> tuple[SpanContext | None, bool]:
        """Return the span that a put is done in, by OpenTelemetry's API, else what the message carries.

        Whether the message has to be given this context is returned, too.
        """
        found = context.current() if context.API in sys.modules else None
        if found is None and properties is not None:
            return context.of_properties(as_mapping(properties)), False
        return found, True

    def in_header(self, message: Message) -> SpanContext | None:
        """Return the context that a message carries in its header."""
        from penstock.telemetry.messages import context_in  # a program without headers needs none of it

        return context_in(message)


def as_mapping(properties: Any) -> Mapping[str, Any] | None:
    """Return properties as a program gave them: a mapping, what a message handle holds, or none of these."""
    if hasattr(properties, "get"):
        found: Mapping[str, Any] = properties
        return found
    return properties.properties() if isinstance(properties, MessageHandle) else None


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
