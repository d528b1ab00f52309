"""Declarations for the text between tags."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.xml._state cimport Scanner

cdef int scan_text(Scanner *x, Arena tree, const char *p, const char *end) except -1
cdef int add_text(Scanner *x, Arena tree, const char *p, Py_ssize_t length, int kind) except -1
cdef int flush_text(Scanner *x, Arena tree, bint ending) except -1
