# cython: language_level=3
"""JSON: objects and arrays below the field Data."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena, Domain
from penstock.tree.json._scanner cimport scan_json
from penstock.tree.json._writer cimport write_json
from penstock.tree.core._output cimport OutputBuffer


cdef class JSON(Domain):
    """The domain."""

    def __init__(self):
        super().__init__("JSON")

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return scan_json(tree, folder)

    cdef int write(self, Arena tree, int32_t folder, OutputBuffer out) except -1:
        return write_json(tree, folder, out)
