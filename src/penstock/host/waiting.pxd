from penstock.model._interrupts cimport begin, end
from penstock.qmgr.step cimport Wishes


cdef class Caller:
    cdef public object host
    cdef Wishes wishes
    cdef public Py_ssize_t progress

    cpdef void finish(self, long long position) except *
