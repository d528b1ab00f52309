"""Makes paths a compiled module: a Route runs them for every message."""

cimport cython
from penstock.flow.xpath.axes cimport Visits
from penstock.flow.xpath.evaluation cimport At, Evaluation, evaluated
from penstock.tree.core._path cimport Path
from penstock.tree.core._reference cimport Reference


cdef class LocationPath(Evaluation):
    cdef object start
    cdef list steps
    cdef Path names


@cython.locals(place=Reference, answer=tuple)
cpdef list along(item, Path names, Visits visits)
