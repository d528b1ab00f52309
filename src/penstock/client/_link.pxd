from libc.stdint cimport uint32_t, uint64_t

from penstock.protocol._frames cimport Frame, Outgoing
from penstock.client._stream cimport Stream


cdef class Slot:
    cdef readonly uint32_t conversation
    cdef readonly uint32_t request
    cdef bint done
    cdef bint leads
    cdef double patience  # of the caller, in seconds; negative for ever
    cdef double extended  # the deadline since the server has last reported the call as under way
    cdef Frame frame
    cdef object lock
    cdef object parts

    cdef void keep(self, Frame frame) except *


cdef class ClientLink:
    cdef readonly Stream stream
    cdef readonly Outgoing out
    cdef dict pending
    cdef object followers
    cdef bint reading
    cdef bint owed
    cdef object send_lock
    cdef object orphans
    cdef uint32_t last_request
    cdef bytes id_head
    cdef uint64_t ids_made
    cdef readonly object failure
    cdef readonly str ending
    cdef public double silence_max
    cdef public object terms

    cpdef Slot begin(self, uint32_t conversation)
    cdef int _wait_to_send(self) except -1
    cpdef bytes fresh_id(self)
    cpdef bint send(self, bint more=*) except -1
    cpdef void abandon(self) except *
    cpdef Slot say(self, int kind, int flags, uint32_t conversation, uint32_t unit, bytes payload)
    cpdef Frame exchange(self, Slot slot, double timeout, bint interruptible=*)
    cpdef Frame answer(self, Slot slot, double timeout, bint interruptible=*)
    cdef Frame _answer(self, Slot slot, double deadline, bint interruptible)
    cdef bint _follow(self, Slot slot, double deadline, bint interruptible) except -1
    cpdef void release(self, Slot slot) except *
    cpdef void next_part(self, Slot slot) except *
    cdef bint _lead(self, Slot slot, double deadline, bint interruptible) except -1
    cdef bint _take(self, Frame frame) except -1
    cdef bint _extend(self, Frame frame) except -1
    cdef void _hand_over(self) except *
    cdef void _forget(self, Slot slot) except *
