"""Makes expression a compiled module: a Route evaluates its expressions for every message."""

from penstock.flow.xpath.axes cimport Visits
from penstock.flow.xpath.evaluation cimport At, evaluated
from penstock.flow.xpath.values cimport truth_of


cdef class XPath:
    cdef readonly str text
    cdef readonly object used
    cdef object _evaluate
    cpdef value(self, context, dict variables)
    cpdef bint holds(self, context, dict variables) except -1
