"""Declarations of Limits."""

from libc.stdint cimport int32_t, int64_t, uint32_t

cdef class Limits:
    cdef readonly int32_t depth_max, elements_max, attributes_max, namespaces_max
    cdef readonly uint32_t names_max
    cdef readonly int64_t size_max
