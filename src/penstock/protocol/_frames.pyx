# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Frames as bytes: made, cut out of a stream, and read. The one module of `wire` with pointers.

`Outgoing` collects the frames of one write, `Splitter` finds frames in what a socket brings, `Frame` is
a view of one. Nothing here knows what a frame asks for. Every length that comes from outside is
checked before it is used: a frame that makes no sense raises ValueError, and its connection ends.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING, PyByteArray_FromStringAndSize
from cpython.buffer cimport PyBUF_WRITE
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.memoryview cimport PyMemoryView_FromMemory
from cpython.object cimport PyObject
from cpython.ref cimport Py_XDECREF
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.string cimport memcmp, memcpy

from penstock.model._interrupts cimport begin, end
from penstock.model.message cimport Message, Receipt, plain_message

from penstock.model.message import NO_ID, PLAIN
from penstock.store.message_format import (
    pack_properties,
    packed_descriptor,
    unpack_descriptor,
    unpack_properties,
)
from penstock.protocol import numbers as protocol

cdef extern from "Python.h":
    PyObject *new_bytes "PyBytes_FromStringAndSize"(const char *data, Py_ssize_t size) except NULL
    int resize_bytes "_PyBytes_Resize"(PyObject **held, Py_ssize_t size) except -1
    char *bytes_at "PyBytes_AS_STRING"(PyObject *held)

cdef enum:
    HEADER = 16
    PUT_FIXED = 8  # target, persistence, ids, length of descriptor fields
    GET_FIXED = 16  # target, wait, count, ids, a byte of nothing, how many ahead
    MESSAGE_FIXED = 80
    PERSISTENT = 1
    HAS_PROPERTIES = 2
    EXPIRES = 4
    WARNED = 8
    HEAD_BYTES = 256  # of a message in an answer, about
    OWN_PIECE = 16384  # a body of this size is handed to the socket as it is
    ID = 24
    LENGTH = 4  # bytes that contain the length of a frame
    LARGE = 1 << 20  # a frame of this size is not read in one go
    START = HEADER + PUT_FIXED  # bytes that contain where the body of a put begins

LARGE_BYTES = LARGE

cdef Py_ssize_t FRAME_MAX = protocol.FRAME_BYTES_MAX
cdef uint32_t MESSAGES_MAX = protocol.FRAME_MESSAGES_MAX
cdef int PUT = protocol.PUT
cdef int PUT_MANY = protocol.PUT_MANY
cdef int RECEIPT = protocol.RECEIPT
cdef int RECEIPTS = protocol.RECEIPTS
cdef int MESSAGE = protocol.MESSAGE
cdef int MESSAGES = protocol.MESSAGES
cdef object plain_descriptor = PLAIN
cdef bytes no_id = NO_ID


cdef object properties_packed = None  # those that were packed last: copies of a publication share them
cdef bytes properties_bytes = None


cdef bytes packed_properties(Message message):
    """Return a message's properties as they travel, None when it has none."""
    global properties_packed, properties_bytes
    if not message.properties:
        return None
    if message.properties is not properties_packed:
        properties_bytes = pack_properties(message.properties)
        properties_packed = message.properties
    return properties_bytes


cpdef Py_ssize_t weight(Message message) except -1:
    """Return about how many bytes of an answer a message takes."""
    cdef bytes properties = packed_properties(message)
    return message.length + HEAD_BYTES + (0 if properties is None else PyBytes_GET_SIZE(properties))


cdef inline uint32_t u32(const unsigned char *at) noexcept:
    cdef uint32_t value
    memcpy(&value, at, 4)
    return value


cdef inline void put_u32(char *at, uint32_t value) noexcept:
    memcpy(at, &value, 4)


cdef inline char *put_ids(char *at, bytes msg_id, bytes correl_id):
    """Write the identifiers that are given; return the position behind them."""
    if msg_id is not None:
        memcpy(at, PyBytes_AS_STRING(msg_id), ID)
        at += ID
    if correl_id is not None:
        memcpy(at, PyBytes_AS_STRING(correl_id), ID)
        at += ID
    return at


cdef class Outgoing:
    """Frames on their way out, in one buffer; large bodies stay objects of their own between them."""

    def __cinit__(self):
        self.held = NULL
        self.data = NULL
        self.size = 0
        self.capacity = 0
        self.pieces = None
        self.piece_bytes = 0
        self.last_packed = b""
        self.last_descriptor = plain_descriptor

    def __dealloc__(self):
        Py_XDECREF(self.held)

    cdef bint reserve(self, Py_ssize_t count) except -1:
        """Make room for this many bytes, so that nothing has to be moved."""
        cdef Py_ssize_t size, wanted = self.size + count
        if wanted <= self.capacity:
            return 0
        if self.held == NULL:
            wanted = max(wanted, 512)
            self.held = new_bytes(NULL, wanted)
        else:
            wanted += wanted >> 1
            size, self.size, self.capacity = self.size, 0, 0
            resize_bytes(&self.held, wanted)  # without memory it lets go of what was held
            self.size = size
        self.data = bytes_at(self.held)
        self.capacity = wanted
        return 0

    cdef char *room(self, Py_ssize_t count) except NULL:
        cdef char *at
        if self.size + count > self.capacity:
            self.reserve(count)
        at = self.data + self.size
        self.size += count
        return at

    cdef char *header(self, Py_ssize_t here, Py_ssize_t rest, int kind, int flags, uint32_t conversation,
                      uint32_t request, uint32_t unit) except NULL:
        """Begin a frame of header, `here` bytes that the caller writes now and `rest` that it appends."""
        cdef char *at
        if HEADER + here + rest > FRAME_MAX:
            raise ValueError(f"a frame of {HEADER + here + rest} bytes is too long")
        at = self.room(HEADER + here)
        put_u32(at, <uint32_t>(HEADER + here + rest))
        at[4] = <char>kind
        at[5] = <char>flags
        at[6] = <char>(conversation & 0xFF)
        at[7] = <char>(conversation >> 8)
        put_u32(at + 8, request)
        put_u32(at + 12, unit)
        return at + HEADER

    cdef bint append(self, bytes data) except -1:
        cdef Py_ssize_t count = PyBytes_GET_SIZE(data)
        if count < OWN_PIECE:
            memcpy(self.room(count), PyBytes_AS_STRING(data), count)
            return 0
        if self.pieces is None:
            self.pieces = []
        if self.size:
            self.pieces.append(self.written())
        self.pieces.append(data)
        self.piece_bytes += count
        return 0

    cpdef bint frame(self, int kind, int flags, uint32_t conversation, uint32_t request, uint32_t unit,
                     bytes payload) except -1:
        """Add a frame whose payload is bytes already."""
        self.header(0, PyBytes_GET_SIZE(payload), kind, flags, conversation, request, unit)
        self.append(payload)
        return 0

    cpdef bint put(self, int flags, uint32_t conversation, uint32_t request, uint32_t unit, uint32_t target,
                   int persistence, bytes msg_id, bytes correl_id, bytes data, bytes fields=None) except -1:
        """Add a put; `fields` are packed descriptor fields, None for none."""
        cdef Py_ssize_t ids = (ID if msg_id is not None else 0) + (ID if correl_id is not None else 0)
        cdef Py_ssize_t described = PyBytes_GET_SIZE(fields) if fields is not None else 0
        cdef char *at
        if described > 0xFFFF:
            raise ValueError("descriptor fields of more than 65535 bytes")
        at = self.header(
            PUT_FIXED + ids + described, PyBytes_GET_SIZE(data), PUT, flags, conversation, request, unit)
        put_u32(at, target)
        at[4] = <char>persistence
        at[5] = <char>((1 if msg_id is not None else 0) | (2 if correl_id is not None else 0))
        at[6] = <char>(described & 0xFF)
        at[7] = <char>(described >> 8)
        at = put_ids(at + PUT_FIXED, msg_id, correl_id)
        if described:
            memcpy(at, PyBytes_AS_STRING(fields), described)
        self.append(data)
        return 0

    cpdef bint put_many(self, int flags, uint32_t conversation, uint32_t request, uint32_t unit, uint32_t target,
                        int persistence, list bodies) except -1:
        cdef Py_ssize_t total = 0
        cdef bytes data
        cdef char *at
        for data in bodies:
            total += 4 + PyBytes_GET_SIZE(data)
        self.reserve(HEADER + 12 + inline_bytes(total, len(bodies)))
        at = self.header(12, total, PUT_MANY, flags, conversation, request, unit)
        put_u32(at, target)
        at[4] = <char>persistence
        at[5] = at[6] = at[7] = 0
        put_u32(at + 8, <uint32_t>len(bodies))
        for data in bodies:
            put_u32(self.room(4), <uint32_t>PyBytes_GET_SIZE(data))
            self.append(data)
        return 0

    cpdef bint get(self, int kind, uint32_t conversation, uint32_t request, uint32_t unit, uint32_t target,
                   int wait_ms, uint32_t count, bytes msg_id, bytes correl_id, int ahead=0) except -1:
        cdef Py_ssize_t ids = (ID if msg_id is not None else 0) + (ID if correl_id is not None else 0)
        cdef char *at = self.header(GET_FIXED + ids, 0, kind, 0, conversation, request, unit)
        put_u32(at, target)
        put_u32(at + 4, <uint32_t>wait_ms)
        put_u32(at + 8, count)
        at[12] = <char>((1 if msg_id is not None else 0) | (2 if correl_id is not None else 0))
        at[13] = 0
        at[14] = <char>(ahead & 0xFF)
        at[15] = <char>(ahead >> 8)
        put_ids(at + GET_FIXED, msg_id, correl_id)
        return 0

    cpdef bint receipt(self, uint32_t conversation, uint32_t request, Message message, int flags=0) except -1:
        cdef char *at = self.header(8 + ID, 0, RECEIPT, flags, conversation, request, 0)
        memcpy(at, &message.put_time, 8)
        memcpy(at + 8, PyBytes_AS_STRING(message.msg_id), ID)
        return 0

    cpdef bint receipts(self, uint32_t conversation, uint32_t request, list put) except -1:
        cdef char *at = self.header((8 + ID) * len(put), 0, RECEIPTS, 0, conversation, request, 0)
        cdef Message message
        for message in put:
            memcpy(at, &message.put_time, 8)
            memcpy(at + 8, PyBytes_AS_STRING(message.msg_id), ID)
            at += 8 + ID
        return 0

    cdef bytes packed(self, object descriptor):
        if descriptor is not self.last_descriptor:
            self.last_packed = packed_descriptor(descriptor)
            self.last_descriptor = descriptor
        return self.last_packed

    cpdef bint message(self, uint32_t conversation, uint32_t request, Message message, int flags=0) except -1:
        cdef bytes descriptor = self.packed(message.descriptor)
        cdef bytes properties = packed_properties(message)
        self.header(0, message_bytes(message, descriptor, properties), MESSAGE, flags, conversation, request, 0)
        self.write_message(message, descriptor, properties, False)
        return 0

    cpdef bint messages(self, uint32_t conversation, uint32_t request, list found, int flags=0) except -1:
        cdef Message message
        cdef Py_ssize_t total = 0
        for message in found:
            total += 4 + message_bytes(message, self.packed(message.descriptor), packed_properties(message))
        self.reserve(HEADER + inline_bytes(total, len(found)))
        self.header(0, total, MESSAGES, flags, conversation, request, 0)
        for message in found:
            self.write_message(message, self.packed(message.descriptor), packed_properties(message), True)
        return 0

    cdef bint write_message(self, Message message, bytes descriptor, bytes properties, bint counted) except -1:
        """Write a message; one of several is `counted`: its length comes first."""
        cdef Py_ssize_t d = PyBytes_GET_SIZE(descriptor)
        cdef Py_ssize_t head
        cdef int flags = PERSISTENT if message.persistent else 0
        cdef bint expires = message.expires_at != 0.0
        cdef bint warned = message.warning != 0
        cdef char *at
        cdef uint32_t length
        if properties is not None:
            flags |= HAS_PROPERTIES
        if expires:
            flags |= EXPIRES
        if warned:
            flags |= WARNED
        head = (MESSAGE_FIXED + (16 if expires else 0) + (8 if warned else 0) + d
                + (4 + PyBytes_GET_SIZE(properties) if properties is not None else 0))
        at = self.room(head + (4 if counted else 0))
        if counted:
            put_u32(at, <uint32_t>(head + PyBytes_GET_SIZE(message.body)))
            at += 4
        at[0] = <char>flags
        at[1] = <char>message.priority
        at[2] = <char>(d & 0xFF)
        at[3] = <char>(d >> 8)
        put_u32(at + 4, <uint32_t>message.backout_count)
        memcpy(at + 8, &message.put_time, 8)
        memcpy(at + 16, &message.seq, 8)
        memcpy(at + 24, &message.place, 8)
        memcpy(at + 32, PyBytes_AS_STRING(message.msg_id), ID)
        memcpy(at + 56, PyBytes_AS_STRING(message.correl_id), ID)
        at += MESSAGE_FIXED
        if expires:
            memcpy(at, &message.expires_at, 8)
            memcpy(at + 8, &message.remaining, 8)
            at += 16
        if warned:
            put_u32(at, <uint32_t>message.warning)
            put_u32(at + 4, <uint32_t>message.length)
            at += 8
        memcpy(at, PyBytes_AS_STRING(descriptor), d)
        at += d
        if properties is not None:
            length = <uint32_t>PyBytes_GET_SIZE(properties)
            put_u32(at, length)
            memcpy(at + 4, PyBytes_AS_STRING(properties), length)
        self.append(message.body)
        return 0

    cdef bytes written(self):
        """Return the contents of the buffer and start again; a large one is passed on without a copy."""
        cdef bytes data
        cdef PyObject *held
        if self.size < OWN_PIECE:
            data = PyBytes_FromStringAndSize(self.data, self.size)
            self.size = 0
            return data
        held = self.held
        self.held = NULL
        self.data = NULL
        self.capacity = 0
        resize_bytes(&held, self.size)
        self.size = 0
        data = <bytes>held
        Py_XDECREF(held)  # `data` has a reference of its own
        return data

    cdef void clear(self, Py_ssize_t capacity_max) noexcept:
        """Start again; an unusually large buffer is freed."""
        self.size = 0
        if self.capacity > capacity_max:
            Py_XDECREF(self.held)
            self.held = NULL
            self.data = NULL
            self.capacity = 0

    cpdef list take(self):
        """Return the data to write, in pieces, and start again."""
        cdef list pieces = self.pieces
        if pieces is None:
            return [self.written()] if self.size else []
        if self.size:
            pieces.append(self.written())
        self.pieces = None
        self.piece_bytes = 0
        return pieces

    cpdef bytes whole(self):
        """Return the data to write and start again, if it is in one piece; None if not, or if there is none."""
        return self.written() if self.pieces is None and self.size else None

    def __bool__(self):
        return self.size > 0 or self.pieces is not None


cdef inline Py_ssize_t inline_bytes(Py_ssize_t total, Py_ssize_t count) noexcept:
    """Return how much room to make for parts of about the same size: large ones stay objects of their own."""
    return total if total < count * OWN_PIECE else 0


cdef Py_ssize_t message_bytes(Message message, bytes descriptor, bytes properties) except -1:
    if message.body is None or message.msg_id is None or message.correl_id is None:
        raise ValueError("a message without its body or ids cannot travel")
    if PyBytes_GET_SIZE(message.msg_id) != ID or PyBytes_GET_SIZE(message.correl_id) != ID:
        raise ValueError("an id that is not 24 bytes long cannot travel")
    if PyBytes_GET_SIZE(descriptor) > 0xFFFF:
        raise ValueError("a descriptor of more than 65535 bytes cannot travel")
    return (
        MESSAGE_FIXED + (16 if message.expires_at != 0.0 else 0) + (8 if message.warning else 0)
        + PyBytes_GET_SIZE(descriptor) + (4 + PyBytes_GET_SIZE(properties) if properties is not None else 0)
        + PyBytes_GET_SIZE(message.body)
    )


cdef class Frame:
    """A view of one frame; good until the next one is cut out. Reading checks lengths."""

    def __cinit__(self):
        self.at = NULL
        self.last_packed = b""
        self.last_descriptor = plain_descriptor

    cdef void set(self, const unsigned char *start, Py_ssize_t length) noexcept:
        self.kind = start[4]
        self.flags = start[5]
        self.conversation = start[6] | (<uint32_t>start[7] << 8)
        self.request = u32(start + 8)
        self.unit = u32(start + 12)
        self.at = start + HEADER
        self.size = length - HEADER
        self.held = None
        self.body = None

    cdef void adopt(self, Frame other, bytes payload) except *:
        """Become a copy of another frame that holds its payload itself."""
        self.kind = other.kind
        self.flags = other.flags
        self.conversation = other.conversation
        self.request = other.request
        self.unit = other.unit
        self.held = payload
        self.body = None
        self.at = <const unsigned char *>PyBytes_AS_STRING(payload)
        self.size = PyBytes_GET_SIZE(payload)

    cpdef Frame kept(self):
        """Return this frame as one that stays good; None when its bytes are not its own to keep."""
        cdef Frame copy
        if self.held is None:
            return None
        copy = Frame()
        copy.kind, copy.flags, copy.conversation = self.kind, self.flags, self.conversation
        copy.request, copy.unit = self.request, self.unit
        copy.held, copy.body, copy.at, copy.size = self.held, self.body, self.at, self.size
        return copy

    cpdef Frame head(self):
        """Return a frame without the payload, which stays good; it has what was read of many puts."""
        cdef Frame copy = Frame()
        copy.kind, copy.flags, copy.conversation = self.kind, self.flags, self.conversation
        copy.request, copy.unit = self.request, self.unit
        copy.target, copy.persistence = self.target, self.persistence
        copy.size = 0
        return copy

    cpdef Frame copied(self):
        """Return this frame as one with bytes of its own."""
        cdef Frame copy = Frame()
        copy.adopt(self, self.payload())
        return copy

    cdef bint need(self, Py_ssize_t count) except -1:
        if self.size < count:
            raise ValueError(f"a frame of kind {self.kind} is too short")
        return 0

    cpdef bytes payload(self):
        """Return what follows the header."""
        cdef bytes found = PyBytes_FromStringAndSize(<const char *>self.at, self.size)
        return found if self.body is None else found + self.body

    cpdef bytes start(self, Py_ssize_t count):
        """Return the first bytes of the payload, at most so many."""
        return PyBytes_FromStringAndSize(<const char *>self.at, min(max(count, 0), self.size))

    cdef Py_ssize_t ids(self, Py_ssize_t offset, int which) except -1:
        self.msg_id = None
        self.correl_id = None
        if which & 1:
            self.need(offset + ID)
            self.msg_id = PyBytes_FromStringAndSize(<const char *>self.at + offset, ID)
            offset += ID
        if which & 2:
            self.need(offset + ID)
            self.correl_id = PyBytes_FromStringAndSize(<const char *>self.at + offset, ID)
            offset += ID
        return offset

    cpdef bytes read_put(self):
        """Read a put: target, persistence, ids and fields; return its body."""
        cdef Py_ssize_t offset, described
        self.need(PUT_FIXED)
        self.target = u32(self.at)
        self.persistence = self.at[4]
        offset = self.ids(PUT_FIXED, self.at[5])
        described = self.at[6] | (<Py_ssize_t>self.at[7] << 8)
        self.fields = None
        if described:
            self.need(offset + described)
            self.fields = PyBytes_FromStringAndSize(<const char *>self.at + offset, described)
            offset += described
        if self.body is not None:
            return self.body
        return PyBytes_FromStringAndSize(<const char *>self.at + offset, self.size - offset)

    cdef uint32_t read_many_head(self) except? 0:
        """Read what comes before the bodies of many puts: target and persistence; return how many follow."""
        cdef uint32_t count
        self.need(12)
        self.target = u32(self.at)
        self.persistence = self.at[4]
        count = u32(self.at + 8)
        if count > MESSAGES_MAX:
            raise ValueError(f"a frame of {count} messages; {MESSAGES_MAX} are possible")
        return count

    cpdef list read_put_many(self):
        """Read many puts: target and persistence; return the bodies."""
        cdef Py_ssize_t offset = 12, length
        cdef uint32_t index
        cdef list bodies = []
        for index in range(self.read_many_head()):
            self.need(offset + 4)
            length = u32(self.at + offset)
            offset += 4
            self.need(offset + length)
            bodies.append(PyBytes_FromStringAndSize(<const char *>self.at + offset, length))
            offset += length
        return bodies

    cpdef bint read_get(self) except -1:
        """Read a get: target, wait, count, how many ahead, and ids."""
        self.need(GET_FIXED)
        self.target = u32(self.at)
        self.wait_ms = <int32_t>u32(self.at + 4)
        self.count = u32(self.at + 8)
        self.ahead = self.at[14] | (<int>self.at[15] << 8)
        self.ids(GET_FIXED, self.at[12])
        return 0

    cpdef double read_receipt(self) except? -1:
        """Read a receipt: `msg_id`; return the put time."""
        cdef double put_time
        self.need(8 + ID)
        memcpy(&put_time, self.at, 8)
        self.msg_id = PyBytes_FromStringAndSize(<const char *>self.at + 8, ID)
        return put_time

    cpdef list read_receipts(self, str queue, str qmgr):
        """Return the receipts of many puts to a queue."""
        cdef Py_ssize_t offset = 0
        cdef list found = []
        cdef Receipt receipt
        while offset < self.size:
            self.need(offset + 8 + ID)
            receipt = Receipt.__new__(Receipt)
            memcpy(&receipt.put_time, self.at + offset, 8)
            receipt.msg_id = PyBytes_FromStringAndSize(<const char *>self.at + offset + 8, ID)
            receipt.correl_id = no_id
            receipt.descriptor = plain_descriptor
            receipt.warning = 0
            receipt.resolved_queue = queue
            receipt.resolved_qmgr = qmgr
            found.append(receipt)
            offset += 8 + ID
        return found

    cdef object descriptor(self, const unsigned char *packed, Py_ssize_t length):
        cdef bytes key
        if length == 0:
            return plain_descriptor
        if length == PyBytes_GET_SIZE(self.last_packed) and not memcmp(
                packed, PyBytes_AS_STRING(self.last_packed), length):
            return self.last_descriptor
        key = PyBytes_FromStringAndSize(<const char *>packed, length)
        begin()  # a signal must not cut the reading of a message off
        try:
            self.last_descriptor = unpack_descriptor(key)
        finally:
            end()
        self.last_packed = key
        return self.last_descriptor

    cdef dict properties(self, const unsigned char *packed, Py_ssize_t length):
        """Return properties; those of the message before, copied, when they are alike."""
        cdef bytes last = self.last_properties_packed
        if last is None or length != PyBytes_GET_SIZE(last) or memcmp(packed, PyBytes_AS_STRING(last), length):
            last = PyBytes_FromStringAndSize(<const char *>packed, length)
            begin()
            try:
                self.last_properties = unpack_properties(last)
            finally:
                end()
            self.last_properties_packed = last
        return self.last_properties.copy()

    cdef Message one_message(self, const unsigned char *start, Py_ssize_t length):
        cdef const unsigned char *at = start
        cdef const unsigned char *end = start + length
        cdef double put_time, expires_at = 0.0, remaining = 0.0
        cdef int64_t seq, place
        cdef int flags, priority, warning = 0
        cdef uint32_t backout_count, whole = 0, d, p
        cdef Message message
        if length < MESSAGE_FIXED:
            raise ValueError("a message is cut off")
        flags = at[0]
        priority = at[1]
        d = at[2] | (<uint32_t>at[3] << 8)
        backout_count = u32(at + 4)
        memcpy(&put_time, at + 8, 8)
        memcpy(&seq, at + 16, 8)
        memcpy(&place, at + 24, 8)
        msg_id = PyBytes_FromStringAndSize(<const char *>at + 32, ID)
        correl_id = no_id
        if memcmp(at + 56, PyBytes_AS_STRING(no_id), ID):
            correl_id = PyBytes_FromStringAndSize(<const char *>at + 56, ID)
        at += MESSAGE_FIXED
        if end - at < (16 if flags & EXPIRES else 0) + (8 if flags & WARNED else 0) + <Py_ssize_t>d:
            raise ValueError("a message is cut off")
        if flags & EXPIRES:
            memcpy(&expires_at, at, 8)
            memcpy(&remaining, at + 8, 8)
            at += 16
        if flags & WARNED:
            warning = <int>u32(at)
            whole = u32(at + 4)
            at += 8
        descriptor = self.descriptor(at, d)
        at += d
        properties = None
        if flags & HAS_PROPERTIES:
            if end - at < 4 or end - at - 4 < <Py_ssize_t>u32(at):
                raise ValueError("a message is cut off")
            p = u32(at)
            properties = self.properties(at + 4, p)
            at += 4 + p
        message = plain_message(
            PyBytes_FromStringAndSize(<const char *>at, end - at), msg_id, correl_id, flags & PERSISTENT,
            priority, put_time, descriptor)
        message.backout_count = backout_count
        message.expires_at = expires_at
        message.remaining = remaining
        message.properties = properties
        message.seq = seq
        message.place = place
        if flags & WARNED:
            message.warning = warning
            message.length = whole
        return message

    cpdef Message read_message(self):
        """Return the message that this frame carries."""
        return self.one_message(self.at, self.size)

    cpdef list read_messages(self):
        """Return the messages that this frame carries."""
        cdef Py_ssize_t offset = 0, length
        cdef list found = []
        while offset < self.size:
            self.need(offset + 4)
            length = u32(self.at + offset)
            offset += 4
            self.need(offset + length)
            found.append(self.one_message(self.at + offset, length))
            offset += length
        return found


cdef class ReadBuffer:
    """Where a loop reads to; `view` is what it hands to sockets."""

    def __cinit__(self, Py_ssize_t size):
        self.held = bytearray(size)
        self.view = memoryview(self.held)

    def taken(self, Py_ssize_t count):
        """Return a copy of what was read."""
        return bytes(self.view[:count])


cdef class Splitter:
    """Cuts a stream into frames; keeps an incomplete frame until the rest arrives."""

    def __cinit__(self, Py_ssize_t frame_max):
        self.frame_max = frame_max
        self.partial = None
        self.body = None  # of a large put: it is received where it stays
        self.filled = 0
        self.wanted = 0
        self.goal = 0  # how many bytes there must be before anything can be done
        self.head = 0  # how many of them go to `partial`
        self.delivered = False
        self.data = NULL
        self.at = 0
        self.end = 0

    cpdef void start(self, const unsigned char[::1] data, Py_ssize_t count) except *:
        """Begin with received bytes; they must stay in place until `next` returns False."""
        if not 0 < count <= data.shape[0]:
            raise ValueError("there are not so many bytes")
        self.begin(&data[0], count)

    cpdef void start_in(self, ReadBuffer buffer, Py_ssize_t count) except *:
        """Begin with bytes that were read into a buffer, as `start`."""
        if not 0 < count <= len(buffer.held):
            raise ValueError("there are not so many bytes")
        self.begin(<const unsigned char *>PyByteArray_AS_STRING(buffer.held), count)

    cdef void begin(self, const unsigned char *data, Py_ssize_t count) noexcept:
        self.data = data
        self.at = 0
        self.end = count

    cpdef bint has_more(self):
        """Return whether data are left of which frames can be cut out."""
        return self.at < self.end

    cpdef void skip(self) except *:
        """Drop the unread bytes; `rest` has returned them."""
        self.at = self.end

    cdef Py_ssize_t length_at(self, const unsigned char *start) except -1:
        cdef Py_ssize_t length = u32(start)
        if length < HEADER or length > self.frame_max:
            raise ValueError(f"a frame says that it has {length} bytes; {HEADER} to {self.frame_max} are possible")
        return length

    cpdef bint next(self, Frame frame) except -1:
        """Point `frame` at the next complete frame; False when more bytes must come first."""
        cdef Py_ssize_t count
        if self.delivered:  # the frame of last time is done with
            self.forget()
            frame.held = frame.body = None
        if not self.filled:
            if self.end - self.at >= LENGTH:
                count = self.length_at(self.data + self.at)
                if self.end - self.at >= count:
                    frame.set(self.data + self.at, count)
                    self.at += count
                    return True
            elif self.end == self.at:
                return False
            self.partial = PyByteArray_FromStringAndSize(NULL, LENGTH)
            self.head = self.goal = LENGTH
        while True:
            self.take(min(self.goal - self.filled, self.end - self.at))
            if self.filled < self.goal:
                return False
            if self.filled == self.wanted:
                break
            self.plan()
        frame.set(<const unsigned char *>PyByteArray_AS_STRING(self.partial), self.head)
        frame.held = self.partial
        frame.body = self.body
        self.delivered = True
        return True

    cdef void forget(self) noexcept:
        self.delivered = False
        self.partial = None
        self.body = None
        self.filled = self.wanted = 0

    cdef bint plan(self) except -1:
        """Make room for more of a frame: how long it is, and where the body of a large put begins, is known step by step."""
        cdef const unsigned char *start = <const unsigned char *>PyByteArray_AS_STRING(self.partial)
        cdef bytearray partial
        if not self.wanted:
            self.wanted = self.length_at(start)
            self.head = self.goal = self.wanted if self.wanted < LARGE else START
        else:
            self.goal = self.head = self.wanted
            if start[4] == PUT:
                self.head = START + ID * ((start[HEADER + 5] & 1) + (start[HEADER + 5] >> 1 & 1))
                self.head += start[HEADER + 6] | (<Py_ssize_t>start[HEADER + 7] << 8)
                self.body = PyBytes_FromStringAndSize(NULL, self.wanted - self.head)
        partial = PyByteArray_FromStringAndSize(NULL, self.head)
        memcpy(PyByteArray_AS_STRING(partial), start, self.filled)
        self.partial = partial
        return 0

    cdef void take(self, Py_ssize_t count) noexcept:
        """Copy bytes that came to where they stay."""
        cdef Py_ssize_t first = min(count, max(self.head - self.filled, 0))
        if first:
            memcpy(PyByteArray_AS_STRING(self.partial) + self.filled, self.data + self.at, first)
        if count > first:
            memcpy(
                PyBytes_AS_STRING(self.body) + (self.filled + first - self.head), self.data + self.at + first,
                count - first)
        self.filled += count
        self.at += count

    cpdef object room(self):
        """Return where the rest of a large frame may be read to directly; None for anywhere."""
        if self.delivered or self.goal != self.wanted or self.wanted - self.filled < OWN_PIECE:
            return None
        if self.body is None:
            return memoryview(self.partial)[self.filled:]
        if self.filled < self.head:
            return None
        return PyMemoryView_FromMemory(
            PyBytes_AS_STRING(self.body) + (self.filled - self.head), self.wanted - self.filled, PyBUF_WRITE)

    cpdef void grew(self, Py_ssize_t count) except *:
        """Note that bytes were read into `room`."""
        if not 0 <= count <= self.wanted - self.filled:
            raise ValueError("more bytes than there was room for")
        self.filled += count
        self.at = self.end = 0

    cpdef bytes rest(self):
        """Return the unread bytes."""
        return PyBytes_FromStringAndSize(<const char *>self.data + self.at, self.end - self.at)

    def feed(self, bytes data):
        """Return the frames that `data` completes, as (kind, flags, conversation, request, unit, payload)."""
        cdef Frame frame = Frame()
        found = []
        self.begin(<const unsigned char *>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))
        while self.next(frame):
            found.append((frame.kind, frame.flags, frame.conversation, frame.request, frame.unit, frame.payload()))
        return found
