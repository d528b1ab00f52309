"""Makes computing a compiled module: most flows run an ESQL module for every message."""

cimport cython
from penstock.esql.runtime.context cimport Context
from penstock.flow.assembly cimport Assembly
from penstock.flow.ports cimport Ports
from penstock.flow.processing cimport Processing, forward


cdef class Computing(Processing):
    cdef object module, at, statements, trees
    cdef Ports ports
    cdef list wires
    cdef bint takes_message, takes_destination, takes_exceptions, commits
    cdef Context pattern, context
    cdef Assembly assembly

    @cython.locals(context=Context)
    cdef process(self, Assembly assembly)
    cdef object _run(self, Context context)
    @cython.locals(context=Context, assembly=Assembly)
    cpdef propagate(self, sent)
    cdef send(self, sent, onward, Context context, Assembly assembly)
    cdef onward(self, sent)


cpdef Context renewed_for(Context pattern, Assembly assembly, Ports ports)
cpdef hand_back(Context context, Assembly assembly)
cdef object _tree(given, own)
