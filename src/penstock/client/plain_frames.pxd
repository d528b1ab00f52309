cimport cython
from libc.stdint cimport uint32_t

from penstock.client._link cimport ClientLink, Slot
from penstock.client.queue_numbers cimport QueueNumbers
from penstock.client.reply_coalescing cimport ReplyCoalescing
from penstock.face._clock cimport monotonic
from penstock.protocol._frames cimport Outgoing

cdef int _CHAINED, _GET


cdef class PlainFrames:
    cdef readonly QueueNumbers numbers
    cdef ReplyCoalescing _coalescing
    cdef dict _requests

    @cython.locals(slot=Slot, out=Outgoing, number=uint32_t)
    cpdef Slot put(self, ClientLink link, uint32_t conversation, int flags, uint32_t unit, str queue, int persistence, bytes msg_id, bytes correl_id, bytes body, bytes fields)
    @cython.locals(slot=Slot, out=Outgoing, number=uint32_t)
    cpdef Slot put_many(self, ClientLink link, uint32_t conversation, uint32_t unit, str queue, int persistence, list bodies)
    @cython.locals(slot=Slot, out=Outgoing, number=uint32_t)
    cpdef Slot get(self, ClientLink link, uint32_t conversation, int kind, uint32_t unit, str queue, int wait_ms, uint32_t count, bytes msg_id, bytes correl_id, int ahead=*)
    @cython.locals(slot=Slot, out=Outgoing, target=uint32_t, replies=uint32_t)
    cpdef Slot request(self, ClientLink link, uint32_t conversation, str queue, int persistence, bytes msg_id, bytes body, bytes fields, str reply_to, int wait_ms)
    cpdef bytes request_fields(self, object method, str reply_to)
    cpdef bint may_wait(self) except -1
    cpdef void got_ahead(self) except *
    cdef void _give_up(self, ClientLink link) except *
