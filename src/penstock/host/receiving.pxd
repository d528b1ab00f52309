cdef class Receiving:
    pass
