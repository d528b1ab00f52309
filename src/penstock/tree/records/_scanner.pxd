"""Declarations of the scanner of fixed structures."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.records._domain cimport CwfPlan

cdef int scan_cwf(CwfPlan plan, Arena tree, int32_t folder) except -1
