cimport cython


cdef class Candidates:
    cdef public list instances
    cdef public long long recent_max
    cdef public list turns


cdef class Chooser:
    cdef long long _ordinal
    cdef public dict used
    cdef public dict counts

    cpdef object choose(self, Candidates candidates)
    @cython.locals(last=cython.longlong, place=cython.Py_ssize_t, really=cython.longlong, used=dict, turn=tuple)
    cdef object _whose_turn(self, list instances, list turns, long long ordinal)
