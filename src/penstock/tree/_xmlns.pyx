# cython: language_level=3
"""XMLNS: XML as a verbose tree; text, comments and instructions are fields among the children."""

from libc.stdint cimport int32_t

from penstock.tree._arena cimport Arena, Domain
from penstock.tree._output cimport Output
from penstock.tree._xml_scanner cimport scan_xml
from penstock.tree._xml_writer cimport write_xml


cdef class XMLNS(Domain):
    """The domain."""

    def __init__(self):
        super().__init__("XMLNS", verbose=True, namespaces=True)

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return scan_xml(tree, folder, True)

    cdef int write(self, Arena tree, int32_t folder, Output out) except -1:
        return write_xml(tree, folder, out, True)
