"""Declarations of the writer of tagged and delimited text."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.tagged._domain cimport TdsPlan

cdef int write_tds(TdsPlan plan, Arena tree, int32_t folder, OutputBuffer out) except -1
