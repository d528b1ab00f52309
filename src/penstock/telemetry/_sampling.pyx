# cython: language_level=3
"""Decides which puts and gets are recorded, before anything is made for them.

Most are not: a put outside every trace is recorded by chance, a get only if its message carries a context.
`Sampler` answers these questions in a few nanoseconds and calls `begin_put` and `record_got` of its `Spans` for the
others. It is final: a call searches for no method that overrides it. The ratio's chance is drawn for each put alone,
so samples have no rhythm.
"""

import random
import sys

cimport cython
from cpython.contextvars cimport get_value_no_default

from penstock.model.constants import MQFMT_RF_HEADER_2
from penstock.telemetry import context

cdef object CURRENT = context._current
cdef object IN_FLOW = context.in_flow
cdef str API = context.API
cdef dict MODULES = sys.modules
cdef str RFH2 = MQFMT_RF_HEADER_2


@cython.final
cdef class Sampler:
    """The chance of one process; `draw` is not for secrets."""

    def __init__(self, double ratio, object spans) -> None:
        self._spans = spans
        self._threshold = <unsigned long long>(min(max(ratio, 0.0), 1.0) * 9007199254740992.0)  # of 2**53
        self._state = random.getrandbits(64) | 1

    cpdef bint draw(self) noexcept:
        """Return whether a trace that begins now is recorded (xorshift64*, Vigna 2016)."""
        cdef unsigned long long state = self._state
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        self._state = state
        return ((state * 2685821657736338717ULL) >> 11) < self._threshold

    cpdef object of_put(self, object target, object properties):
        """Return the span of a put: a child of the current one, else of what the message carries.

        None for a put that is not recorded, and for one of a flow: the span of its node stands for it, and
        the message carries that.
        """
        if get_value_no_default(IN_FLOW, False) is True:
            return None
        parent = get_value_no_default(CURRENT, None)
        if parent is None:
            if properties is None and API not in MODULES:
                return self._spans.begin_put(target, None) if self.draw() else None
            parent = self._spans.parent_of(properties)
            if parent is None:
                return self._spans.begin_put(target, None) if self.draw() else None
        return self._spans.begin_put(target, parent) if parent.sampled else None

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

    def got(self, object queue, object message, object began_ns):
        """Record the get of a message that may carry a context; `began_ns` is 0 for a get that did not wait."""
        self._spans.record_got(queue, message, began_ns)
