# cython: language_level=3, boundscheck=False, wraparound=False
"""The JSON writer: elements into a document, undecoded values as slices.

Values that a program assigned are written in IBM's forms: / escaped, FLOAT as 1.0E+0, DECIMAL plain, BLOB as
hexadecimal text. A folder is an object unless its type is Array. Iterative along the links. What JSON cannot
represent raises 8130.
"""

import decimal
import math

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memcpy

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._element cimport (
    K_FALSE, K_INTEGER, K_NONE, K_NULL, K_NUMBER, K_OBJECT, K_STRING, K_STRING_ESCAPES, K_TRUE, NONE, R_ARRAY,
    R_ATTRIBUTE, R_CDATA, R_ELEMENT, R_TEXT,
)
from penstock.tree.core._names cimport NameEntry, shared_id
from penstock.tree.core._output cimport put, put_byte
from penstock.tree.core._text cimport ESCAPE_CONTROL, ESCAPE_JSON, ps_escape_look
from penstock.tree.core._values cimport characters, decimal_text, float_text

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *length) except NULL

cdef uint32_t N_DATA = shared_id("Data")


cdef int write_json(Arena tree, int32_t folder, OutputBuffer out) except -1:
    """Write the field Data of a folder."""
    cdef int32_t data = tree.elements[folder].first
    while data and tree.elements[data].name != tree.own_id(N_DATA):
        data = tree.elements[data].next
    if data == NONE:
        if tree.elements[folder].first:
            raise error(mq.PSRC_SERIALISE_ERROR, "a JSON body is in the field Data of its folder")
        return 0
    if tree.elements[data].kind != K_NONE:
        raise error(mq.PSRC_SERIALISE_ERROR, "a JSON body is an object or an array, not a value")
    return write_values(tree, data, out)


cdef int write_values(Arena tree, int32_t data, OutputBuffer out) except -1:
    cdef int32_t at = data
    cdef int32_t first
    while True:
        first = tree.elements[at].first
        if first or tree.elements[at].kind == K_NONE:
            if tree.elements[at].kind != K_NONE:
                raise error(mq.PSRC_SERIALISE_ERROR, f"a JSON field has a value or fields in it, not both: {described(tree, at)}")
            put_byte(out, c'[' if tree.elements[at].role == R_ARRAY else c'{')
            if first:
                at = first
                begin_field(tree, at, False, out)
                continue
            put_byte(out, c']' if tree.elements[at].role == R_ARRAY else c'}')
        else:
            write_scalar(tree, at, out)
        while at != data and not tree.elements[at].next:
            at = tree.elements[at].parent
            put_byte(out, c']' if tree.elements[at].role == R_ARRAY else c'}')
        if at == data:
            return 0
        at = tree.elements[at].next
        begin_field(tree, at, True, out)


cdef str described(Arena tree, int32_t at):
    return f"{<object>tree.entry(tree.elements[at].name).text!r}"


cdef int begin_field(Arena tree, int32_t at, bint comma, OutputBuffer out) except -1:
    """Write what precedes a value: a comma, and the name of a member; items of an array have none."""
    cdef int role = tree.elements[at].role
    cdef NameEntry *entry
    cdef char *p
    if role != R_ELEMENT and role != R_ARRAY and role != R_ATTRIBUTE:
        raise error(mq.PSRC_SERIALISE_ERROR, f"JSON has no field of type 0x{tree.elements[at].type:08X}")
    if tree.elements[tree.elements[at].parent].role == R_ARRAY:
        return put_byte(out, c',') if comma else 0
    entry = tree.entry(tree.elements[at].name)
    if entry.quotable == 0:
        entry.quotable = 2 if ps_escape_look(entry.utf8, entry.length) & (ESCAPE_CONTROL | ESCAPE_JSON) else 1
    if entry.quotable == 2:
        if comma:
            put_byte(out, c',')
        put_string(out, entry.utf8, entry.length, False)
        return put_byte(out, c':')
    if out.end - out.at < entry.length + 4:
        out.make_room(entry.length + 4)
    p = out.at
    if comma:
        p[0] = c','
        p += 1
    p[0] = c'"'
    memcpy(p + 1, entry.utf8, entry.length)
    p += entry.length + 1
    p[0] = c'"'
    p[1] = c':'
    out.at = p + 2
    return 0


cdef int write_scalar(Arena tree, int32_t at, OutputBuffer out) except -1:
    cdef int kind = tree.elements[at].kind
    cdef Py_ssize_t length = tree.elements[at].raw_length
    if kind == K_STRING or kind == K_STRING_ESCAPES:
        if out.end - out.at < length + 2:
            out.make_room(length + 2)
        out.at[0] = c'"'
        memcpy(out.at + 1, tree.elements[at].raw, length)
        out.at[length + 1] = c'"'
        out.at += length + 2
        return 0
    if K_INTEGER <= kind <= K_NULL:
        return put(out, tree.elements[at].raw, length)
    return write_object(tree.value(at), out)


cdef int write_object(object value, OutputBuffer out) except -1:
    """Write a value that a program assigned, or one from another domain."""
    cdef Py_ssize_t length
    cdef const char *utf8
    kind = type(value)
    if value is None:
        return put(out, b"null", 4)
    if kind is bool:
        return put(out, b"true" if value else b"false", 4 if value else 5)
    if kind is int or kind is float or isinstance(value, decimal.Decimal):
        text = number_text(value)
        utf8 = PyUnicode_AsUTF8AndSize(text, &length)
        return put(out, utf8, length)
    text = characters(value)
    try:
        utf8 = PyUnicode_AsUTF8AndSize(text, &length)
    except UnicodeEncodeError as problem:
        raise error(mq.PSRC_SERIALISE_ERROR, f"a lone surrogate (character {problem.start + 1} of a value)") from problem
    return put_string(out, utf8, length, True)


cdef str number_text(object value):
    if type(value) is int:
        return str(value)
    if not (math.isfinite(value) if type(value) is float else value.is_finite()):
        raise error(mq.PSRC_SERIALISE_ERROR, f"JSON has no {value}")
    return float_text(value) if type(value) is float else decimal_text(value)


cdef int put_string(OutputBuffer out, const char *utf8, Py_ssize_t length, bint slashes) except -1:
    """Write a string in quotation marks; / is escaped in values, not in names."""
    cdef Py_ssize_t i
    cdef uint8_t c
    cdef const char *digits = b"0123456789abcdef"
    put_byte(out, c'"')
    if not ps_escape_look(utf8, length) & (ESCAPE_CONTROL | ESCAPE_JSON):
        put(out, utf8, length)
        return put_byte(out, c'"')
    for i in range(length):
        c = <uint8_t>utf8[i]
        if c == 34 or c == 92 or (c == 47 and slashes):
            put_byte(out, 92)
            put_byte(out, <char>c)
        elif c == 10:
            put(out, b"\\n", 2)
        elif c == 13:
            put(out, b"\\r", 2)
        elif c == 9:
            put(out, b"\\t", 2)
        elif c < 32:
            put(out, b"\\u00", 4)
            put_byte(out, digits[c >> 4])
            put_byte(out, digits[c & 15])
        else:
            put_byte(out, <char>c)
    return put_byte(out, c'"')
