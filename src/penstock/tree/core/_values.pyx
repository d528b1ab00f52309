# cython: language_level=3, boundscheck=False, wraparound=False
"""Values: from slices of the input to Python objects, and from Python objects to text.

Decoding makes only str, int, float, bool and bytes and runs no other code. `plain` checks values that a
program assigns: the ESQL types, and nothing mutable.
"""

import datetime
import decimal

cimport cython
from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeASCII, PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t
from libc.stdlib cimport atoi, free, malloc
from libc.string cimport memcpy

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model._codec cimport decode_coded
from penstock.tree.core._element cimport (
    F_ASCII, K_ATTRIBUTE, K_ATTRIBUTE_REFERENCES, K_BYTES, K_CDATA, K_CODED, K_FALSE, K_INTEGER, K_NULL, K_NUMBER,
    K_PLAIN, K_STRING, K_STRING_ESCAPES, K_TEXT, K_TEXT_REFERENCES, K_TRUE,
)
from penstock.tree.core._scalar cimport short_decimal, short_digits, short_integer
from penstock.tree.core._text cimport ps_json_unescape, ps_unescape
from penstock.tree.core.own_value import OwnValue

cdef extern from "Python.h":
    object PyUnicode_New(Py_ssize_t length, unsigned int highest)
    void *PyUnicode_DATA(object text)
    char *PyOS_double_to_string(double value, char format, int precision, int flags, int *kind) except NULL
    void PyMem_Free(void *block)
    double PyOS_string_to_double(const char *text, char **end, void *overflow) except? -1.0

cdef enum:
    STACK_BYTES = 512
    INT_DIGITS = 18

DIGITS_MAX = 4300  # of an integer, as Python's own limit

PLACES_MAX = 400  # a decimal larger or smaller than this many digits is written with an exponent
cdef frozenset EXACT = frozenset((
    type(None), str, int, bool, float, bytes, decimal.Decimal,
    datetime.date, datetime.time, datetime.datetime, datetime.timedelta,
))
cdef tuple KEPT = (decimal.Decimal, datetime.date, datetime.time, datetime.timedelta, OwnValue)


cdef object decode(Element *element):
    """Return the value of a raw element; the element must not be used afterwards if this raises."""
    cdef int kind = element.kind
    if kind == K_TEXT or kind == K_ATTRIBUTE or kind == K_STRING or kind == K_PLAIN:
        return text_of(element.raw, element.raw_length, element.flags & F_ASCII)
    if kind == K_TEXT_REFERENCES or kind == K_ATTRIBUTE_REFERENCES or kind == K_CDATA:
        return xml_text(element.raw, element.raw_length, kind, element.flags & F_ASCII)
    if kind == K_STRING_ESCAPES:
        return _unescaped(element.raw, element.raw_length)
    if kind == K_INTEGER:
        return _integer(element.raw, element.raw_length)
    if kind == K_NUMBER:
        return _number(element.raw, element.raw_length)
    if kind == K_BYTES:
        return PyBytes_FromStringAndSize(element.raw, element.raw_length)
    if kind >= K_CODED:
        return decode_coded(element)
    if kind == K_TRUE:
        return True
    if kind == K_FALSE:
        return False
    return None


cdef object text_of(const char *raw, Py_ssize_t length, bint ascii):
    if ascii and length > 1:
        text = PyUnicode_New(length, 127)
        memcpy(PyUnicode_DATA(text), raw, length)
        return text
    return PyUnicode_DecodeUTF8(raw, length, NULL)


cdef object xml_text(const char *raw, Py_ssize_t length, int kind, bint ascii):
    """Return the value of checked XML text of a kind."""
    cdef char stack[STACK_BYTES]
    cdef char *room = stack
    cdef size_t size
    if kind == K_TEXT or kind == K_ATTRIBUTE:
        return text_of(raw, length, ascii)
    if length > STACK_BYTES:
        room = <char *>malloc(length)
        if room == NULL:
            raise MemoryError
    try:
        size = ps_unescape(raw, length, room, kind == K_ATTRIBUTE_REFERENCES, kind == K_CDATA)
        return PyUnicode_DecodeUTF8(room, size, NULL)
    finally:
        if room != stack:
            free(room)


cdef object _unescaped(const char *raw, Py_ssize_t length):
    cdef char stack[STACK_BYTES]
    cdef char *room = stack
    cdef size_t size
    if length > STACK_BYTES:
        room = <char *>malloc(length)
        if room == NULL:
            raise MemoryError
    try:
        size = ps_json_unescape(raw, length, room)
        return PyUnicode_DecodeUTF8(room, size, NULL)
    finally:
        if room != stack:
            free(room)


cdef object _integer(const char *raw, Py_ssize_t length):
    cdef long long value = 0
    cdef Py_ssize_t i = 1 if raw[0] == c'-' else 0
    cdef bint negative = i == 1
    if length - i > INT_DIGITS:
        if length > DIGITS_MAX:
            raise error(mq.PSRC_VALUE_RANGE, f"an integer of {length} digits; at most {DIGITS_MAX}", digits=length)
        return int(PyUnicode_DecodeUTF8(raw, length, NULL))
    while i < length:
        value = value * 10 + (raw[i] - 48)
        i += 1
    return -value if negative else value


cdef object _number(const char *raw, Py_ssize_t length):
    cdef char stack[64]
    cdef double value
    if length < 64:
        memcpy(stack, raw, length)
        stack[length] = 0
        value = PyOS_string_to_double(stack, NULL, NULL)
    else:
        value = float(PyUnicode_DecodeUTF8(raw, length, NULL))
    if value - value != 0.0:
        raise error(mq.PSRC_VALUE_RANGE, "a number too large for FLOAT")
    return value


cdef object integer_in(Element *element):
    """Return the integer in a plain slice, without making a string; None if it is not one."""
    cdef const char *p = element.raw
    cdef const char *end = p + element.raw_length
    cdef int64_t value = 0
    if not is_plain_text(element.kind):
        return _integer(p, end - p) if element.kind == K_INTEGER else None
    while p < end and p[0] == c' ':
        p += 1
    while end > p and end[-1] == c' ':
        end -= 1
    return value if short_integer(p, end - p, &value) else None


cdef object float_in(Element *element):
    """Return the float in a plain slice; None if it is not one."""
    cdef const char *p = element.raw
    cdef Py_ssize_t length = element.raw_length
    cdef char stack[64]
    cdef Py_ssize_t i
    cdef double value
    if element.kind == K_NUMBER or element.kind == K_INTEGER:
        return _number(p, length)
    if not is_plain_text(element.kind) or length == 0 or length >= 64:
        return None
    if short_decimal(p, length, &value):
        return value
    for i in range(length):
        if not (c'0' <= p[i] <= c'9' or p[i] == c'.' or p[i] == c'-' or p[i] == c'+' or p[i] == c'e' or p[i] == c'E'):
            return None
        stack[i] = p[i]
    stack[length] = 0
    try:
        value = PyOS_string_to_double(stack, NULL, NULL)
    except ValueError:
        return None
    return value if value - value == 0.0 else None


cdef inline bint is_plain_text(int kind) noexcept:
    return kind == K_TEXT or kind == K_ATTRIBUTE or kind == K_STRING or kind == K_PLAIN


cdef object plain(object value):
    """Return a value that an element may hold; raise 8124 for one that is not an ESQL type."""
    if type(value) is str or type(value) in EXACT:
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value)
    if isinstance(value, KEPT):
        return value
    raise error(mq.PSRC_VALUE_TYPE, f"a field holds no {type(value).__name__}", type=type(value).__name__)


cdef str characters(object value):
    """Return a value as text, like CAST to CHARACTER; None is empty."""
    kind = type(value)
    if kind is str:
        return value
    if value is None:
        return ""
    if kind is bool:
        return "true" if value else "false"
    if kind is float:
        return float_text(value)
    if kind is bytes:
        return value.hex().upper()
    if isinstance(value, decimal.Decimal):
        return decimal_text(value)
    if isinstance(value, datetime.time):
        return _time_text(value, "")
    if isinstance(value, datetime.datetime):
        return _time_text(value, value.date().isoformat() + "T")
    if isinstance(value, datetime.date):
        return value.isoformat()
    if isinstance(value, datetime.timedelta):
        return f"INTERVAL '{_seconds(value)}' SECOND"
    return str(value)


cdef str decimal_text(object value):
    """Return a decimal without an exponent; with one if it would otherwise be very long."""
    if value.is_finite() and -PLACES_MAX <= value.adjusted() <= PLACES_MAX:
        return format(value, "f")
    return str(value)


cdef str _time_text(object value, str day):
    """Return a time to the microsecond, with its zone, if any, as Z or an offset."""
    text = value.isoformat(timespec="microseconds")
    if day:
        text = day + text.partition("T")[2]
    return text[:-6] + "Z" if text.endswith("+00:00") else text


cdef str _seconds(object value):
    micros = value // datetime.timedelta(microseconds=1)
    sign = "-" if micros < 0 else ""
    whole, part = divmod(abs(micros), 1_000_000)
    return f"{sign}{whole}.{part:06d}" if part else f"{sign}{whole}"


@cython.cdivision(True)
cdef str float_text(double value):
    """Return a FLOAT in the one form that ESQL has for it.

    1.0 is 1.0E+0, 123.456 is 1.23456E+2, 1e-7 is 1.0E-7.
    """
    if value - value != 0.0:
        return "NAN" if value != value else ("INF" if value > 0 else "-INF")
    if value == 0.0:
        return "-0.0E+0" if 1.0 / value < 0 else "0.0E+0"
    cdef char digits[32]
    cdef int exponent
    cdef int count = short_digits(abs(value), digits, &exponent)
    if count == 0:
        count = shortest_digits(value, digits, &exponent)
    while count > 1 and digits[count - 1] == c'0':
        count -= 1
    return exponential(value < 0, digits, count, exponent)


cdef int shortest_digits(double value, char *digits, int *exponent) except -1:
    """Write the digits of any number except 0, as few as read back the same; return how many."""
    cdef char *text = PyOS_double_to_string(value, c'r', 0, 0, NULL)
    cdef int count = 0
    cdef int i = 1 if text[0] == c'-' else 0
    cdef int point = -1
    exponent[0] = 0
    while text[i] and text[i] != c'e':
        if text[i] == c'.':
            point = count
        elif count or text[i] != c'0':
            digits[count] = text[i]
            count += 1
        elif point >= 0:
            exponent[0] -= 1  # a zero between the point and the first digit
        i += 1
    exponent[0] += (count if point < 0 else point) - 1
    if text[i] == c'e':
        exponent[0] += atoi(text + i + 1)
    PyMem_Free(text)
    return count


@cython.cdivision(True)
cdef str exponential(bint negative, const char *digits, int count, int exponent):
    """Return digits with the point after the first, and an exponent."""
    cdef char text[48]
    cdef char *p = text
    cdef int size = abs(exponent)
    if negative:
        p[0] = c'-'
        p += 1
    p[0] = digits[0]
    p[1] = c'.'
    p[2] = c'0'
    memcpy(p + 2, digits + 1, count - 1)
    p += 2 + max(count - 1, 1)
    p[0] = c'E'
    p[1] = c'-' if exponent < 0 else c'+'
    p += 2
    if size >= 100:
        p[0] = <char>(c'0' + size // 100)
        p += 1
    if size >= 10:
        p[0] = <char>(c'0' + size // 10 % 10)
        p += 1
    p[0] = <char>(c'0' + size % 10)
    return PyUnicode_DecodeASCII(text, p + 1 - text, NULL)


def as_characters(value) -> str:
    """Return a value as text; for the dump and for domains written in Python."""
    return characters(value)


def as_plain(value):
    """Return a value that an element may hold."""
    return plain(value)
