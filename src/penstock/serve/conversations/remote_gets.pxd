cimport cython

from penstock.face._clock cimport monotonic
from penstock.host._gate cimport Gate
from penstock.face._clock cimport now as clock
from penstock.model.message cimport Message
from penstock.qmgr.core cimport Core
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.step cimport Step
from penstock.qmgr.unit_of_work cimport UnitOfWork
from penstock.qmgr.waiters cimport Match, Waiter
from penstock.protocol._frames cimport Frame, weight
from penstock.host.session cimport Session
from penstock.serve.conversations.remote_units cimport RemoteUnits
from penstock.serve.conversations.replies cimport Replies
from penstock.serve.server cimport Server
from penstock.serve.conversations.waits cimport Wait

cdef Py_ssize_t _BATCH_BYTES_MAX
cdef int _GET_MANY, _MESSAGE, _NOTHING, _READS_AHEAD, _WAITS_MAX


cdef class RemoteGets:
    cdef Session session
    cdef readonly Replies replies
    cdef readonly Server server
    cdef RemoteUnits units
    cdef dict names
    cdef public dict waits
    cdef double look_at
    cdef public unsigned long skipped
    cdef public list parked

    @cython.locals(message=Message, unit=UnitOfWork, match=Match, wait_ms=cython.int, count=cython.Py_ssize_t, ahead=cython.int, deadline=cython.double, many=cython.bint, replies=Replies)
    cpdef void get(self, Frame frame) except *
    @cython.locals(message=Message, session=Session, engine=Core, gate=Gate, queue=Queue, loading=list, position=cython.longlong)
    cpdef void retry(self, Wait wait) except *
    cpdef void remember(self, Wait wait) except *
    cpdef void check_wait(self, unsigned long request) except *
    cdef void _close(self, Wait wait) except *
    cpdef void expect(self, double deadline) except *
    @cython.locals(flags=cython.int)
    cpdef void answer_get(self, unsigned long request, str name, Match match, UnitOfWork unit, Message message, Py_ssize_t count, int ahead) except *
    cdef void _answer_wait(self, Wait wait, Message message) except *
    @cython.locals(message=Message, session=Session, engine=Core, queue=Queue, position=cython.longlong, now=cython.double, size=cython.Py_ssize_t)
    cdef void _take_more(self, list found, str name, Match match, UnitOfWork unit, Py_ssize_t count) except *
    @cython.locals(message=Message, session=Session, engine=Core, queue=Queue, now=cython.double, size=cython.Py_ssize_t)
    cdef void _take_ahead(self, list found, str name, Py_ssize_t count) except *
    @cython.locals(replies=Replies)
    cpdef void answer_message(self, unsigned long request, Message message, int flags) except *
    @cython.locals(waiter=Waiter)
    cpdef void answer_woken(self) except *
    cpdef void woken(self, Wait wait) except *
