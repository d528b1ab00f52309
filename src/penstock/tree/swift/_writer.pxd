"""Declarations of the SWIFT writer."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.core._output cimport OutputBuffer

cdef int write_swift(Arena tree, int32_t folder, OutputBuffer out) except -1
