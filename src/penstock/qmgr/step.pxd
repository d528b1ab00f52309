cimport cython


@cython.final
cdef class Wishes:
    cdef public object pending
    cdef public list unsaved
    cdef public list discards
    cdef public list amended
    cdef public list misfiled
    cdef public list spilling
    cdef public list unread
    cdef public list to_compile
    cdef public list notices


@cython.final
cdef class Step:
    cdef readonly long long position
    cdef readonly list to_load

    cpdef void begin(self) noexcept
    cpdef long long end(self) noexcept
    cpdef void wait_for(self, long long position) noexcept
    cpdef void load(self, list messages) noexcept
    cpdef list take_load(self)
