"""Declarations of the scanner of tagged and delimited text."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.tagged._domain cimport TdsPlan

cdef int scan_tds(TdsPlan plan, Arena tree, int32_t folder) except -1
