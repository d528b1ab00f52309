"""Makes values a compiled module: what expressions compare is made a text or a number for every message."""

cimport cython
from penstock.tree.core._reference cimport Reference


cpdef bint truth_of(value) except -1

@cython.locals(place=Reference)
cpdef double item_number(item) except? -1

cdef double _text_number(str text) except? -1

@cython.locals(others=list)
cpdef bint compare(str operator, left, right) except -1

@cython.locals(number=double, own=double)
cdef bint _members(str operator, list items, other, bint swapped) except -1

cdef bint _compare(str operator, left, right) except -1
cdef bint _ordered(str operator, double left, double right) except -1
