"""Declarations of the plan for MRM XML."""

from libc.stdint cimport uint32_t

from penstock.tree._part cimport Part

cdef enum:
    AS_ELEMENT = 0
    AS_ATTRIBUTE = 1

cdef class XmlPart(Part):
    cdef public int render
    cdef uint32_t xml_name, xml_namespace
    cdef public bytes opening, closing  # <name and </name>; for an attribute name=
    cdef public bytes id_text  # an attribute that every such element has, or empty
    cdef uint32_t value_name  # the attribute that holds the value, or 0
    cdef public bytes value_text
    cdef public bint is_string
    cdef Part part_at(self, Py_ssize_t *expected, uint32_t name, uint32_t namespace_, int render)
    cdef Part part_named(self, Py_ssize_t *expected, uint32_t name)
