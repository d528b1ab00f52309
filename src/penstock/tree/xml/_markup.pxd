"""Declarations for markup other than tags."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.xml._state cimport Scanner

cdef const char *scan_exclamation(Scanner *x, Arena tree, const char *p) except NULL
cdef const char *scan_instruction(Scanner *x, Arena tree, const char *p) except NULL
cdef const char *scan_declaration(Scanner *x, Arena tree, const char *p) except NULL
