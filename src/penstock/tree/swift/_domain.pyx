# cython: language_level=3
"""SWIFT: FIN messages (MT) as blocks, sequences and fields."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena, Domain
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.swift._scanner cimport scan_swift
from penstock.tree.swift._writer cimport write_swift


cdef class SWIFT(Domain):
    """The domain."""

    def __init__(self):
        super().__init__("SWIFT")

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return scan_swift(tree, folder)

    cdef int write(self, Arena tree, int32_t folder, OutputBuffer out) except -1:
        return write_swift(tree, folder, out)
