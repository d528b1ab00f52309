cimport cython

cdef int SLOTS_PER_SECOND
cdef double LOOK_SECONDS


cdef class Deadlines:
    cdef dict _slots
    cdef long long _next
    cdef long long _slot
    cdef list _waits

    @cython.locals(due=cython.double, slot=cython.longlong)
    cpdef void add(self, object wait, double deadline, double now) except *
