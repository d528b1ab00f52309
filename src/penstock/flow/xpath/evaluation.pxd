"""Makes evaluation a compiled module: every expression makes one of its objects for every message."""

cimport cython
from penstock.flow.xpath.axes cimport Visits


cdef class At:
    cdef readonly object item
    cdef readonly dict variables
    cdef readonly Visits visits
    cdef readonly Py_ssize_t position, size


cdef class Evaluation:
    cdef evaluate(self, At at)


cdef class Constant(Evaluation):
    cdef object value


cdef class Variable(Evaluation):
    cdef str name


@cython.locals(own=Evaluation)
cpdef evaluated(expression, At at)
