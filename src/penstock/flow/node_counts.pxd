"""Makes node_counts a compiled module: every node and every wire counts."""

from penstock.flow.assembly cimport Assembly
from penstock.flow.processing cimport Processing


cdef class NodeCount:
    cdef readonly str node, type
    cdef public long messages, failed
    cdef public double seconds
    cdef readonly list histogram
    cpdef add_time(self, double seconds)


cdef class Stopwatch:
    cdef public long every, left
    cdef public bint timing
    cdef public double inside
    cpdef begin(self)


cdef class Probe:
    cdef public bint is_on


cdef class Wire(Processing):
    cdef readonly object onward
    cdef readonly str name
    cdef readonly Probe probe
    cdef readonly Stopwatch watch
    cdef readonly long messages
