cdef class Sampler:
    cdef unsigned long long _threshold
    cdef unsigned long long _state
    cdef object _plain

    cpdef bint draw(self) noexcept
    cpdef object of_put(self, object target, object properties)
    cpdef object got(self, object queue, object message, object began_ns)
