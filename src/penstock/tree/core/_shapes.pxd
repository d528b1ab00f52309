"""Declarations of shapes."""

from libc.stdint cimport uint32_t

cdef enum:
    UNKNOWN = 0  # no hint can be derived from it
    EMPTY = 1

    LIKELY_MASK = 0xFFF

cdef struct Transition:
    uint32_t shape
    uint32_t name
    uint32_t kind
    uint32_t after

cdef Transition *likely_transitions() noexcept
cdef uint32_t next_shape(uint32_t shape, uint32_t name, uint32_t kind) noexcept
