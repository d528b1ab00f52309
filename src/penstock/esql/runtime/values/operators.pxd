"""Makes operators a compiled module: arithmetic, comparisons and logic are called for every operator of a program."""

from penstock.esql.runtime.values.arithmetic cimport arithmetic
from penstock.esql.runtime.values.comparing cimport aligned

cpdef add(a, b)
cpdef subtract(a, b)
cpdef multiply(a, b)
cpdef divide(a, b)
cpdef equal(a, b)
cpdef unequal(a, b)
cpdef less(a, b)
cpdef less_equal(a, b)
cpdef greater(a, b)
cpdef greater_equal(a, b)
cpdef known_or(value, other)
cpdef nullif(a, b)
cdef bint _zoned_apart(a, b) except *
