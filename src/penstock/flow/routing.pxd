"""Makes routing a compiled module: a Route decides about every message."""

from penstock.flow.assembly cimport Assembly
from penstock.flow.processing cimport Processing, forward


cdef class Routing(Processing):
    cdef list table
    cdef dict getters, wires
    cdef str default
    cdef bint only_first
    cdef list _ways(self, Assembly assembly)
