# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Names and namespaces as numbers: one table for the process, and one for a tree with too many names.

Number 0 is the empty name. The shared table never removes names, so the number of names from messages is limited;
names beyond the cap, and long ones, are stored in a table of their tree. Names in a program (`Path`) are
always shared. Hashes are seeded per process. Trees use it through `_arena`; nothing here runs Python code
while it holds a pointer.
"""

import os

from cpython.bytes cimport PyBytes_AS_STRING
from cpython.ref cimport Py_DECREF, Py_INCREF
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdlib cimport calloc, free, realloc
from libc.string cimport memcpy

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._text cimport ps_hash

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *length) except NULL

cdef uint64_t SEED = 0
cdef bytes _random = os.urandom(8)
memcpy(&SEED, PyBytes_AS_STRING(_random), 8)

SHARED_NAMES_MAX = 1 << 16  # from messages; names of programs come on top
PROGRAM_NAMES_MAX = 1 << 20


cdef class NameTable:
    """Names by number, in order of arrival."""

    def __cinit__(self, uint32_t count_max=PROGRAM_NAMES_MAX):
        self.count_max = count_max
        self.grow()
        self.count = 1  # number 0 is the empty name and has no slot
        self.entries[0].utf8 = b""
        self.entries[0].length = self.entries[0].hash = 0
        Py_INCREF("")
        self.entries[0].text = <PyObject *>""
        self.entries[0].valid = 2
        self.entries[0].quotable = 1

    def __dealloc__(self):
        cdef uint32_t i
        for i in range(self.count):
            Py_DECREF(<object>self.entries[i].text)
        free(self.entries)
        free(self.slots)

    cdef int grow(self) except -1:
        cdef uint32_t capacity = self.capacity * 2 if self.capacity else 64
        cdef NameEntry *entries = <NameEntry *>realloc(self.entries, capacity * sizeof(NameEntry))
        if entries == NULL:
            raise MemoryError
        self.entries = entries
        cdef uint32_t *slots = <uint32_t *>calloc(2 * capacity, sizeof(uint32_t))
        if slots == NULL:
            raise MemoryError
        free(self.slots)
        self.slots = slots
        self.capacity = capacity
        self.mask = 2 * capacity - 1
        cdef uint32_t i, j
        for i in range(1, self.count):
            j = self.entries[i].hash & self.mask
            while self.slots[j]:
                j = (j + 1) & self.mask
            self.slots[j] = i
        return 0

    cdef uint32_t add(self, const char *text, Py_ssize_t length, uint32_t hash) except 0:
        """Add a new name; the text must be UTF-8."""
        if self.count >= self.count_max:
            raise error(mq.PSRC_TREE_NAMES, f"more than {self.count_max} different names", names_max=self.count_max)
        cdef object name = PyUnicode_DecodeUTF8(text, length, NULL)
        cdef Py_ssize_t size
        cdef const char *utf8 = PyUnicode_AsUTF8AndSize(name, &size)
        if self.count == self.capacity:
            self.grow()
        cdef uint32_t i = self.count
        cdef uint32_t j = hash & self.mask
        while self.slots[j]:
            j = (j + 1) & self.mask
        self.slots[j] = i
        self.count += 1
        Py_INCREF(name)
        self.entries[i].text = <PyObject *>name
        self.entries[i].utf8 = utf8
        self.entries[i].length = <uint32_t>size
        self.entries[i].hash = hash
        self.entries[i].valid = self.entries[i].quotable = 0
        return i


cdef NameTable SHARED = NameTable(PROGRAM_NAMES_MAX)


cdef uint64_t name_seed() noexcept:
    return SEED


cdef NameTable shared_names():
    return SHARED


cdef uint32_t shared_id(str name) except? 0:
    """Return the number of a program's name; added if it is new."""
    cdef Py_ssize_t length
    cdef const char *utf8
    try:
        utf8 = PyUnicode_AsUTF8AndSize(name, &length)
    except UnicodeEncodeError as problem:
        raise error(mq.PSRC_PATH_ERROR, f"no name: {problem.reason}") from problem
    if length == 0:
        return 0
    cdef uint32_t hash = ps_hash(utf8, length, SEED)
    cdef uint32_t found = find_name(SHARED, utf8, length, hash)
    return found if found else SHARED.add(utf8, length, hash)


def shared_count() -> int:
    """Return how many names the process knows, for tests and diagnostics."""
    return SHARED.count
