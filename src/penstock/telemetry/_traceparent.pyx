# cython: language_level=3
"""The text of `traceparent` (W3C Trace Context): two ids in hexadecimal digits, and flags.

Every message of a trace has one, so it is read and written without a Python call. Reading never fails: text of
another form counts as none.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_AsUTF8AndSize, PyUnicode_DecodeASCII

cdef enum:
    TRACE_AT = 3
    SPAN_AT = 36
    FLAGS_AT = 53
    LENGTH = 55
    TRACE_BYTES = 16
    SPAN_BYTES = 8

cdef const char *DIGITS = b"0123456789abcdef"


cpdef str written(bytes trace_id, bytes span_id, bint sampled):
    """Return the text for a context."""
    cdef char text[LENGTH]
    text[0] = text[1] = text[FLAGS_AT] = c'0'
    text[TRACE_AT - 1] = text[SPAN_AT - 1] = text[FLAGS_AT - 1] = c'-'
    text[FLAGS_AT + 1] = c'1' if sampled else c'0'
    _write(text + TRACE_AT, trace_id, TRACE_BYTES)
    _write(text + SPAN_AT, span_id, SPAN_BYTES)
    return PyUnicode_DecodeASCII(text, LENGTH, NULL)


cpdef tuple read(object text):
    """Return trace id, span id and whether the trace is recorded; None for text of another form."""
    cdef Py_ssize_t length
    cdef const char *given
    cdef unsigned char version, flags
    cdef unsigned char trace_id[TRACE_BYTES]
    cdef unsigned char span_id[SPAN_BYTES]
    if type(text) is not str or not text.isascii():
        return None
    given = PyUnicode_AsUTF8AndSize(text, &length)
    if length < LENGTH or given[2] != c'-' or given[SPAN_AT - 1] != c'-' or given[FLAGS_AT - 1] != c'-':
        return None
    if not (_read(given, &version, 1) and _read(given + FLAGS_AT, &flags, 1)) or version == 0xFF:
        return None
    if length > LENGTH and (version == 0 or given[LENGTH] != c'-'):
        return None
    if not (_read(given + TRACE_AT, trace_id, TRACE_BYTES) and _read(given + SPAN_AT, span_id, SPAN_BYTES)):
        return None
    if _is_zero(trace_id, TRACE_BYTES) or _is_zero(span_id, SPAN_BYTES):
        return None
    return (
        PyBytes_FromStringAndSize(<char *>trace_id, TRACE_BYTES),
        PyBytes_FromStringAndSize(<char *>span_id, SPAN_BYTES),
        flags & 1 == 1,
    )


cdef void _write(char *text, const unsigned char *source, int count) noexcept:
    cdef int each
    for each in range(count):
        text[2 * each] = DIGITS[source[each] >> 4]
        text[2 * each + 1] = DIGITS[source[each] & 15]


cdef bint _read(const char *text, unsigned char *target, int count) noexcept:
    """Read lower-case digits; return whether they are all digits."""
    cdef int each, high, low
    for each in range(count):
        high, low = _digit(text[2 * each]), _digit(text[2 * each + 1])
        if high < 0 or low < 0:
            return False
        target[each] = <unsigned char>(high << 4 | low)
    return True


cdef inline int _digit(char given) noexcept:
    if c'0' <= given <= c'9':
        return given - c'0'
    return given - c'a' + 10 if c'a' <= given <= c'f' else -1


cdef bint _is_zero(const unsigned char *text, int count) noexcept:
    cdef int each
    for each in range(count):
        if text[each]:
            return False
    return True
