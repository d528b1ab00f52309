cimport cython

from penstock.host._gate cimport Gate
from penstock.face._clock cimport now as clock
from penstock.host.short_way cimport ShortWay
from penstock.model.message cimport Message, plain_receipt
from penstock.qmgr.core cimport Core
from penstock.qmgr.pubsub.publishing cimport Publisher
from penstock.qmgr.unit_of_work cimport UnitOfWork


cdef class Publishing(ShortWay):
    cdef public Publisher publisher
    cdef public bint restricted
    cdef public dict allowed

    @cython.locals(message=Message, engine=Core, gate=Gate, position=cython.longlong, now=cython.double)
    cpdef Message publish_quick(self, str topic, bytes body, object persistent, UnitOfWork unit)
