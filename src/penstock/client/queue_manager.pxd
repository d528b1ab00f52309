cimport cython
from libc.stdint cimport uint32_t

from penstock.model.message cimport Message, Receipt, plain_message, plain_receipt
from penstock.protocol._frames cimport Frame, Outgoing
from penstock.client._link cimport ClientLink, Slot
from penstock.face._clock cimport monotonic
from penstock.face._clock cimport now as clock
from penstock.client.read_ahead cimport QueueHints
from penstock.client.connection cimport ClientConnection
from penstock.client.reply_coalescing cimport Rhythm

cdef double WAIT_SECONDS_MAX
cdef int ASYNC, WAIT_MS_MAX, _CHAINED, _GET, _GET_MANY, _FAILED, _MESSAGE, _NOTHING, _RECEIPT


cdef class ClientQueueManager(ClientConnection):
    cdef public dict names
    cdef public QueueHints hints
    cdef Rhythm rhythm
    cdef dict request_fields

    cdef Message _get(self, object queue, object wait, object correl_id, object msg_id, object selector)
    cdef Frame _awaited(self, Slot slot, double timeout, str queue, uint32_t unit)
    cdef bytes _described_request(self, str reply_to)
    cdef void _check_length(self, bytes body) except *
    cdef uint32_t _number(self, str queue) except? 0xFFFFFFFF
    @cython.locals(size=cython.Py_ssize_t)
    cdef Py_ssize_t _plain_bytes(self, list bodies) except -2
    @cython.locals(slot=Slot, frame=Frame)
    cdef list _put_part(self, str queue, list part, int persistence, uint32_t unit)
    @cython.locals(slot=Slot, frame=Frame, message=Message, put_time=cython.double)
    cdef object _put_plain(self, str queue, bytes body, int persistence, bytes correl_id, bytes msg_id, uint32_t unit, int flags, bytes fields)
    @cython.locals(slot=Slot)
    cpdef Slot ask_many(self, str queue, uint32_t count, uint32_t unit)
    @cython.locals(slot=Slot)
    cdef Slot _begin_get(self, int kind, str queue, int wait_ms, uint32_t count, bytes correl_id, bytes msg_id, uint32_t unit, int ahead=*)
    @cython.locals(slot=Slot, frame=Frame)
    cdef object _get_plain(self, int kind, str queue, int wait_ms, uint32_t count, bytes correl_id, bytes msg_id, uint32_t unit, double timeout, int ahead=*)


@cython.locals(seconds=cython.double)
cpdef int milliseconds(object wait) except? -2
