cdef class Deadlines:
    cdef dict _slots
    cdef long long _next

    cpdef void add(self, object gets, double deadline) except *
