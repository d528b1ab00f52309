"""Makes failing a compiled module: every node has a guard."""

from penstock.flow.assembly cimport Assembly
from penstock.flow.processing cimport Processing, forward


cdef class Guard(Processing):
    cdef object inner, failure
    cdef str label, kind, flow
