# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Shapes: a number for each sequence of child names, so that a path finds a field where it was last time.

Shape + name = next shape, in a table whose hits compare the whole key: two folders with the same shape number
certainly have the same names in the same order. The table is capped and restarts when it is full; numbers are
never reused, so older trees stay right. When numbers or memory run out, shapes are UNKNOWN and searches are
linear. Only hints depend on this.
"""

from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc
from libc.string cimport memset

from penstock.tree.core._names cimport name_seed

cdef enum:
    SLOTS = 1 << 15  # 512 KB
    SHAPES_MAX = 1 << 14  # in the table at a time

cdef Transition *TABLE = <Transition *>calloc(SLOTS, sizeof(Transition))
cdef Transition LIKELY[LIKELY_MASK + 1]  # the last transition from a shape: messages are similar
cdef uint32_t COUNT = 0
cdef uint32_t LAST = EMPTY
cdef uint64_t SEED = name_seed()
memset(LIKELY, 0, sizeof(LIKELY))


cdef uint32_t next_shape(uint32_t shape, uint32_t name, uint32_t kind) noexcept:
    """Return the shape of a folder after a child was appended; `kind` is its namespace and role."""
    global COUNT, LAST
    if shape == UNKNOWN or TABLE == NULL:
        return UNKNOWN
    cdef uint64_t h = (SEED ^ shape ^ (<uint64_t>name << 32)) * <uint64_t>0x9E3779B97F4A7C15
    h = (h ^ (h >> 32) ^ kind) * <uint64_t>0xD6E8FEB86659FD93
    cdef uint32_t i = <uint32_t>(h >> 40) & (SLOTS - 1)
    while TABLE[i].after:
        if TABLE[i].shape == shape and TABLE[i].name == name and TABLE[i].kind == kind:
            LIKELY[shape & LIKELY_MASK] = TABLE[i]
            return TABLE[i].after
        i = (i + 1) & (SLOTS - 1)
    if LAST == <uint32_t>0xFFFFFFFF:
        return UNKNOWN
    if COUNT == SHAPES_MAX:
        memset(TABLE, 0, SLOTS * sizeof(Transition))
        COUNT = 0
        i = <uint32_t>(h >> 40) & (SLOTS - 1)
    LAST += 1
    COUNT += 1
    TABLE[i].shape = shape
    TABLE[i].name = name
    TABLE[i].kind = kind
    TABLE[i].after = LAST
    LIKELY[shape & LIKELY_MASK] = TABLE[i]
    return LAST


cdef Transition *likely_transitions() noexcept:
    """Return the table of likely transitions; a hit must match the whole key."""
    return LIKELY


def shape_count() -> int:
    """Return how many shapes the table holds now, for tests."""
    return COUNT
