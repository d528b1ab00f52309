cimport cython


cpdef bint is_watched(object descriptor) except -1


cdef class Message:
    cdef public bytes body
    cdef public bytes msg_id
    cdef public bytes correl_id
    cdef public object descriptor
    cdef public object properties
    cdef public double put_time
    cdef public double expires_at
    cdef public bint persistent
    cdef public int priority
    cdef public int backout_count
    cdef public int warning
    cdef public Py_ssize_t length
    cdef public double remaining
    cdef public bint reports
    cdef public object onward

    cdef public long long seq
    cdef public long long place
    cdef public long long location
    cdef public int state
    cdef public int lane
    cdef public bint misfiled
    cdef public object queue
    cdef public object owner
    cdef public Message older
    cdef public Message newer

    @cython.locals(copy=Message)
    cpdef Message snapshot(self)

    @cython.locals(copy=Message)
    cpdef Message with_body(self, bytes body)


cdef class Receipt:
    cdef readonly bytes msg_id
    cdef readonly bytes correl_id
    cdef readonly double put_time
    cdef readonly object descriptor
    cdef readonly int warning
    cdef readonly str resolved_queue
    cdef readonly str resolved_qmgr


@cython.locals(message=Message)
cpdef Message plain_message(
    bytes body, bytes msg_id, bytes correl_id, bint persistent, int priority, double put_time, object descriptor
)

@cython.locals(receipt=Receipt)
cpdef Receipt plain_receipt(Message message, str queue, str qmgr)
