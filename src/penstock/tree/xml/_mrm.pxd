"""Declarations of the plan for MRM XML."""

from libc.stdint cimport int32_t, uint32_t

from penstock.tree.core._arena cimport Arena
from penstock.tree.model._part cimport Part

cdef enum:
    AS_ELEMENT = 0
    AS_ATTRIBUTE = 1

cdef class Matching

cdef class XmlPart(Part):
    cdef public int render
    cdef uint32_t xml_name, xml_namespace
    cdef public bytes opening, closing  # <name and </name>; for an attribute name=
    cdef public bytes id_text  # an attribute that every such element has, or empty
    cdef uint32_t value_name  # the attribute that holds the value, or 0
    cdef public bytes value_text
    cdef public bint is_string
    cdef public int loop  # those of one number are in one group that repeats; 0 for none
    cdef bint shares  # several of its parts have one name
    cdef Part part_at(self, Py_ssize_t *expected, Matching matching, uint32_t name, uint32_t namespace_, int render)
    cdef Part part_named(self, Py_ssize_t *expected, Matching matching, Arena tree, int32_t at)

cdef class Matching:
    cdef tuple parts
    cdef dict places  # of the parts, by name
    cdef dict order  # places by part, where fields of the tree say what they were parsed as; else None
    cdef dict left  # children that are still to come, by name
    cdef list counts  # of children that a part has so far
    cdef Py_ssize_t last
    cdef Part part_of(self, object name, Py_ssize_t known)
    cdef Py_ssize_t known_place(self, Arena tree, int32_t at)
    cdef int take(self, Py_ssize_t at) except -1
    cdef bint may_be(self, Py_ssize_t at)
    cdef int needed_behind(self, Py_ssize_t at, list places)
