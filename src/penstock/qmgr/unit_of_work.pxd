cimport cython

from penstock.model.message cimport Message
from penstock.qmgr.queue cimport Queue

cdef int ACTIVE


cdef class UnitOfWork:
    cdef public long long number
    cdef public double started
    cdef public object owner
    cdef public int state
    cdef public object xid
    cdef public str user
    cdef public Py_ssize_t count
    cdef public bint logged
    cdef public long long first_position
    cdef public bint ending
    cdef public list puts
    cdef public list gets
    cdef public list after
    cdef public object shared

    cpdef void add_put(self, Queue queue, Message message) except *
    cpdef void add_get(self, Message message) except *
