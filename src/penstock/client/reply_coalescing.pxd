cdef double AT_ONCE_SECONDS, HELD_SECONDS
cdef long REPLIES_SEEN


cdef class ReplyCoalescing:
    cdef long _replies
    cdef double _put_at
    cdef double _held_at

    cpdef bint put(self, double now) except -1
    cpdef void get(self, bint leaves, double now) except *
