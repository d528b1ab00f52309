cimport cython

from penstock.face._clock cimport monotonic
from penstock.host._gate cimport Gate
from penstock.qmgr.core cimport Core
from penstock.qmgr.step cimport Step
from penstock.protocol._frames cimport ReadBuffer
from penstock.serve.answers cimport Answer
from penstock.serve.deadlines cimport Deadlines
from penstock.serve.send_buffer cimport SendBuffer


cdef class Server:
    cdef public object host
    cdef public Core engine
    cdef public Gate gate
    cdef public object journal
    cdef public object loop
    cdef public object clock
    cdef public object workers
    cdef public object readers
    cdef public object links
    cdef public object listeners
    cdef public object services
    cdef public object channels
    cdef public object message_channels
    cdef public object connections
    cdef public object stopped
    cdef public object error_log
    cdef public ReadBuffer buffer
    cdef public object access
    cdef public object tls
    cdef public object metrics
    cdef public str stopping
    cdef public list dirty
    cdef object unanswered
    cdef object woken
    cdef public list rung
    cdef public list rung_early
    cdef Deadlines deadlines
    cdef public object scans
    cdef public object large_frames
    cdef public object evaluating
    cdef public int behind
    cdef public double turn_seconds
    cdef public long long turns_ended
    cdef public list held
    cdef object _releaser
    cdef object _timer
    cdef object _sweeper
    cdef bint _called
    cdef bint _flushing
    cdef unsigned long _thread
    cdef long long _wanted
    cdef long long _asked
    cdef long long _finished
    cdef long long _seen
    cdef int _looks
    cdef bint _pressing
    cdef int _puts_together
    cdef object _late
    cdef object _later
    cdef long long _unhurried
    cdef long long _overdue

    cpdef void reach(self, long long position) except *
    cpdef void when_durable(self, long long position, Answer answer) except *
    cpdef void woke(self, object wait) except *
    cpdef void expect(self, object gets, double deadline) except *
    cdef void _answer_woken(self) except *
    cdef void _answer_one(self) except *
    cpdef long long filled(self)
    cpdef void flush_soon(self) except *
    cdef bint _more_may_come(self) except -1
    cdef bint _gets_may_wait(self) except -1
    cpdef void flush(self) except *
    cdef void _pump_early(self) except *
    @cython.locals(dirty=list, outlet=SendBuffer)
    cdef void _answer(self) except *
    @cython.locals(durable=cython.longlong, finished=cython.longlong, position=cython.longlong, answer=Answer)
    cpdef void synced(self) except *
