cimport cython

from penstock.host._gate cimport Gate
from penstock.face._clock cimport now as clock
from penstock.face._clock cimport recently
from penstock.host.plain_route cimport PlainRoute
from penstock.host.waiting cimport Caller
from penstock.model._interrupts cimport begin, end, python_follows
from penstock.model.message cimport Message, Receipt, plain_message, plain_receipt
from penstock.qmgr.monitoring.accounts cimport Account
from penstock.qmgr.core cimport Core
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.step cimport Step, Wishes
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.qmgr.waiters cimport Match
from penstock.telemetry._sampling cimport Sampler

cdef bytes NO_ID


cdef class Session:
    cdef public object host
    cdef public Caller caller
    cdef public Core engine
    cdef public Gate gate
    cdef public str name
    cdef public dict routes
    cdef PlainRoute _put_route
    cdef PlainRoute _get_route
    cdef public object scopes
    cdef public set waiters
    cdef public Py_ssize_t open_scopes
    cdef public bint closed
    cdef public object connection
    cdef public Account account
    cdef public object context
    cdef public Sampler sampler
    cdef object __weakref__

    cpdef void finish(self, long long position) except *
    cpdef bint check_open(self) except -1
    @cython.locals(route=PlainRoute)
    cpdef PlainRoute route_to(self, str name)
    @cython.locals(route=PlainRoute)
    cpdef PlainRoute way_to(self, str queue)
    @cython.locals(message=Message, engine=Core, gate=Gate, position=cython.longlong, lasting=cython.bint)
    cpdef Message put_quick(self, str queue, PlainRoute route, bytes body, object persistent, bytes correl_id, bytes msg_id, object context, UnitOfWork unit, double now, dict properties=*)
    @cython.locals(message=Message, engine=Core)
    cdef Message _put_away(self, PlainRoute route, bytes body, bint persistent, bytes correl_id, bytes msg_id, object context, UnitOfWork unit, double now, dict properties)
    cpdef Receipt receipt(self, Message message, str queue)
    @cython.locals(route=PlainRoute, engine=Core, gate=Gate)
    cpdef list put_many_quick(self, str queue, list bodies, object persistent, double now)
    @cython.locals(route=PlainRoute, message=Message, engine=Core, gate=Gate, position=cython.longlong, now=cython.double)
    cpdef Message get_quick(self, str queue, Match match, UnitOfWork unit)
    cdef void record_got(self, str queue, Message message, long long began_ns) except *
    @cython.locals(message=Message, engine=Core, gate=Gate, position=cython.longlong, now=cython.double)
    cpdef object take_open(self, object handle, Queue queue, Match match, UnitOfWork unit)


cdef class ConnectionStep:
    cdef Session _session
    cdef readonly list to_load
