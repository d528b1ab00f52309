cimport cython

from penstock.face._clock cimport now as clock
from penstock.host.session cimport Session
from penstock.model.message cimport Message
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.protocol._frames cimport Frame
from penstock.serve.remote_units cimport RemoteUnits
from penstock.serve.replies cimport Replies

cdef int _ASYNC_PUTS, _NO_REPLY, _RECEIPT


cdef class RemotePuts:
    cdef object qm
    cdef Session session
    cdef Replies replies
    cdef RemoteUnits units
    cdef dict names
    cdef dict described

    @cython.locals(message=Message, unit=UnitOfWork, session=Session, replies=Replies, persistence=cython.int, flags=cython.int)
    cpdef void put(self, Frame frame) except *
    @cython.locals(replies=Replies)
    cpdef void put_many(self, Frame frame, list bodies) except *
    @cython.locals(message=Message, unit=UnitOfWork, session=Session, now=cython.double)
    cdef list _put_many_in_unit(self, unsigned long number, str name, list bodies, object persistent)
