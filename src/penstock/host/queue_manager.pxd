cimport cython

from penstock.host._gate cimport Gate
from penstock.model.message cimport Message
from penstock.qmgr.core cimport Core
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.unit_of_work cimport UnitOfWork


cdef class PlainRoute:
    cdef public long long generation
    cdef public Queue queue
    cdef public bint persistent
    cdef public int priority
    cdef public object route
    cdef public bint plain
    cdef public bint local
    cdef public bint single

    cpdef void check_get(self) except *


cdef class QueueManager:
    cdef public object host
    cdef public Core engine
    cdef public Gate gate
    cdef public str name
    cdef public dict routes
    cdef public object scopes
    cdef public Py_ssize_t open_scopes
    cdef public bint closed
    cdef public object connection
    cdef object __weakref__

    @cython.locals(route=PlainRoute, message=Message, unit=UnitOfWork, gate=Gate, now=cython.double, position=cython.longlong)
    cpdef object _unused(self)
