"""Declarations of the writer of fixed structures."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.records._domain cimport CwfPlan
from penstock.tree.core._output cimport OutputBuffer

cdef int write_cwf(CwfPlan plan, Arena tree, int32_t folder, OutputBuffer out) except -1
