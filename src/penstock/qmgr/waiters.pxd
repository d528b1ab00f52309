cimport cython

from penstock.model._interrupts cimport python_follows
from penstock.model.message cimport Message


cdef class Match:
    cdef public bytes msg_id
    cdef public bytes correl_id
    cdef public bytes group_id
    cdef public long long seq_number
    cdef public long long offset
    cdef public bytes token
    cdef public object selector

    cpdef bint is_plain(self) except -1
    cpdef bint accepts(self, Message message) except -1


cdef class Waiter:
    cdef public object queue
    cdef public Match match
    cdef public object unit
    cdef public object wake
    cdef public object retry
    cdef public object handle
    cdef public object account
    cdef public Py_ssize_t cost
    cdef public Py_ssize_t searches
    cdef public bint active
    cdef public Message message
    cdef public int reason
    cdef public long long position


cdef class Waiting:
    cdef public Py_ssize_t count
    cdef public Py_ssize_t retrying
    cdef public Py_ssize_t cost
    cdef public Py_ssize_t searches
    cdef public object anything
    cdef public dict by_correl_id

    @cython.locals(match=Match, several=dict)
    cpdef void add(self, Waiter waiter) except *
    @cython.locals(match=Match, several=dict)
    cpdef void remove(self, Waiter waiter) except *
    @cython.locals(waiter=Waiter, several=dict)
    cpdef Waiter find(self, Message message)
