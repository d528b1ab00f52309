cdef extern from "<pthread.h>" nogil:
    ctypedef struct pthread_mutex_t:
        pass


cdef class Anyway


cdef class Gate:
    cdef pthread_mutex_t mutex
    cdef public bint closed
    cdef readonly unsigned long long entered
    cdef public object refusal
    cdef readonly Anyway anyway

    cpdef void acquire(self) noexcept
    cpdef void enter(self) except *
    cpdef bint try_acquire(self) noexcept
    cpdef void release(self) noexcept


cdef class Anyway:
    cdef Gate gate
