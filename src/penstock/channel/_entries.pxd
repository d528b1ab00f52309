cpdef bytes whole_entry(bytes target, Py_ssize_t head, Py_ssize_t body, int hops, int flags)
cpdef bytes short_entry(bytes msg_id, double put_time, Py_ssize_t body, int flags)


cdef class Entry:
    cdef readonly Py_ssize_t end
    cdef readonly Py_ssize_t target_end
    cdef readonly int hops
    cdef readonly int flags
    cdef readonly bytes msg_id
    cdef readonly bytes body

    cpdef bint read(self, bytes payload, Py_ssize_t at) except -1
    cpdef double read_short(self, bytes payload) except? -1.0
