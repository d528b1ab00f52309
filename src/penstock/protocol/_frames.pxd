from cpython.object cimport PyObject
from libc.stdint cimport uint32_t
from penstock.model.message cimport Message


cpdef Py_ssize_t weight(Message message) except -1


cdef class Outgoing:
    cdef PyObject *held  # bytes that are not shared yet; NULL for none
    cdef char *data  # of `held`
    cdef readonly Py_ssize_t size
    cdef Py_ssize_t capacity
    cdef list pieces
    cdef readonly Py_ssize_t piece_bytes
    cdef bytes last_packed
    cdef object last_descriptor

    cdef bint reserve(self, Py_ssize_t count) except -1
    cdef char *room(self, Py_ssize_t count) except NULL
    cdef bytes written(self)
    cdef void clear(self, Py_ssize_t capacity_max) noexcept
    cdef char *header(self, Py_ssize_t here, Py_ssize_t rest, int kind, int flags, uint32_t conversation, uint32_t request, uint32_t unit) except NULL
    cdef bint append(self, bytes data) except -1
    cdef bytes packed(self, object descriptor)
    cdef bint write_message(self, Message message, bytes descriptor, bytes properties, bint counted) except -1
    cpdef bint frame(self, int kind, int flags, uint32_t conversation, uint32_t request, uint32_t unit, bytes payload) except -1
    cpdef bint receipt(self, uint32_t conversation, uint32_t request, Message message, int flags=*) except -1
    cpdef bint receipts(self, uint32_t conversation, uint32_t request, list put) except -1
    cpdef bint message(self, uint32_t conversation, uint32_t request, Message message, int flags=*) except -1
    cpdef bint messages(self, uint32_t conversation, uint32_t request, list found, int flags=*) except -1
    cpdef bint put(self, int flags, uint32_t conversation, uint32_t request, uint32_t unit, uint32_t target, int persistence, bytes msg_id, bytes correl_id, bytes data, bytes fields=*) except -1
    cpdef bint put_many(self, int flags, uint32_t conversation, uint32_t request, uint32_t unit, uint32_t target, int persistence, list bodies) except -1
    cpdef bint get(self, int kind, uint32_t conversation, uint32_t request, uint32_t unit, uint32_t target, int wait_ms, uint32_t count, bytes msg_id, bytes correl_id, int ahead=*) except -1
    cpdef list take(self)
    cpdef bytes whole(self)


cdef class Frame:
    cdef const unsigned char *at
    cdef readonly Py_ssize_t size
    cdef readonly int kind
    cdef readonly int flags
    cdef readonly uint32_t conversation
    cdef readonly uint32_t request
    cdef readonly uint32_t unit
    cdef readonly uint32_t target
    cdef readonly int persistence
    cdef readonly int wait_ms
    cdef readonly uint32_t count
    cdef readonly int ahead
    cdef readonly bytes msg_id
    cdef readonly bytes correl_id
    cdef readonly bytes fields
    cdef bytes last_packed
    cdef object last_descriptor
    cdef bytes last_properties_packed
    cdef dict last_properties
    cdef object held  # whose memory `at` points into, when it is the frame's own
    cdef bytes body  # of a large put; `at` has what comes before it

    cpdef Frame kept(self)
    cpdef Frame head(self)
    cpdef Frame copied(self)
    cdef void adopt(self, Frame other, bytes payload) except *
    cdef void set(self, const unsigned char *start, Py_ssize_t length) noexcept
    cdef bint need(self, Py_ssize_t count) except -1
    cdef Py_ssize_t ids(self, Py_ssize_t offset, int which) except -1
    cdef object descriptor(self, const unsigned char *packed, Py_ssize_t length)
    cdef dict properties(self, const unsigned char *packed, Py_ssize_t length)
    cdef Message one_message(self, const unsigned char *start, Py_ssize_t length)
    cpdef bytes payload(self)
    cpdef bytes start(self, Py_ssize_t count)
    cpdef bytes read_put(self)
    cpdef bint read_get(self) except -1
    cdef uint32_t read_many_head(self) except? 0
    cpdef list read_put_many(self)
    cpdef Message read_message(self)
    cpdef list read_messages(self)
    cpdef double read_receipt(self) except? -1
    cpdef list read_receipts(self, str queue, str qmgr)


cdef class ReadBuffer:
    cdef bytearray held
    cdef readonly object view


cdef class Splitter:
    cdef public Py_ssize_t frame_max
    cdef bytearray partial
    cdef bytes body
    cdef Py_ssize_t filled
    cdef Py_ssize_t wanted
    cdef Py_ssize_t goal
    cdef Py_ssize_t head
    cdef bint delivered
    cdef const unsigned char *data
    cdef Py_ssize_t at
    cdef Py_ssize_t end

    cpdef void start(self, const unsigned char[::1] data, Py_ssize_t count) except *
    cpdef void start_in(self, ReadBuffer buffer, Py_ssize_t count) except *
    cdef void begin(self, const unsigned char *data, Py_ssize_t count) noexcept
    cpdef bint has_more(self)
    cpdef void skip(self) except *
    cpdef bint next(self, Frame frame) except -1
    cdef Py_ssize_t length_at(self, const unsigned char *start) except -1
    cdef void forget(self) noexcept
    cdef bint plan(self) except -1
    cdef void take(self, Py_ssize_t count) noexcept
    cpdef object room(self)
    cpdef bytes rest(self)
    cpdef void grew(self, Py_ssize_t count) except *
