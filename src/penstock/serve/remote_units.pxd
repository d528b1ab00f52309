from penstock.face._clock cimport now as clock
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.protocol._frames cimport Frame, Outgoing
from penstock.serve.send_buffer cimport Outlet
from penstock.serve.answers cimport Reply
from penstock.serve.remote_connection cimport RemoteConnection
from penstock.serve.server cimport Server

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
