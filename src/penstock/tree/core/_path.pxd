"""Declarations of Path."""

from libc.stdint cimport int32_t, uint8_t, uint32_t

cdef enum:
    ANY_NAME = 1
    ANY_NAMESPACE = 2
    ONLY_ATTRIBUTE = 4
    ONLY_TYPE = 8

cdef enum:
    OPEN_INDEX = -2147483648  # the caller fills it in

cdef struct StepRule:
    uint32_t name
    uint32_t namespace_
    int32_t index  # 0 the first match or a new one, n from the front, -n from the end
    uint8_t match
    uint32_t type  # the field type of the step; 0 if none
    # where the last match was: hints, always checked before use
    int32_t distance
    uint32_t before
    uint32_t missing

cdef class Path:
    cdef StepRule *rules
    cdef readonly int count
    cdef readonly int open_count
    cdef readonly tuple steps
