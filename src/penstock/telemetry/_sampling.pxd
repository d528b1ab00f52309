cimport cython


@cython.final
cdef class Sampler:
    cdef object _spans
    cdef unsigned long long _threshold
    cdef unsigned long long _state
    cdef object _plain

    cpdef bint draw(self) noexcept
    cpdef object of_put(self, object target, object properties)
    cpdef bint carries(self, object properties, object descriptor) except -1
