cpdef bint begin() noexcept
cpdef void end() noexcept
cpdef bint acquire(object lock, double timeout) except -1
cdef int point() except -1
cdef void engine_entered() noexcept
cdef void engine_left() noexcept
cpdef void python_follows() noexcept
cpdef void raise_later(object failure) noexcept
