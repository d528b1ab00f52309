"""Declarations of the JSON scanner."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena

cdef int scan_json(Arena tree, int32_t folder) except -1
