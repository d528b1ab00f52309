"""Declarations of the places that the tests of a model look at."""

from libc.stdint cimport int32_t

from penstock.tree._arena cimport Arena

cdef class Place:
    cdef Arena tree
    cdef int32_t at, top

cdef Place new_place(Arena tree, int32_t at, int32_t top)
