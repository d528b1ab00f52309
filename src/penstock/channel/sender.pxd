cimport cython

from penstock.channel.carrying cimport load
from penstock.channel.counts cimport Counts
from penstock.channel.line cimport Frame
from penstock.channel.memory cimport Memory
from penstock.channel.moves cimport Moves
from penstock.model.message cimport Message
from penstock.model.onward cimport original
from penstock.qmgr.engine cimport Engine
from penstock.qmgr.queue cimport Queue
from penstock.qmgr.unit_of_work cimport UnitOfWork


cdef class _Open:
    cdef public UnitOfWork unit
    cdef public long long number
    cdef public long long first
    cdef public double since
    cdef public long long count
    cdef public long long size
    cdef public bint full


cdef class Sender:
    cdef public Engine engine
    cdef public object definition
    cdef public object line
    cdef public Memory memory
    cdef public str state
    cdef public str partner
    cdef public object terms
    cdef public int level
    cdef public int ccsid
    cdef public _Open filling
    cdef public Moves moves
    cdef public object waiting
    cdef public long long confirms_sent
    cdef public long long next_batch
    cdef public long long sequence
    cdef public double confirm_at
    cdef public object asked_at
    cdef public double heard_at
    cdef public int answer
    cdef public str partner_name
    cdef public str partner_version
    cdef public str token
    cdef public Counts counts
    cdef public object trouble
    cdef public long long unhurried
    cdef public double paused_until
    cdef public object batches
    cdef public object claiming

    cpdef void on_frame(self, Frame frame, double now) except *
    cpdef void _take(self, Frame frame, double now) except *
    cpdef void _confirmed(self, Frame frame, double now) except *
    cpdef void _commit(self, object batch, double now) except *
    cpdef void _count(self, object batch, double now) except *
    cpdef void pump(self, double now) except *
    cpdef bint _is_due(self, _Open batch, double now) except -1
    cpdef void _fill(self, double now) except *
    cpdef bint _may_fill(self, Queue queue) except -1
    @cython.locals(message=Message, filled=Moves, engine=Engine)
    cpdef bint _fill_frame(self, Queue queue, double now) except -1
    @cython.locals(message=Message)
    cpdef bint _may_claim(self, Queue queue) except -1
    @cython.locals(message=Message)
    cpdef bint _claim(self, Queue queue, double now) except -1
    @cython.locals(batch=_Open, before=cython.Py_ssize_t, added=cython.longlong)
    cpdef void _load(self, Queue queue, Moves filled, double now) except *
    @cython.locals(inner=Message, filled=Moves, batch=_Open, fast=bint)
    cpdef bint _send(self, Queue queue, Message message, double now) except -1
    @cython.locals(batch=_Open)
    cpdef _Open _batch(self, double now)
    @cython.locals(filled=Moves, count=cython.Py_ssize_t)
    cpdef void _emit(self, double now) except *
    cpdef long long _following(self, long long sequence) except? -1
    cpdef void _send_fast(self, long long count, Frame frame, double now) except *
    cpdef void ask(self, double now) except *
    cpdef void _end_batch(self, _Open batch, double now) except *
