cimport cython

from penstock.channel.carrying cimport unload
from penstock.channel.counts cimport Counts, Meter
from penstock.channel.line cimport Frame
from penstock.channel.moves cimport Reader
from penstock.model.message cimport Message
from penstock.qmgr.engine cimport Engine
from penstock.qmgr.unit_of_work cimport UnitOfWork


cdef class _Open:
    cdef public UnitOfWork unit
    cdef public long long first
    cdef public long long count
    cdef public long long last


cdef class Receiver:
    cdef public Engine engine
    cdef public object definition
    cdef public object line
    cdef public object running
    cdef public str state
    cdef public str partner
    cdef public str incarnation
    cdef public str token
    cdef public object terms
    cdef public object destinations
    cdef public dict targets
    cdef public dict batches
    cdef public long long next_batch
    cdef public long long sequence
    cdef public long long luwid
    cdef public long long fast_taken
    cdef public bint dead_letters
    cdef public int answer
    cdef public str partner_name
    cdef public str partner_version
    cdef public Counts counts
    cdef public object pause
    cdef public object unread
    cdef public bint called_back

    cpdef void on_frame(self, Frame frame, double now) except *
    cpdef void _take(self, Frame frame, double now) except *
    @cython.locals(
        reader=Reader, batch=_Open, before=cython.longlong, wrap=cython.longlong, number=cython.longlong,
        message=Message, taken=cython.longlong,
    )
    cpdef void _move(self, Frame frame, double now) except *
    @cython.locals(message=Message, taken=cython.longlong)
    cpdef void _move_fast(self, Frame frame, Reader reader, double now) except *
    @cython.locals(message=Message, before=cython.longlong, taken=cython.longlong)
    cpdef tuple _unload(self, Reader reader, UnitOfWork unit, long room, double now)
    @cython.locals(batch=_Open)
    cpdef _Open _batch(self, Frame frame, double now)
    cpdef bint _deliver(self, Reader reader, Message message, UnitOfWork unit, double now) except -1
    @cython.locals(batch=_Open)
    cpdef void _confirm(self, Frame frame, double now) except *
