cdef class Answer:
    cdef public long long position
    cdef public bint presses
    cdef public bint produces

    cpdef void release(self) except *
    cpdef void failed(self, object failure) except *
