"""W3C trace context: who a piece of work is done for, as text in the message property `traceparent`.

The current context is that of the span that this thread or task works in; if a program uses the OpenTelemetry
API itself, the context of its own span. Reading never fails: text of another form counts as none.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, NamedTuple

from penstock.telemetry._traceparent import read, written

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

PROPERTY = "traceparent"
API = "opentelemetry.trace"


class SpanContext(NamedTuple):
    """The ids of a span, and whether its trace is recorded."""

    trace_id: bytes
    span_id: bytes
    sampled: bool

    @property
    def text(self) -> str:
        """The value of `traceparent`."""
        return written(self.trace_id, self.span_id, self.sampled)


UNRECORDED = SpanContext(bytes(16), bytes(8), False)  # of work without a trace that decided to record nothing
_current: ContextVar[SpanContext | None] = ContextVar("penstock_span", default=None)
in_flow: ContextVar[bool] = ContextVar("penstock_in_flow", default=False)  # its nodes mark what they put


def parsed(text: object) -> SpanContext | None:
    """Return the context of a `traceparent`; None if it has another form.

    >>> parsed("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01").sampled
    True
    >>> parsed("00-" + 32 * "0" + "-00f067aa0ba902b7-01") is None
    True
    """
    found = read(text)
    return None if found is None else SpanContext(*found)


def of_properties(properties: Mapping[str, object] | None) -> SpanContext | None:
    """Return the context that a message carries."""
    return None if not properties else parsed(properties.get(PROPERTY))


def current() -> SpanContext | None:
    """Return the context that this thread or task works in, if there is one."""
    found = _current.get()
    return None if found is UNRECORDED else found or _of_the_api()


@contextmanager
def working_in(context: SpanContext | None) -> Iterator[None]:
    """Work in a context: spans that begin meanwhile are its children."""
    before = _current.set(context)
    try:
        yield
    finally:
        _current.reset(before)


def _of_the_api() -> SpanContext | None:
    api = sys.modules.get(API)  # a program that has not loaded it has no span of its own
    if api is None:
        return None
    found = api.get_current_span().get_span_context()
    if not found.is_valid:
        return None
    return SpanContext(
        found.trace_id.to_bytes(16, "big"), found.span_id.to_bytes(8, "big"), bool(found.trace_flags & 1)
    )
