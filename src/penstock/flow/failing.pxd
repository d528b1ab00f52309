"""Makes failing a compiled module: every node has a guard."""

from penstock.face._clock cimport monotonic
from penstock.flow.assembly cimport Assembly
from penstock.flow.node_counts cimport NodeCount, Probe, Stopwatch
from penstock.flow.processing cimport Processing, forward


cdef class Guard(Processing):
    cdef object inner, failure
    cdef str label, kind, flow
    cdef NodeCount count
    cdef Stopwatch watch
    cdef Probe probe
    cdef _run(self, Assembly assembly)
    cdef _timed(self, Assembly assembly)
