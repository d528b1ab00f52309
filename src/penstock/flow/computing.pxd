"""Makes computing a compiled module: most flows run an ESQL module for every message."""

cimport cython
from penstock.esql.runtime.context cimport Context
from penstock.flow.assembly cimport Assembly


cdef class Computing:
    cdef object module, at, statements, ports, trees
    cdef list wires
    cdef bint takes_message, takes_destination, takes_exceptions, commits
    cdef Context pattern

    @cython.locals(context=Context)
    cdef process(self, Assembly assembly)
    cdef object _run(self, Context context)
    cdef propagate(self, sent, Context context, Assembly assembly)
    cdef send(self, sent, onward, Context context, Assembly assembly)
    cdef onward(self, sent)


cdef class _Propagating:
    cdef Computing node
    cdef Context context
    cdef Assembly assembly


cdef object _tree(given, own)
