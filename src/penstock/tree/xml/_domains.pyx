# cython: language_level=3
"""The XML domains: XMLNSC (compact), XMLNS (verbose) and XML (verbose, without namespaces)."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena, Domain
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.xml._scanner cimport scan_xml
from penstock.tree.xml._writer cimport write_xml


cdef class XmlDomain(Domain):
    """The base class of the XML domains."""

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        return scan_xml(tree, folder, self.namespaces)

    cdef int write(self, Arena tree, int32_t folder, OutputBuffer out) except -1:
        return write_xml(tree, folder, out, self.namespaces)


cdef class XMLNSC(XmlDomain):
    """XML as a compact tree; text is the value of its element, attributes are fields of their type."""

    def __init__(self):
        super().__init__("XMLNSC", namespaces=True, family="XMLNSC")


cdef class XMLNS(XmlDomain):
    """XML as a verbose tree; text, comments and instructions are fields among the children."""

    def __init__(self):
        super().__init__("XMLNS", verbose=True, namespaces=True)


cdef class XML(XmlDomain):
    """The oldest XML domain, verbose and without namespaces; a prefix is part of the name."""

    def __init__(self):
        super().__init__("XML", verbose=True)
