"""Makes operators a compiled module: a Route runs them for every message."""

from penstock.flow.xpath.evaluation cimport At, Evaluation, evaluated
from penstock.flow.xpath.values cimport compare


cdef class Comparison(Evaluation):
    cdef str operator
    cdef object left, right
