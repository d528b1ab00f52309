from penstock.channel.line cimport Frame


cdef class Memory:
    cdef public str token
    cdef public long long sent
    cdef public long long kept
    cdef public long long kept_bytes
    cdef long long _counted
    cdef object _frames

    cpdef void keep(self, long long count, Frame frame) except *
    cpdef long long taken(self, long long count) except? -1
