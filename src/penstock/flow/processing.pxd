"""Makes processing a compiled module: every wire leads through it."""

from penstock.flow.assembly cimport Assembly


cdef class Processing:
    cdef process(self, Assembly assembly)


cpdef forward(onward, Assembly assembly)
