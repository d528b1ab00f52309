cimport cython

from penstock.host._gate cimport Gate
from penstock.face._clock cimport now as clock
from penstock.host.session cimport Session
from penstock.model.message cimport Message
from penstock.qmgr.core cimport Core
from penstock.qmgr.pubsub.publishing cimport Publisher
from penstock.qmgr.unit_of_work cimport UnitOfWork


cdef class Topics:
    cdef Session session
    cdef Publisher publisher
    cdef bint restricted
    cdef readonly dict allowed

    @cython.locals(message=Message, session=Session, engine=Core, gate=Gate, position=cython.longlong, now=cython.double)
    cpdef Message publish_quick(self, str topic, bytes body, object persistent, UnitOfWork unit)
