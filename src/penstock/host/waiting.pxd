from penstock.model._interrupts cimport begin, end
from penstock.qmgr.step cimport Wishes


cdef class Caller:
    cdef public object host
    cdef Wishes wishes

    cpdef void finish(self, long long position) except *
