# cython: language_level=3, boundscheck=False, wraparound=False
"""The fixed part of a message head, packed and unpacked in C.

On the path of each persistent put and of each message at restart. It takes messages as Python
objects, so that it works with the compiled and the plain `Message`. `message_format` is its face and
describes the layout; nobody else calls it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcpy

from penstock.model.message import NO_ID, PLAIN, Message

cdef extern from *:
    """
    #include <stdint.h>
    #pragma pack(push, 1)
    struct ps_head {
        uint8_t version, flags, msg_id_length, correl_id_length;
        int32_t lane, priority, backout_count;
        int64_t queue_id, unit, seq, place;
        double put_time, expires_at;
        uint32_t descriptor_length, properties_length;
    };
    #pragma pack(pop)
    """
    struct ps_head:
        uint8_t version
        uint8_t flags
        uint8_t msg_id_length
        uint8_t correl_id_length
        int32_t lane
        int32_t priority
        int32_t backout_count
        int64_t queue_id
        int64_t unit
        int64_t seq
        int64_t place
        double put_time
        double expires_at
        uint32_t descriptor_length
        uint32_t properties_length

cdef enum:
    HEAD = 72
    VERSION_NUMBER = 1
    PERSISTENT = 1

HEAD_BYTES = HEAD
VERSION = VERSION_NUMBER
cdef object no_id = NO_ID
cdef object plain = PLAIN
cdef object message_class = Message


cdef bytes id_of(object value):
    """An id as it is kept: nothing for the one of 24 zero bytes, which most messages have."""
    return b"" if value is no_id or value == no_id else bytes(value)


def pack(message, int64_t queue_id, int64_t unit, bytes descriptor not None, bytes properties not None):
    """Return the head: the fixed part, both ids, the packed descriptor and the packed properties."""
    cdef ps_head head
    cdef bytes msg_id = id_of(message.msg_id)
    cdef bytes correl_id = id_of(message.correl_id)
    cdef Py_ssize_t a = PyBytes_GET_SIZE(msg_id), b = PyBytes_GET_SIZE(correl_id)
    cdef Py_ssize_t c = PyBytes_GET_SIZE(descriptor), d = PyBytes_GET_SIZE(properties)
    cdef bytes packed
    cdef char *target
    if a > 255 or b > 255:
        raise ValueError("an id of more than 255 bytes")
    head.version = VERSION_NUMBER
    head.flags = PERSISTENT if message.persistent else 0
    head.msg_id_length = <uint8_t>a
    head.correl_id_length = <uint8_t>b
    head.lane = message.lane
    head.priority = message.priority
    head.backout_count = message.backout_count
    head.queue_id = queue_id
    head.unit = unit
    head.seq = message.seq
    head.place = message.place
    head.put_time = message.put_time
    head.expires_at = message.expires_at
    head.descriptor_length = <uint32_t>c
    head.properties_length = <uint32_t>d
    packed = PyBytes_FromStringAndSize(NULL, HEAD + a + b + c + d)
    target = PyBytes_AS_STRING(packed)
    memcpy(target, &head, HEAD)
    memcpy(target + HEAD, PyBytes_AS_STRING(msg_id), a)
    memcpy(target + HEAD + a, PyBytes_AS_STRING(correl_id), b)
    memcpy(target + HEAD + a + b, PyBytes_AS_STRING(descriptor), c)
    memcpy(target + HEAD + a + b + c, PyBytes_AS_STRING(properties), d)
    return packed


cdef int64_t check(const char *data, int64_t size, ps_head *head) except -1:
    """Copy the fixed part out and return the length of the whole head, which is there."""
    cdef int64_t length
    if size < HEAD:
        raise ValueError("the head is cut off")
    memcpy(head, data, HEAD)
    length = HEAD + <int64_t>head.msg_id_length + head.correl_id_length
    length += <int64_t>head.descriptor_length + head.properties_length
    if head.version != VERSION_NUMBER:
        raise ValueError(f"the head has version {head.version}")
    if length > size:
        raise ValueError("the head is cut off")
    return length


def measure(data):
    """Return (length of the head at the beginning of `data`, queue id, unit)."""
    cdef Py_buffer view
    cdef ps_head head
    cdef int64_t length
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        length = check(<const char *>view.buf, view.len, &head)
        return length, head.queue_id, head.unit
    finally:
        PyBuffer_Release(&view)


def unpack(data, body, Py_ssize_t length, dict descriptors, miss, properties_of):
    """Return the message of a head.

    `descriptors` maps packed to shared descriptors; `miss(packed)` makes one that is not there;
    `properties_of(packed)` makes the properties. `body` None: the message keeps only its length.
    """
    cdef Py_buffer view
    cdef ps_head head
    cdef const char *at
    cdef object msg_id, correl_id, descriptor, properties = None, packed
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        check(<const char *>view.buf, view.len, &head)
        at = <const char *>view.buf + HEAD
        msg_id = PyBytes_FromStringAndSize(at, head.msg_id_length) if head.msg_id_length else no_id
        at += head.msg_id_length
        correl_id = PyBytes_FromStringAndSize(at, head.correl_id_length) if head.correl_id_length else no_id
        at += head.correl_id_length
        descriptor = plain
        if head.descriptor_length:
            packed = PyBytes_FromStringAndSize(at, head.descriptor_length)
            descriptor = descriptors.get(packed)
            if descriptor is None:
                descriptor = miss(packed)
        at += head.descriptor_length
        if head.properties_length:
            properties = properties_of(PyBytes_FromStringAndSize(at, head.properties_length))
    finally:
        PyBuffer_Release(&view)
    message = message_class(
        b"" if body is None else body, msg_id, correl_id, bool(head.flags & PERSISTENT), head.priority,
        head.put_time, head.expires_at, descriptor, properties,
    )
    if body is None:
        message.body = None
    if head.lane:
        message.lane = head.lane
    if head.backout_count:
        message.backout_count = head.backout_count
    message.length = length
    message.seq = head.seq
    message.place = head.place
    return message
