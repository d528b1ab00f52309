cimport cython

from penstock.model.message cimport Message
from penstock.qmgr.queue cimport Queue

cdef Py_ssize_t BLOCK_WORTH, SMALL_MAX, BLOCK_MESSAGES


cdef class Shelf:
    cdef public Queue queue
    cdef public int lane
    cdef public list blocks
    cdef long long _last_place
    cdef list _waiting
    cdef Py_ssize_t _small

    @cython.locals(waiting=cython.Py_ssize_t)
    cpdef bint add(self, Message message) except -1


cdef class Shelves:
    cdef object _read
    cdef dict _shelves
    cdef list _by_seq
    cdef list _reach
    cdef dict _positions
    cdef Shelf _last

    @cython.locals(shelf=Shelf)
    cpdef bint add(self, Message message, Queue queue) except -1
