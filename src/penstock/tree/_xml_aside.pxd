"""Declarations for markup that is no tag."""

from libc.stdint cimport int32_t

from penstock.tree._arena cimport Arena
from penstock.tree._xml_state cimport Scanner

cdef const char *scan_exclamation(Scanner *x, Arena tree, const char *p) except NULL
cdef const char *scan_instruction(Scanner *x, Arena tree, const char *p) except NULL
cdef const char *scan_declaration(Scanner *x, Arena tree, const char *p) except NULL
