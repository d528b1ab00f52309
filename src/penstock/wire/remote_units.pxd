from penstock.host._gate cimport now as clock
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.wire._frames cimport Frame, Outgoing
from penstock.wire.outlet cimport Outlet
from penstock.wire.remote_connection cimport RemoteConnection
from penstock.wire.server cimport Server

cdef int _COMMIT, _DONE


cdef class RemoteUnits:
    cdef public Outlet link
    cdef public Server server
    cdef public Outgoing out
    cdef public RemoteConnection qm
    cdef public int number
    cdef public dict units
    cdef public dict contexts
    cdef public dict failed_puts
    cdef public list async_failures
    cdef public long long async_done
    cdef public long long async_failed
    cdef public bint ended

    cpdef void end_unit(self, Frame frame) except *
    cpdef UnitOfWork unit(self, unsigned long number)
    cpdef void done(self, int kind, unsigned long request) except *
