# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Scalars: the value of a field as a C number or as ASCII text, without a Python object.

Codecs read and write them (`model/_codec`), so that a conversion between formats makes no Python objects.
Only simple values have a scalar: no characters beyond ASCII, at most 18 digits, plain decimal notation.
Every other value is decoded and encoded as an object, which also detects all errors: nothing here raises
one about a value.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

from penstock.tree.core._output cimport put

cdef enum:
    INTEGER_DIGITS = 18
    QUICK_DIGITS = 15  # that a double represents exactly, like the powers of ten up to there
    LOW_DIGITS = 8  # of these, in the second of two numbers of 32 bits
    LOW_END = 100_000_000
    NUMBER_BYTES = 24  # of a sign, the digits and a point, and some more

cdef double POWERS[QUICK_DIGITS + 1]
for _i in range(QUICK_DIGITS + 1):
    POWERS[_i] = 10.0 ** _i


cdef bint short_integer(const char *p, Py_ssize_t length, int64_t *value) noexcept:
    """Read an integer of at most 18 digits with or without a sign; False if it is not that simple."""
    cdef const char *end = p + length
    cdef bint negative = False
    cdef int64_t digits = 0
    if p < end and (p[0] == c'-' or p[0] == c'+'):
        negative = p[0] == c'-'
        p += 1
    if p == end or end - p > INTEGER_DIGITS:
        return False
    while p < end:
        if not c'0' <= p[0] <= c'9':
            return False
        digits = digits * 10 + (p[0] - 48)
        p += 1
    value[0] = -digits if negative else digits
    return True


cdef bint short_decimal(const char *p, Py_ssize_t length, double *value) noexcept:
    """Read a short number without an exponent; False if it is not that simple.

    Both the digits as an integer and the power of ten are exact, so their quotient is rounded correctly.
    """
    cdef int64_t digits = 0
    cdef Py_ssize_t i = 1 if p[0] == c'-' else 0
    cdef Py_ssize_t point = length
    cdef Py_ssize_t begin = i
    if length - i > QUICK_DIGITS or length <= i:
        return False
    while i < length:
        if c'0' <= p[i] <= c'9':
            digits = digits * 10 + (p[i] - 48)
        elif p[i] == c'.' and point == length and length - begin > 1:
            point = i + 1
        else:
            return False
        i += 1
    value[0] = digits / POWERS[length - point]
    if begin:
        value[0] = -value[0]
    return True


cdef int short_digits(double value, char *digits, int *exponent) noexcept:
    """Write the digits of a number that 15 digits represent exactly, as most do; return how many, 0 if not.

    Two numbers of at most 15 digits are never the same double, so digits that read back are the shortest.
    They do if the division, whose operands are exact doubles, gives the number again.
    """
    cdef int scale = QUICK_DIGITS
    cdef int i
    cdef uint64_t whole
    cdef uint32_t high, low
    if not 0.1 <= value < 1e15:
        return 0
    while value >= POWERS[QUICK_DIGITS - scale]:
        scale -= 1
    whole = <uint64_t>(value * POWERS[scale] + 0.5)
    if <double>whole / POWERS[scale] != value:
        return 0
    exponent[0] = QUICK_DIGITS - 1 - scale
    if whole >= <uint64_t>1_000_000_000_000_000:
        return 0
    high = <uint32_t>(whole // LOW_END)
    low = <uint32_t>(whole % LOW_END)
    for i in range(LOW_DIGITS):
        digits[QUICK_DIGITS - 1 - i] = <char>(c'0' + low % 10)
        low //= 10
    for i in range(LOW_DIGITS, QUICK_DIGITS):
        digits[QUICK_DIGITS - 1 - i] = <char>(c'0' + high % 10)
        high //= 10
    return QUICK_DIGITS


cdef bint as_integer(Scalar *scalar, int64_t *value) noexcept:
    """Return whether a scalar is an integer, and which."""
    if scalar.kind == S_TEXT:
        return short_integer(scalar.text, scalar.length, value)
    value[0] = scalar.integer
    return scalar.kind == S_INTEGER


cdef bint as_number(Scalar *scalar, double *value) noexcept:
    """Return whether a scalar is a number, and which as a float."""
    if scalar.kind == S_TEXT:
        return short_decimal(scalar.text, scalar.length, value)
    value[0] = scalar.number if scalar.kind == S_FLOAT else <double>scalar.integer
    return True


cdef int put_integer(OutputBuffer out, int64_t value) except -1:
    """Write the digits of an integer."""
    cdef char room[NUMBER_BYTES]
    cdef int at = NUMBER_BYTES
    cdef uint64_t rest = 0 - <uint64_t>value if value < 0 else <uint64_t>value
    while rest or at == NUMBER_BYTES:
        at -= 1
        room[at] = <char>(48 + rest % 10)
        rest //= 10
    if value < 0:
        at -= 1
        room[at] = c'-'
    return put(out, room + at, NUMBER_BYTES - at)


cdef bint put_number(OutputBuffer out, double value) except -1:
    """Write a float as `repr` does; return False, with nothing written, if that is not simple."""
    cdef char digits[QUICK_DIGITS]
    cdef int exponent, count, whole
    cdef char *p
    if value == 0.0:
        put(out, b"-0.0" if 1.0 / value < 0 else b"0.0", 4 if 1.0 / value < 0 else 3)
        return True
    count = short_digits(abs(value), digits, &exponent)
    if count == 0:
        return False
    while count > 1 and digits[count - 1] == c'0':
        count -= 1
    if out.end - out.at < NUMBER_BYTES:
        out.make_room(NUMBER_BYTES)
    p = out.at
    if value < 0:
        p[0] = c'-'
        p += 1
    whole = exponent + 1
    if whole <= 0:
        p[0] = c'0'
        p += 1
    memcpy(p, digits, whole)
    p += whole
    p[0] = c'.'
    p[1] = c'0'
    memcpy(p + 1, digits + whole, max(count - whole, 0))
    out.at = p + 1 + max(count - whole, 1)
    return True
