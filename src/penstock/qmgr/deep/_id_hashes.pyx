# cython: language_level=3
"""Hashes of one of the ids of a block's messages: 6 bytes each, and a search in nanoseconds.

A get by an id searches those of every block of its queue while it holds the engine. A full block is sealed:
its hashes are sorted, with the position of each. Hashes spread evenly, so a search begins where a hash should
be, and is a few steps away at most. They are sorted in place: another thread's new memory would not be
returned to the system. Where two ids have the same hash, the messages decide. The oracle is
`tests/unit/qmgr/test_id_hashes.py`. Invariant: no step leaves the interpreter's lock, so others may search
while one thread seals.
"""

from sys import getsizeof

from cpython cimport array
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
import array

cdef array.array POSITIONS = array.array("H")


cdef class IdHashes:
    """By position until they are sealed; then sorted."""

    cdef array.array _hashes
    cdef array.array _positions  # of the sorted ones

    def __init__(self):
        self._hashes = array.array("I")
        self._positions = None

    def append(self, unsigned int hashed):
        """Add the hash of the next position."""
        self._hashes.append(hashed)

    def extend(self, list hashes):
        """Add the hashes of the next positions."""
        self._hashes.extend(array.array("I", hashes))

    def by_position(self):
        """Return the hashes by position, before they are sealed."""
        return self._hashes

    def footprint(self):
        """Return the bytes of memory of the hashes."""
        return getsizeof(self._hashes) + (0 if self._positions is None else getsizeof(self._positions))

    def seal(self):
        """Sort the hashes, where they are: none is added any more."""
        if self._positions is not None:
            return
        cdef Py_ssize_t count = len(self._hashes)
        cdef array.array positions = array.clone(POSITIONS, count, zero=False)
        cdef unsigned int* room = <unsigned int*>calloc(2 * count + 1, sizeof(unsigned int))
        if room == NULL:
            raise MemoryError
        memcpy(room, self._hashes.data.as_uints, count * sizeof(unsigned int))
        _spread(room, count, room + count, self._hashes.data.as_uints, positions.data.as_ushorts)
        free(room)
        _order(count, self._hashes.data.as_uints, positions.data.as_ushorts)
        self._positions = positions

    def find(self, unsigned int hashed):
        """Return the positions with a hash, ascending."""
        cdef unsigned int* values = self._hashes.data.as_uints
        cdef Py_ssize_t count = len(self._hashes), at
        if self._positions is None:
            return [at for at in range(count) if values[at] == hashed] if _has(values, count, hashed) else []
        at = _place_of(hashed, count)
        while at > 0 and values[at - 1] >= hashed:
            at -= 1
        while at < count and values[at] < hashed:
            at += 1
        if at == count or values[at] != hashed:
            return []
        found = []
        while at < count and values[at] == hashed:
            found.append(self._positions.data.as_ushorts[at])
            at += 1
        return found


cdef inline Py_ssize_t _place_of(unsigned int hashed, Py_ssize_t count) noexcept nogil:
    """Return where a hash is among as many sorted ones, if these spread evenly."""
    return <Py_ssize_t>((<unsigned long long>hashed * <unsigned long long>count) >> 32)


cdef bint _has(const unsigned int* values, Py_ssize_t count, unsigned int hashed) noexcept nogil:
    """Return whether a hash is there, without a branch for each: compilers make this a few at a time."""
    cdef Py_ssize_t at
    cdef unsigned int seen = 0
    for at in range(count):
        seen |= values[at] == hashed
    return seen != 0


cdef void _spread(const unsigned int* hashes, Py_ssize_t count, unsigned int* starts, unsigned int* values,
                  unsigned short* positions) noexcept nogil:
    """Copy hashes to about where they belong; those of one place keep their order. All of `starts` is 0."""
    cdef Py_ssize_t at, place
    for at in range(count):
        starts[_place_of(hashes[at], count) + 1] += 1
    for at in range(count):
        starts[at + 1] += starts[at]
    for at in range(count):
        place = _place_of(hashes[at], count)
        values[starts[place]] = hashes[at]
        positions[starts[place]] = <unsigned short>at
        starts[place] += 1


cdef void _order(Py_ssize_t count, unsigned int* values, unsigned short* positions) noexcept nogil:
    """Sort hashes that are nearly sorted; equal ones keep their order."""
    cdef Py_ssize_t at, hole
    cdef unsigned int value
    cdef unsigned short position
    for at in range(1, count):
        value, position, hole = values[at], positions[at], at
        while hole > 0 and values[hole - 1] > value:
            values[hole] = values[hole - 1]
            positions[hole] = positions[hole - 1]
            hole -= 1
        values[hole], positions[hole] = value, position
