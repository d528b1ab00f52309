cimport cython

from penstock.model.message cimport Message
from penstock.qmgr.queue cimport Queue

cdef long long NO_LENGTH


@cython.final
cdef class Traffic:
    cdef readonly long long messages
    cdef readonly long long bytes
    cdef readonly long long persistent_messages
    cdef readonly long long persistent_bytes
    cdef readonly long long smallest
    cdef readonly long long largest

    @cython.locals(length=cython.longlong)
    cdef void add(self, Message message) noexcept
    cpdef void merge(self, Traffic other) except *


@cython.final
cdef class QueueAccount:
    cdef readonly long long id
    cdef readonly str name
    cdef readonly double first
    cdef readonly Traffic puts
    cdef readonly Traffic gets
    cdef readonly double wait_seconds
    cdef readonly double wait_max

    @cython.locals(seconds=cython.double)
    cdef void add_get(self, Message message, double now) noexcept


@cython.final
cdef class Account:
    cdef readonly long long number
    cdef readonly long long puts
    cdef readonly long long put_bytes
    cdef readonly long long gets
    cdef readonly long long get_bytes
    cdef public bint by_queue
    cdef readonly double connected
    cdef readonly double began
    cdef readonly long long sequence
    cdef readonly dict queues
    cdef readonly QueueAccount others
    cdef QueueAccount _put_to
    cdef QueueAccount _got_from

    cdef bint put(self, Queue queue, Message message) except -1
    cdef bint got(self, Queue queue, Message message, double now) except -1
    @cython.locals(found=QueueAccount)
    cdef QueueAccount _queue(self, Queue queue, double now)
