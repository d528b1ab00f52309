"""Declarations of the name tables."""

from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcmp

cdef enum:
    LOCAL = 0x80000000  # ids with this bit belong to one tree and its copies

cdef struct NameEntry:
    PyObject *text
    const char *utf8
    uint32_t length
    uint32_t hash
    uint32_t valid  # as an NCName of XML: 0 not looked at, 1 yes, 2 no
    uint32_t quotable  # in JSON without escapes: the same

cdef class NameTable:
    cdef NameEntry *entries
    cdef uint32_t *slots
    cdef uint32_t count, capacity, mask, count_max
    cdef uint32_t add(self, const char *text, Py_ssize_t length, uint32_t hash) except 0
    cdef int grow(self) except -1

cdef uint64_t name_seed() noexcept
cdef NameTable shared_names()
cdef uint32_t shared_id(str name) except? 0

cdef inline uint32_t find_name(NameTable table, const char *text, Py_ssize_t length, uint32_t hash) noexcept:
    """Return the number of a name in a table, 0 if it is unknown."""
    cdef uint32_t j = hash & table.mask
    cdef uint32_t i = table.slots[j]
    cdef NameEntry *entry
    while i:
        entry = &table.entries[i]
        if entry.hash == hash and entry.length == <uint32_t>length and memcmp(entry.utf8, text, length) == 0:
            return i
        j = (j + 1) & table.mask
        i = table.slots[j]
    return 0
