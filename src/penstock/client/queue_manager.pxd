cimport cython
from libc.stdint cimport uint32_t

from penstock.face.receiving cimport Receiving
from penstock.model.message cimport Message, Receipt, plain_message, plain_receipt
from penstock.protocol._frames cimport Frame
from penstock.client._link cimport ClientLink, Slot
from penstock.face._clock cimport now as clock
from penstock.client.open_units cimport OpenUnits
from penstock.client.plain_frames cimport PlainFrames
from penstock.client.read_ahead cimport QueueHints
from penstock.client.returned_messages cimport ReturnedMessages

cdef double WAIT_SECONDS_MAX
cdef int ASYNC, WAIT_MS_MAX, _GET, _GET_MANY, _FAILED, _MESSAGE, _NOTHING, _RECEIPT


cdef class ClientQueueManager(Receiving):
    cdef public ClientLink link
    cdef public str name
    cdef public object target
    cdef public uint32_t conversation
    cdef public bint closed
    cdef public Py_ssize_t message_max
    cdef public double timeout
    cdef readonly OpenUnits open_units
    cdef readonly PlainFrames frames
    cdef public QueueHints hints
    cdef public ReturnedMessages kept
    cdef public object sampler
    cdef object __weakref__

    cpdef uint32_t unit_number(self) except? 0xFFFFFFFF
    cpdef double patience(self, object wait) except? -2
    cdef Message _get(self, object queue, object wait, object correl_id, object msg_id, object selector)
    cdef Frame _awaited(self, Slot slot, double timeout, str queue, uint32_t unit)
    cdef void _check_length(self, bytes body) except *
    @cython.locals(size=cython.Py_ssize_t)
    cdef Py_ssize_t _plain_bytes(self, list bodies) except -2
    @cython.locals(slot=Slot, frame=Frame)
    cdef list _put_part(self, str queue, list part, int persistence, uint32_t unit)
    @cython.locals(slot=Slot, frame=Frame, message=Message, put_time=cython.double)
    cdef object _put_plain(self, str queue, bytes body, int persistence, bytes correl_id, bytes msg_id, uint32_t unit, int flags, bytes fields)
    @cython.locals(slot=Slot, link=ClientLink)
    cpdef Slot ask_many(self, str queue, uint32_t count, uint32_t unit)
    @cython.locals(slot=Slot, frame=Frame)
    cdef object _get_plain(self, int kind, str queue, int wait_ms, uint32_t count, bytes correl_id, bytes msg_id, uint32_t unit, double timeout, int ahead=*)


@cython.locals(seconds=cython.double)
cpdef int milliseconds(object wait) except? -2
