cdef class Frame:
    cdef public int kind
    cdef public bytes payload
    cdef public int flags
    cdef public long long request
    cdef public long long unit
