"""Declarations of the XML writer."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.core._output cimport OutputBuffer

cdef int write_xml(Arena tree, int32_t folder, OutputBuffer out, bint namespaces) except -1
