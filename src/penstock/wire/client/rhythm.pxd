from penstock.host._gate cimport monotonic


cdef class Rhythm:
    cdef long _replies
    cdef double _put_at

    cpdef bint put(self) except -1
    cpdef void get(self) except *
