cimport cython

from penstock.face._clock cimport now as clock
from penstock.model.message cimport Message
from penstock.qmgr.monitoring.accounts cimport Account
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.monitoring.tracing cimport Tracer
from penstock.qmgr.unit_of_work cimport UnitOfWork

cdef Py_ssize_t EVENTS_MAX


@cython.final
cdef class Event:
    cdef readonly long long number
    cdef readonly double time
    cdef readonly str kind
    cdef readonly str name
    cdef readonly str event
    cdef readonly long long connection
    cdef readonly long long unit
    cdef readonly bytes msg_id
    cdef readonly Py_ssize_t depth
    cdef readonly Py_ssize_t length
    cdef readonly bint persistent
    cdef readonly Py_ssize_t puts
    cdef readonly Py_ssize_t gets
    cdef readonly dict facts

    cpdef dict shown(self)


cdef class TraceRing(Tracer):
    cdef readonly long long number
    cdef public bint everything
    cdef public set queues
    cdef public set connections
    cdef list _events
    cdef long long _recorded

    cdef void put(self, Queue queue, Message message, Account account) noexcept
    cdef void got(self, Queue queue, Message message, Account account) noexcept
    @cython.locals(event=Event, number=cython.longlong)
    cdef void ended(self, UnitOfWork unit, str how) noexcept
    cpdef void note(self, str kind, str name, str event, dict facts) except *
    cpdef long long take_number(self) noexcept
    cdef bint _wants(self, Queue queue, Account account) except -1
    @cython.locals(event=Event)
    cdef void _message(self, Queue queue, Message message, Account account, str how) noexcept
    @cython.locals(event=Event, place=cython.Py_ssize_t)
    cdef Event _next(self, str kind, str name, str how)
