cimport cython

from penstock.face._clock cimport now as clock
from penstock.model.message cimport Message
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.protocol._frames cimport Frame
from penstock.serve.answers cimport Reply
from penstock.serve.remote_connection cimport RemoteConnection
from penstock.serve.remote_units cimport RemoteUnits

cdef int _ASYNC_PUTS, _NO_REPLY


cdef class RemotePuts(RemoteUnits):
    cdef public dict names
    cdef public dict described

    @cython.locals(message=Message, unit=UnitOfWork, qm=RemoteConnection, persistence=cython.int)
    cpdef void put(self, Frame frame) except *
    @cython.locals(qm=RemoteConnection, position=cython.longlong)
    cpdef void put_many(self, Frame frame, list bodies) except *
    @cython.locals(message=Message, unit=UnitOfWork, qm=RemoteConnection, now=cython.double)
    cdef list _put_many_in_unit(self, unsigned long number, str name, list bodies, object persistent)
