from penstock.qmgr.queue cimport Queue


cdef class PlainRoute:
    cdef public long long generation
    cdef public Queue queue
    cdef public bint persistent
    cdef public int priority
    cdef public object route
    cdef public object checked
    cdef public dict alike
    cdef public bint plain
    cdef public bint local
    cdef public bint simple
    cdef public bint asynchronous
    cdef public bint read_ahead

    cpdef bint check_get(self, object engine, double now) except -1
