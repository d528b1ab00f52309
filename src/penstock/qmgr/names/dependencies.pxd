cimport cython


@cython.final
cdef class Dependency:
    cdef public bint valid
    cdef object __weakref__


@cython.final
cdef class Dependencies:
    cdef object _held
    cdef readonly long long changes


@cython.locals(dependency=Dependency)
cpdef bint all_valid(tuple dependencies) noexcept
