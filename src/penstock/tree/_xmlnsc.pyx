# cython: language_level=3
"""XMLNSC: XML as a compact tree; text is the value of its element, attributes are fields of their type."""

from libc.stdint cimport int32_t

from penstock.tree._arena cimport Arena, Domain
from penstock.tree._output cimport Output
from penstock.tree._xml_scanner cimport scan_xml
from penstock.tree._xml_writer cimport write_xml


cdef class XMLNSC(Domain):
    """The domain."""

    def __init__(self):
        super().__init__("XMLNSC", namespaces=True, family="XMLNSC")

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return scan_xml(tree, folder, True)

    cdef int write(self, Arena tree, int32_t folder, Output out) except -1:
        return write_xml(tree, folder, out, True)
