"""Declarations for copies of subtrees."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena

cdef int assign_field(Arena tree, int32_t target, Arena source, int32_t origin) except -1
cdef int32_t copy_detached(Arena tree, Arena source, int32_t origin, bint like) except -1
cdef bint is_within(Arena tree, int32_t at, int32_t above) noexcept
cdef int become(Arena tree, Arena source, int32_t origin) except -1
cdef bint is_like(Arena tree, int32_t target, Arena source, int32_t origin) except -1
