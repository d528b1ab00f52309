"""Declarations for attributes and namespaces."""

from libc.stdint cimport int32_t, uint32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.xml._state cimport Attribute, Scanner

cdef const char *scan_attributes(Scanner *x, Arena tree, const char *q) except NULL
cdef const char *scan_value(Scanner *x, const char *q, Attribute *attribute, str no_sign, str what) except NULL
cdef int add_attributes(Scanner *x, Arena tree, int32_t at) except -1
cdef int check_name(Scanner *x, const char *p, const char *q, int32_t colon) except -1
cdef uint32_t bound(Scanner *x, const char *prefix, int32_t length) except? 0
