# cython: language_level=3, boundscheck=False, wraparound=False
"""What each message of a MOVE frame begins with, packed and unpacked in C.

`moves` is its face; docs/internals/channel-protocol.md has the layout. Here are bytes and numbers only, no
messages, so that it works with compiled and plain ones. What is cut off raises ValueError.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

cdef enum:
    LENGTH = 4  # bytes of the number that says how many follow
    ENTRY = 8
    ID = 24
    SHORT = 32  # of a message like the one before: its id and put time


cdef void put_entry(char *at, int64_t rest, Py_ssize_t target, int hops, int flags) noexcept:
    cdef uint32_t length = <uint32_t>rest
    cdef uint16_t short_length = <uint16_t>target
    memcpy(at, &length, LENGTH)
    memcpy(at + LENGTH, &short_length, 2)
    at[6] = <char>hops
    at[7] = <char>flags


cpdef bytes whole_entry(bytes target, Py_ssize_t head, Py_ssize_t body, int hops, int flags):
    """Return the beginning of a message of which everything is sent: up to its head."""
    cdef Py_ssize_t length = PyBytes_GET_SIZE(target)
    cdef int64_t rest = ENTRY - LENGTH + length + head + body
    cdef bytes packed
    if rest >> 32 or length >> 16 or hops >> 8:
        raise ValueError("a message is too long for a frame")
    packed = PyBytes_FromStringAndSize(NULL, ENTRY + length)
    put_entry(PyBytes_AS_STRING(packed), rest, length, hops, flags)
    memcpy(PyBytes_AS_STRING(packed) + ENTRY, PyBytes_AS_STRING(target), length)
    return packed


cpdef bytes short_entry(bytes msg_id, double put_time, Py_ssize_t body, int flags):
    """Return the beginning of a message that is like the one before: up to its body."""
    cdef bytes packed
    cdef char *at
    if PyBytes_GET_SIZE(msg_id) != ID or (ENTRY - LENGTH + SHORT + <int64_t>body) >> 32:
        raise ValueError("a message is too long for a frame, or its id has not 24 bytes")
    packed = PyBytes_FromStringAndSize(NULL, ENTRY + SHORT)
    at = PyBytes_AS_STRING(packed)
    put_entry(at, ENTRY - LENGTH + SHORT + body, 0, 0, flags)
    memcpy(at + ENTRY, PyBytes_AS_STRING(msg_id), ID)
    memcpy(at + ENTRY + ID, &put_time, sizeof(double))
    return packed


cdef class Entry:
    """The beginning of one message, as it was read last."""

    cpdef bint read(self, bytes payload, Py_ssize_t at) except -1:
        """Read what is at a place."""
        cdef const uint8_t *data = <const uint8_t *>PyBytes_AS_STRING(payload)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(payload)
        cdef uint32_t rest
        cdef uint16_t target
        if at < 0 or size - at < ENTRY:
            raise ValueError("a message is cut off")
        memcpy(&rest, data + at, LENGTH)
        memcpy(&target, data + at + LENGTH, 2)
        self.end = at + LENGTH + <Py_ssize_t>rest
        self.target_end = at + ENTRY + target
        self.hops = data[at + 6]
        self.flags = data[at + 7]
        if self.target_end > self.end or self.end > size:
            raise ValueError("a message is cut off")
        return True

    cpdef double read_short(self, bytes payload) except? -1.0:
        """Read what a message has of its own that is like the one before; return its put time."""
        cdef const char *at = PyBytes_AS_STRING(payload) + self.target_end
        cdef double put_time
        if self.end - self.target_end < SHORT:
            raise ValueError("a message is cut off")
        self.msg_id = PyBytes_FromStringAndSize(at, ID)
        memcpy(&put_time, at + ID, sizeof(double))
        self.body = PyBytes_FromStringAndSize(at + SHORT, self.end - self.target_end - SHORT)
        return put_time
