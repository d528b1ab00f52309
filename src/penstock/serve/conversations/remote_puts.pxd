cimport cython

from penstock.face._clock cimport now as clock
from penstock.host.session cimport Session
from penstock.model.message cimport Message
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.protocol._frames cimport Frame
from penstock.serve.conversations.remote_units cimport RemoteUnits
from penstock.serve.conversations.replies cimport Replies

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
    @cython.locals(unit=UnitOfWork, put=list)
    cpdef list put_at_once(self, Frame frame, list bodies)
    @cython.locals(replies=Replies)
    cpdef void answer_many(self, Frame frame, list put) except *
    cpdef UnitOfWork unit_of_many(self, Frame frame)
    @cython.locals(message=Message, session=Session, now=cython.double)
    cpdef void put_some(self, Frame frame, UnitOfWork unit, list bodies, list put) except *
    cpdef void finish_many(self, Frame frame, UnitOfWork unit) except *
    cpdef void give_up_many(self, Frame frame, UnitOfWork unit) except *
