"""Declarations for changes of one field."""

from libc.stdint cimport int32_t, uint32_t

from penstock.tree.core._arena cimport Arena

cdef int replace(Arena tree, int32_t at, object value) except -1
cdef int change_value(Arena tree, int32_t at, object value) except -1
cdef int change_name(Arena tree, int32_t at, uint32_t name, uint32_t namespace_) except -1
cdef int change_type(Arena tree, int32_t at, uint32_t type_) except -1
