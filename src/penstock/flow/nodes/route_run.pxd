"""Makes routing a compiled module: a Route decides about every message."""

cimport cython
from penstock.flow.assembly cimport Assembly
from penstock.flow.processing cimport Processing, forward
from penstock.flow.xpath.expression cimport XPath
from penstock.tree.core._message cimport Message


cdef class Routing(Processing):
    cdef list table, names
    cdef dict wires
    cdef str default
    cdef bint only_first

    @cython.locals(tree=Message, xpath=XPath, terminal=str, variables=dict)
    cdef list _ways(self, Assembly assembly)
