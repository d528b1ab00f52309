"""Declarations of the SWIFT scanner."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena

cdef int scan_swift(Arena tree, int32_t folder) except -1
