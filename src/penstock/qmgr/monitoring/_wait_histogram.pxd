cdef class WaitHistogram:
    cdef long long[9] counts

    cpdef void add(self, double seconds) noexcept
