# cython: language_level=3, boundscheck=False, wraparound=False
"""The fixed part of a message head, packed and unpacked in C.

On the path of each persistent put and of each message at restart. It takes messages as Python
objects, so that it works with the compiled and the plain `Message`. `message_format` is its face and
describes the layout; nobody else calls it.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy

from penstock.model._interrupts cimport python_follows
from penstock.store._scan cimport RECORD_HEADER, Record, is_dead, next_record

from penstock.model.message import NO_ID, PLAIN, is_watched, plain_message

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
    ONWARD_VERSION = 2  # of a head with an onward part, which older releases cannot read
    LENGTH = 4
    PERSISTENT = 1

HEAD_BYTES = HEAD
VERSION = ONWARD_VERSION
cdef object no_id = NO_ID
cdef object plain = PLAIN
cdef object make_message = plain_message


cdef bytes id_of(object value):
    """An id as it is kept: nothing for the one of 24 zero bytes, which most messages have."""
    if value is no_id or value == no_id:
        return b""
    return value if type(value) is bytes else bytes(value)


cdef class HeadWriter:
    """Makes heads of messages; a descriptor is packed once and kept, as messages share them.

    `pack_descriptor`, `pack_properties` and `pack_onward` make bytes; at most `kept_max` packed descriptors are
    kept, then the memory starts anew.
    """

    cdef dict kept  # id of a descriptor -> (the descriptor, which so stays alive; packed)
    cdef object pack_descriptor
    cdef object pack_properties
    cdef object pack_onward
    cdef Py_ssize_t kept_max

    def __init__(self, pack_descriptor, pack_properties, pack_onward, Py_ssize_t kept_max):
        self.kept = {}
        self.pack_descriptor = pack_descriptor
        self.pack_properties = pack_properties
        self.pack_onward = pack_onward
        self.kept_max = kept_max

    cpdef bytes descriptor(self, object descriptor):
        """Return a descriptor as bytes."""
        cdef object key
        cdef tuple entry
        if descriptor is plain:
            return b""
        key = <size_t><void *>descriptor
        entry = self.kept.get(key)
        if entry is None:
            if len(self.kept) >= self.kept_max:
                self.kept.clear()
            python_follows()
            entry = self.kept[key] = (descriptor, self.pack_descriptor(descriptor))
        return entry[1]

    def encode(self, message, int64_t queue_id=0, int64_t unit=0):
        """Return the head of a message, with the caller's two numbers.

        The fixed part, both ids, the packed descriptor and the packed properties; with an onward part its
        length behind the fixed part, and it at the end.
        """
        cdef ps_head head
        cdef bytes msg_id = id_of(message.msg_id)
        cdef bytes correl_id = id_of(message.correl_id)
        cdef bytes descriptor = self.descriptor(message.descriptor)
        cdef object properties = message.properties
        cdef object onward = message.onward
        cdef bytes packed_properties = b""
        cdef Py_ssize_t a = PyBytes_GET_SIZE(msg_id), b = PyBytes_GET_SIZE(correl_id)
        cdef Py_ssize_t c = PyBytes_GET_SIZE(descriptor), d = PyBytes_GET_SIZE(packed_properties)
        cdef bytes packed, packed_onward = b""
        cdef Py_ssize_t before = 0, e = 0
        cdef uint32_t onward_length
        cdef char *target
        if onward is not None:
            python_follows()
            packed_onward = self.pack_onward(onward)
            e = PyBytes_GET_SIZE(packed_onward)
            before = LENGTH
        if properties:
            python_follows()
            packed_properties = self.pack_properties(properties)
            d = PyBytes_GET_SIZE(packed_properties)
        if a > 255 or b > 255:
            raise ValueError("an id of more than 255 bytes")
        head.version = ONWARD_VERSION if before else VERSION_NUMBER
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
        packed = PyBytes_FromStringAndSize(NULL, HEAD + before + a + b + c + d + e)
        target = PyBytes_AS_STRING(packed)
        memcpy(target, &head, HEAD)
        if before:
            onward_length = <uint32_t>e
            memcpy(target + HEAD, &onward_length, LENGTH)
            memcpy(target + HEAD + LENGTH + a + b + c + d, PyBytes_AS_STRING(packed_onward), e)
        target += HEAD + before
        memcpy(target, PyBytes_AS_STRING(msg_id), a)
        memcpy(target + a, PyBytes_AS_STRING(correl_id), b)
        memcpy(target + a + b, PyBytes_AS_STRING(descriptor), c)
        memcpy(target + a + b + c, PyBytes_AS_STRING(packed_properties), d)
        return packed


cdef int64_t check(const char *data, int64_t size, ps_head *head) except -1:
    """Copy the fixed part and return the length of the whole head, which is complete."""
    cdef int64_t length
    cdef uint32_t onward_length
    if size < HEAD:
        raise ValueError("the head is cut off")
    memcpy(head, data, HEAD)
    length = HEAD + <int64_t>head.msg_id_length + head.correl_id_length
    length += <int64_t>head.descriptor_length + head.properties_length
    if head.version == ONWARD_VERSION:
        if size < HEAD + LENGTH:
            raise ValueError("the head is cut off")
        memcpy(&onward_length, data + HEAD, LENGTH)
        length += LENGTH + <int64_t>onward_length
    elif head.version != VERSION_NUMBER:
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


cdef class HeadReader:
    """Makes messages of heads; neighbours share their descriptor.

    `descriptors` maps packed to shared descriptors; `miss(packed)` creates a missing one;
    `properties_of(packed)` makes the properties, `onward_of(packed)` the onward part.
    """

    cdef dict descriptors
    cdef object miss
    cdef object properties_of
    cdef object onward_of
    cdef bytes last_packed
    cdef object last_descriptor

    def __init__(self, dict descriptors not None, miss, properties_of, onward_of):
        self.descriptors = descriptors
        self.miss = miss
        self.properties_of = properties_of
        self.onward_of = onward_of
        self.last_packed = b""

    cdef object descriptor_of(self, const char *packed, uint32_t length):
        if length == 0:
            return plain
        if length == PyBytes_GET_SIZE(self.last_packed) and not memcmp(
                packed, PyBytes_AS_STRING(self.last_packed), length):
            return self.last_descriptor
        key = PyBytes_FromStringAndSize(packed, length)
        descriptor = self.descriptors.get(key)
        if descriptor is None:
            descriptor = self.miss(key)
        self.last_packed = key
        self.last_descriptor = descriptor
        return descriptor

    cdef object message(self, const char *data, int64_t size, object body, int64_t length, ps_head *head):
        cdef const char *at = data + HEAD
        cdef int64_t whole = check(data, size, head)
        if head.version == ONWARD_VERSION:
            at += LENGTH
        msg_id = PyBytes_FromStringAndSize(at, head.msg_id_length) if head.msg_id_length else no_id
        at += head.msg_id_length
        correl_id = PyBytes_FromStringAndSize(at, head.correl_id_length) if head.correl_id_length else no_id
        at += head.correl_id_length
        descriptor = self.descriptor_of(at, head.descriptor_length)
        at += head.descriptor_length
        properties = None
        if head.properties_length:
            properties = self.properties_of(PyBytes_FromStringAndSize(at, head.properties_length))
        message = make_message(
            b"" if body is None else body, msg_id, correl_id, bool(head.flags & PERSISTENT), head.priority,
            head.put_time, descriptor,
        )
        if head.expires_at:
            message.expires_at = head.expires_at
        if properties is not None:
            message.properties = properties
        if descriptor is not plain:
            message.reports = is_watched(descriptor)
        if head.version == ONWARD_VERSION:
            at += head.properties_length
            message.onward = self.onward_of(PyBytes_FromStringAndSize(at, data + whole - at))
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

    def read(self, data, body, int64_t length):
        """Return the message of the head that `data` begins with; `body` None: it keeps only its length."""
        cdef Py_buffer view
        cdef ps_head head
        PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
        try:
            return self.message(<const char *>view.buf, view.len, body, length, &head)
        finally:
            PyBuffer_Release(&view)

    def whole(self, bytes data not None, int64_t at, int64_t end):
        """Return the message whose head is at a place of `data`, with the body that follows up to `end`."""
        cdef ps_head head
        cdef const char *start = PyBytes_AS_STRING(data)
        cdef int64_t body_at
        if at < 0 or end < at or end > PyBytes_GET_SIZE(data):
            raise ValueError("the message is cut off")
        body_at = at + check(start + at, end - at, &head)
        body = PyBytes_FromStringAndSize(start + body_at, end - body_at)
        return self.message(start + at, end - at, body, end - body_at, &head)

    def scan(self, const uint8_t[::1] data not None, int64_t base, const uint8_t[::1] dead not None,
             dict amended, list found):
        """Append (message without its body, queue id, unit) of each live record of a file's part.

        As `_scan.scan_records`; ValueError when a head makes no sense.
        """
        cdef Record record
        cdef ps_head head
        cdef int64_t at = 0, size = data.shape[0], location, records = 0
        while at < size and next_record(<const char *>&data[0], size, at, &record) == 1:
            records += 1
            location = base + at
            if not is_dead(dead, location & 0xFFFFFFFF):
                message = self.message(
                    <const char *>&data[at + RECORD_HEADER], record.head_length, None, record.body_length, &head)
                message.location = location
                if amended and location in amended:
                    message.backout_count = amended[location]
                found.append((message, head.queue_id, head.unit))
            at += record.bytes
        return at, records
