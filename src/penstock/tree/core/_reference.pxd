"""Declarations of Reference."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.core._path cimport Path, StepRule

cdef class Reference:
    cdef Arena tree
    cdef int32_t at
    cdef int check(self) except -1
    cdef int open(self) except -1
    cdef int needs_parent(self) except -1
    cdef int32_t found(self, Path path, object indexes) except -1
    cdef int32_t parent_of(self, Path path, object indexes) except -2
    cdef StepRule own_name(self) noexcept
    cdef bint go(self, int32_t at) noexcept
    cpdef object leaf_value(self)
    cpdef tuple every(self, Path path, int32_t most)
    cdef int32_t made(self, object name, object value, object namespace, object type_) except -1
    cpdef read_float(self, Path path)
    cpdef read_written(self, Path path, indexes=*)
    cpdef set_value(self, Path path, value, indexes=*)
    cdef int32_t brought(self, Reference other) except -1

cdef Reference new_reference(Arena tree, int32_t at)
