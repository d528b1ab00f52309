"""Declarations of scalars, and how a codec reads and writes them."""

from libc.stdint cimport int64_t

from penstock.tree.core._output cimport OutputBuffer

cdef enum:
    S_TEXT = 0
    S_INTEGER = 1
    S_FLOAT = 2

cdef struct Scalar:
    int kind
    const char *text  # ASCII
    Py_ssize_t length
    int64_t integer
    double number

cdef inline bint text_scalar(Scalar *scalar, const char *text, Py_ssize_t length) noexcept:
    scalar.kind = S_TEXT
    scalar.text = text
    scalar.length = length
    return True

cdef inline bint integer_scalar(Scalar *scalar, int64_t value) noexcept:
    scalar.kind = S_INTEGER
    scalar.integer = value
    return True

cdef inline bint float_scalar(Scalar *scalar, double value) noexcept:
    scalar.kind = S_FLOAT
    scalar.number = value
    return True

cdef bint short_integer(const char *p, Py_ssize_t length, int64_t *value) noexcept
cdef bint short_decimal(const char *p, Py_ssize_t length, double *value) noexcept
cdef int short_digits(double value, char *digits, int *exponent) noexcept
cdef bint as_integer(Scalar *scalar, int64_t *value) noexcept
cdef bint as_number(Scalar *scalar, double *value) noexcept
cdef int put_integer(OutputBuffer out, int64_t value) except -1
cdef bint put_number(OutputBuffer out, double value) except -1
