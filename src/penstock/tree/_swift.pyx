# cython: language_level=3
"""SWIFT: FIN messages (MT) as blocks, sequences and fields."""

from libc.stdint cimport int32_t

from penstock.tree._arena cimport Arena, Domain
from penstock.tree._output cimport Output
from penstock.tree._swift_scanner cimport scan_swift
from penstock.tree._swift_writer cimport write_swift


cdef class SWIFT(Domain):
    """The domain."""

    def __init__(self):
        super().__init__("SWIFT")

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return scan_swift(tree, folder)

    cdef int write(self, Arena tree, int32_t folder, Output out) except -1:
        return write_swift(tree, folder, out)
