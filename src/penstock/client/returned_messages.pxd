cdef class ReturnedMessages:
    cdef list _found
    cdef public int leaving
