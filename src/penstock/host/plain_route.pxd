cimport cython

from penstock.qmgr.names.dependencies cimport Dependencies, all_valid
from penstock.qmgr.queue cimport Queue


@cython.final
cdef class PlainRoute:
    cdef readonly str name
    cdef readonly tuple dependencies
    cdef Dependencies _all
    cdef long long _changes
    cdef public Queue queue
    cdef public bint persistent
    cdef public int priority
    cdef public object route
    cdef public object checked
    cdef public dict alike
    cdef public tuple alike_while
    cdef public bint plain
    cdef public bint away
    cdef public bint local
    cdef public bint simple
    cdef public bint asynchronous
    cdef public bint read_ahead

    @cython.locals(changes=cython.longlong)
    cpdef bint is_current(self) noexcept
    cpdef bint check_get(self, object engine, double now) except -1
