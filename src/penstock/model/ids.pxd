cimport cython

cdef int ID_LENGTH, BLOCK_IDS


cdef class IdSource:
    cdef bytes _prefix
    cdef bytes _block
    cdef object _high
    cdef int _start

    @cython.locals(start=int, block=cython.p_char)
    cpdef bytes next(self)
