cdef class Mean:
    cdef public bint known
    cdef double _short
    cdef double _long

    cpdef void add(self, double value) except *


cdef class Meter:
    cdef public object clock
    cdef readonly Mean rate
    cdef readonly Mean time


cdef class Rate:
    cdef double _since
    cdef double _last
    cdef long long _count

    cpdef void add(self, long long number, double now) except *
    cdef void _roll(self, double now) except *


cdef class Counts:
    cdef public object clock
    cdef public long long messages
    cdef public long long batches
    cdef public double last_at
    cdef public long long confirmed
    cdef readonly Rate confirmed_rate
    cdef readonly Mean net_time
    cdef readonly Mean queue_time
    cdef readonly Mean batch_size
    cdef public object undelivered
    cdef public object reported
    cdef public Meter compression
    cdef public long long bytes_in
    cdef public long long bytes_out
    cdef public long long buffers_in
    cdef public long long buffers_out

    cpdef void confirm(self, long long number, double now) except *
