"""Makes filtering a compiled module: a Filter decides about every message."""

cimport cython
from penstock.esql.runtime.context cimport Context
from penstock.flow.assembly cimport Assembly
from penstock.flow.nodes.compute_run cimport hand_back, renewed_for
from penstock.flow.ports cimport Ports
from penstock.flow.processing cimport Processing, forward


cdef class Filtering(Processing):
    cdef object module, trees, true, false, unknown
    cdef str label
    cdef Ports ports
    cdef Context pattern

    @cython.locals(context=Context)
    cdef process(self, Assembly assembly)
