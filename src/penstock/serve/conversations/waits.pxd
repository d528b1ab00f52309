from penstock.qmgr.waiters cimport Match, Waiter
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.serve.server cimport Server


cdef class Wait:
    cdef public object gets
    cdef Server server
    cdef public unsigned long request
    cdef public str name
    cdef public Match match
    cdef public UnitOfWork unit
    cdef public Py_ssize_t count
    cdef public int ahead
    cdef public double deadline
    cdef public object again
    cdef public Waiter waiter
    cdef public list fetched
    cdef public bint over
