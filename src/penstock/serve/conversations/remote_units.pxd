from penstock.face._clock cimport now as clock
from penstock.host.session cimport Session
from penstock.protocol._frames cimport Frame
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.serve.conversations.replies cimport Replies

cdef int _COMMIT, _DONE


cdef class RemoteUnits:
    cdef Session session
    cdef Replies replies
    cdef public dict units
    cdef public dict contexts
    cdef public dict failed_puts
    cdef public list async_failures
    cdef public long long async_done
    cdef public long long async_failed

    cpdef void end_unit(self, Frame frame) except *
    cpdef UnitOfWork unit(self, unsigned long number)
    cpdef UnitOfWork new_unit(self)
    cpdef void finish_unit(self, UnitOfWork unit, bint commit, bint counted=*) except *
