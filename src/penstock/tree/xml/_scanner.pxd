"""Declarations of the XML scanner."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena

cdef int scan_xml(Arena tree, int32_t folder, bint namespaces) except -1
