"""Declarations of the places that the tests of a model look at."""

from libc.stdint cimport int32_t, uint32_t

from penstock.tree.core._arena cimport Arena

cdef class ScannedElement:
    cdef Arena tree
    cdef int32_t at, top
    cdef public object checking  # what counts the steps of its walks, or None
    cdef list of_message(self, uint32_t wanted)
    cdef ScannedElement beside(self, int32_t at)
    cdef int tell(self, Py_ssize_t passed) except -1

cdef ScannedElement new_scanned_element(Arena tree, int32_t at, int32_t top)
