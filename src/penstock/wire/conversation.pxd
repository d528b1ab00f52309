cimport cython

from penstock.host._gate cimport Gate, monotonic
from penstock.host._gate cimport now as clock
from penstock.model.message cimport Message
from penstock.qmgr.core cimport Core
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.qmgr.waiters cimport Match, Waiter
from penstock.wire._frames cimport Frame, Outgoing, weight
from penstock.wire.outlet cimport Outlet
from penstock.wire.server cimport Server
from penstock.wire.remote_connection cimport RemoteConnection
from penstock.wire.waits cimport Wait

cdef Py_ssize_t _BATCH_BYTES_MAX
cdef int _ASYNC_PUTS, _CALL, _CHAINED, _COMMIT, _DONE, _GET, _GET_MANY, _NO_REPLY, _NOTHING, _PUT, _PUT_MANY, _READS_AHEAD, _WAITS_MAX


cdef class Conversation:
    cdef public Outlet link
    cdef public Server server
    cdef public Outgoing out
    cdef public RemoteConnection qm
    cdef public int number
    cdef public dict names
    cdef public dict units
    cdef public dict contexts
    cdef public dict waits
    cdef double look_at
    cdef public dict handles
    cdef public int next_handle
    cdef public dict described
    cdef public unsigned long skipped
    cdef public list parked
    cdef public int working
    cdef public dict calls
    cdef public dict failed_puts
    cdef public list async_failures
    cdef public long long async_done
    cdef public long long async_failed
    cdef public bint ended

    @cython.locals(kind=cython.int)
    cpdef void handle(self, Frame frame) except *
    @cython.locals(message=Message, unit=UnitOfWork, qm=RemoteConnection, persistence=cython.int)
    cpdef void put(self, Frame frame) except *
    @cython.locals(qm=RemoteConnection, position=cython.longlong)
    cpdef void put_many(self, Frame frame) except *
    @cython.locals(message=Message, unit=UnitOfWork, qm=RemoteConnection, now=cython.double)
    cdef list _put_many_in_unit(self, unsigned long number, str name, list bodies, object persistent)
    @cython.locals(message=Message, unit=UnitOfWork, match=Match, wait_ms=cython.int, count=cython.Py_ssize_t, ahead=cython.int, deadline=cython.double, many=cython.bint)
    cpdef void get(self, Frame frame) except *
    @cython.locals(message=Message, qm=RemoteConnection, engine=Core, gate=Gate, queue=Queue, loading=list, position=cython.longlong)
    cpdef void retry(self, Wait wait) except *
    cpdef void remember(self, Wait wait) except *
    cpdef void check_wait(self, unsigned long request) except *
    cdef void _close(self, Wait wait) except *
    cpdef void expect(self, double deadline) except *
    cpdef void end_unit(self, Frame frame) except *
    cpdef UnitOfWork unit(self, unsigned long number)
    @cython.locals(flags=cython.int)
    cpdef void answer_get(self, unsigned long request, str name, Match match, UnitOfWork unit, Message message, Py_ssize_t count, int ahead) except *
    cdef void _answer_wait(self, Wait wait, Message message) except *
    @cython.locals(message=Message, qm=RemoteConnection, engine=Core, queue=Queue, position=cython.longlong, now=cython.double, size=cython.Py_ssize_t)
    cdef void _take_more(self, list found, str name, Match match, UnitOfWork unit, Py_ssize_t count) except *
    @cython.locals(message=Message, qm=RemoteConnection, engine=Core, queue=Queue, now=cython.double, size=cython.Py_ssize_t)
    cdef void _take_ahead(self, list found, str name, Py_ssize_t count) except *
    cpdef void answer_message(self, unsigned long request, Message message, int flags) except *
    cpdef void done(self, int kind, unsigned long request) except *
    @cython.locals(waiter=Waiter)
    cpdef void woken(self, Wait wait) except *
