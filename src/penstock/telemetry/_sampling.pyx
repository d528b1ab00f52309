# cython: language_level=3
"""Spans, and which puts and gets have one: decided before anything is made for them.

Most have none: a put outside every trace is recorded by chance, a get only if its message carries a context that
is recorded. `Sampler` answers these questions in a few nanoseconds. It is final: a call searches for no method that
overrides it. The ratio's chance is drawn for each put alone, so samples have no rhythm. What a `Span` becomes on the
network is made later, by the exporter's thread.
"""

import os
import random
import sys

cimport cython
from cpython.contextvars cimport get_value_no_default
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.dict cimport PyDict_Size

from penstock.model.constants import MQFMT_RF_HEADER_2
from penstock.telemetry import context
from penstock.telemetry._traceparent cimport read, written

cdef extern from "<time.h>" nogil:
    cdef struct timespec:
        long tv_sec
        long tv_nsec
    int clock_gettime(int clock, timespec *moment)
    int CLOCK_REALTIME

cdef object CURRENT = context._current
cdef object IN_FLOW = context.in_flow
cdef object SPAN_CONTEXT = context.SpanContext
cdef object UNRECORDED = context.UNRECORDED
cdef str API = context.API
cdef str PROPERTY = context.PROPERTY
cdef dict MODULES = sys.modules
cdef str RFH2 = MQFMT_RF_HEADER_2
cdef enum:
    PRODUCER = 4
    CONSUMER = 5


@cython.final
cdef class Span:
    """One piece of work; `with span:` ends it, with the error if there is one.

    One that holds others is the current context meanwhile. One of a trace that is not recorded only passes the
    context of its parent on.
    """

    def __init__(
        self, spans, str name, int kind, parent, dict attributes, bint holds_others=True
    ) -> None:
        cdef bytes parent_id = None
        if parent is None:
            self.sampled = True
            self.trace_id = new_id(2)
        else:
            self.trace_id, parent_id, self.sampled = parent
        self.parent_id = parent_id
        self.span_id = new_id(1) if self.sampled else parent_id
        self.name = name
        self.kind = kind
        self.attributes = attributes
        self.began = self.ended = now()
        self.error = ""
        self._exporter = spans.exporter
        self._holds_others = holds_others

    @property
    def context(self):
        """Its ids, and whether it is recorded."""
        return SPAN_CONTEXT(self.trace_id, self.span_id, self.sampled)

    cpdef dict carried(self, properties):
        """Return properties with its context, for what is sent meanwhile."""
        cdef dict made = {} if properties is None else dict(properties)
        made[PROPERTY] = written(self.trace_id, self.span_id, self.sampled)
        return made

    def __enter__(self):
        if self._holds_others:
            self._before = CURRENT.set(self.context)
        return self

    def __exit__(self, kind, value, trace) -> None:
        if self._holds_others:
            CURRENT.reset(self._before)
        self.end("" if value is None else f"{type(value).__name__}: {value}")

    cpdef void end(self, str error="") except *:
        """End it, and have it exported."""
        if self.sampled:
            self.ended = max(self.began, now())
            self.error = error
            self._exporter.add(self)


@cython.final
cdef class Sampler:
    """The chance of one process; `draw` is not for secrets."""

    def __init__(self, double ratio, object spans) -> None:
        self._spans = spans
        self._threshold = <unsigned long long>(min(max(ratio, 0.0), 1.0) * 9007199254740992.0)  # of 2**53
        self._modules = -1

    cpdef bint draw(self) noexcept:
        """Return whether a trace that begins now is recorded."""
        return (next_random() >> 11) < self._threshold

    cpdef Span of_put(self, object target, object properties):
        """Return the span of a put: a child of the current one, else of what the message carries.

        None for a put of no trace, and for one of a flow: the span of its node stands for it, and the message
        carries that. A put in a trace that is not recorded has a span that passes this on.
        """
        cdef bint is_own = True  # not the context that the message carries anyway
        parent = get_value_no_default(CURRENT, None)
        if parent is None:
            if properties is not None or self._may_have_the_api():
                parent, is_own = self._spans.parent_of(properties)
            if parent is None:
                return self._sent(target, None) if self.draw() else None
        elif parent is UNRECORDED:
            return None
        if get_value_no_default(IN_FLOW, False) is True or not (parent.sampled or is_own):
            return None
        return self._sent(target, parent)

    cdef bint _may_have_the_api(self):
        """Return whether the program has loaded OpenTelemetry's API; modules are searched when there are more."""
        if PyDict_Size(MODULES) == self._modules:
            return False
        if API in MODULES:
            return True
        self._modules = PyDict_Size(MODULES)
        return False

    cdef Span _sent(self, object target, object parent):
        return Span(self._spans, f"send {target}", PRODUCER, parent, about(target, "send"), False)

    cpdef bint carries(self, object properties, object descriptor) except -1:
        """Return whether a message that was got may carry a context, so that its get is recorded."""
        if properties is not None:
            return True
        if descriptor is self._plain:
            return False
        if descriptor.format == RFH2:
            return True
        self._plain = descriptor  # plain puts of one program share it
        return False

    cdef tuple _carried_by(self, message, properties):
        """Return the context that a message carries."""
        if type(properties) is dict:
            text = (<dict>properties).get(PROPERTY)
            if text is not None:
                return read(text)
        return self._spans.in_header(message)

    def got(self, queue, message, long long began_ns):
        """Record the get of a message that may carry a context; `began_ns` is 0 for a get that did not wait."""
        cdef Span span
        parent = self._carried_by(message, message.properties)
        if parent is None or not parent[2]:
            return
        span = Span(self._spans, f"receive {queue}", CONSUMER, parent, about(queue, "receive"), False)
        if began_ns:
            span.began = began_ns
        span.attributes["messaging.message.id"] = message.msg_id.hex()
        span.end()


cdef dict about(target, str operation):
    """Return the attributes of work with a queue or topic, by OpenTelemetry's conventions for messaging."""
    return {
        "messaging.system": "penstock",
        "messaging.destination.name": target,
        "messaging.operation.type": operation,
    }


cdef long long now() noexcept:
    cdef timespec moment
    clock_gettime(CLOCK_REALTIME, &moment)
    return moment.tv_sec * 1000000000LL + moment.tv_nsec


cdef unsigned long long state = random.getrandbits(64) | 1


cdef unsigned long long next_random() noexcept:
    """Return 64 random bits, not for secrets (xorshift64*, Vigna 2016)."""
    global state
    state ^= state >> 12
    state ^= state << 25
    state ^= state >> 27
    return state * 2685821657736338717ULL


def _begin_anew():
    """Let a forked process draw numbers of its own."""
    global state
    state = random.SystemRandom().getrandbits(64) | 1


os.register_at_fork(after_in_child=_begin_anew)


cdef bytes new_id(int words):
    """Return a new id; it is never all zero."""
    cdef unsigned long long made[2]
    made[0], made[1] = next_random() | 1, next_random() if words > 1 else 0
    return PyBytes_FromStringAndSize(<char *>made, 8 * words)
