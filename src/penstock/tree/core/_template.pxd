"""Declarations of templates: the elements that every message of a model has, ready to be copied."""

from libc.stdint cimport int32_t, uint32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.core._element cimport Element

cdef enum:
    TEMPLATE_ELEMENTS_MAX = 1024

cdef class Template:
    cdef Element *elements
    cdef int32_t count
    cdef int32_t base, folder  # the numbers that the links are right for
    cdef int32_t first, last  # children of the folder
    cdef uint32_t shape  # of the folder
    cdef bint fits(self, Arena tree, int32_t folder) noexcept
    cdef int32_t stamp(self, Arena tree, int32_t folder) except -1
    cdef int rebase(self, int32_t base, int32_t folder) noexcept
    cdef int cut(self, Arena tree, int32_t folder, int32_t kept) noexcept

cdef Template template_of(Arena tree, int32_t folder, int32_t base)
