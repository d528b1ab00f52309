# cython: language_level=3, boundscheck=False, wraparound=False
"""Text into XML: special characters become references, and what XML cannot represent is refused (8130)."""

from libc.stdint cimport uint8_t
from libc.string cimport memchr

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._output cimport put, put_byte
from penstock.tree.core._text cimport (
    ESCAPE_CONTROL, ESCAPE_HIGH, ESCAPE_JSON, ESCAPE_MARKUP, ps_escape_look, ps_utf8_bad, ps_xml_character,
)

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *length) except NULL


cdef const char *checked(str text, Py_ssize_t *length, int *look) except NULL:
    """Return the UTF-8 of a text that XML can represent, and the kind of its characters."""
    cdef const char *utf8
    cdef Py_ssize_t i
    try:
        utf8 = PyUnicode_AsUTF8AndSize(text, length)
    except UnicodeEncodeError as problem:
        raise error(mq.PSRC_SERIALISE_ERROR, f"XML cannot hold a lone surrogate (character {problem.start + 1} of a value)") from problem
    look[0] = ps_escape_look(utf8, length[0])
    if look[0] & ESCAPE_CONTROL:
        for i in range(length[0]):
            if not ps_xml_character(<uint8_t>utf8[i]):
                raise error(mq.PSRC_SERIALISE_ERROR, f"XML cannot hold the character U+{<uint8_t>utf8[i]:04X}")
    if look[0] & ESCAPE_HIGH and ps_utf8_bad(utf8, length[0], 1) >= 0:
        raise error(mq.PSRC_SERIALISE_ERROR, "XML cannot hold the characters U+FFFE and U+FFFF")
    return utf8


cdef int put_text(OutputBuffer out, str text) except -1:
    """Write the content of an element."""
    cdef Py_ssize_t length, i
    cdef int look = 0
    cdef const char *utf8 = checked(text, &length, &look)
    if not look & (ESCAPE_MARKUP | ESCAPE_CONTROL):
        return put(out, utf8, length)
    for i in range(length):
        if utf8[i] == c'<':
            put(out, b"&lt;", 4)
        elif utf8[i] == c'&':
            put(out, b"&amp;", 5)
        elif utf8[i] == c'>':
            put(out, b"&gt;", 4)
        elif utf8[i] == 13:
            put(out, b"&#13;", 5)
        else:
            put_byte(out, utf8[i])
    return 0


cdef int put_attribute(OutputBuffer out, str text) except -1:
    """Write the value of an attribute between quotation marks."""
    cdef Py_ssize_t length, i
    cdef int look = 0
    cdef const char *utf8 = checked(text, &length, &look)
    put_byte(out, c'"')
    if not look & (ESCAPE_MARKUP | ESCAPE_CONTROL | ESCAPE_JSON):
        put(out, utf8, length)
    else:
        for i in range(length):
            if utf8[i] == c'<':
                put(out, b"&lt;", 4)
            elif utf8[i] == c'&':
                put(out, b"&amp;", 5)
            elif utf8[i] == c'"':
                put(out, b"&quot;", 6)
            elif utf8[i] == 9:
                put(out, b"&#9;", 4)
            elif utf8[i] == 10:
                put(out, b"&#10;", 5)
            elif utf8[i] == 13:
                put(out, b"&#13;", 5)
            else:
                put_byte(out, utf8[i])
    return put_byte(out, c'"')


cdef int put_cdata(OutputBuffer out, str text) except -1:
    """Write a CDATA section; at ]]> in the text a new one begins. A carriage return cannot be kept."""
    cdef Py_ssize_t length
    cdef int look = 0
    cdef const char *utf8 = checked(text, &length, &look)
    if memchr(utf8, 13, length) != NULL:
        return put_text(out, text)
    put(out, b"<![CDATA[", 9)
    if "]]>" in text:
        text = text.replace("]]>", "]]]]><![CDATA[>")
        utf8 = checked(text, &length, &look)
    put(out, utf8, length)
    return put(out, b"]]>", 3)


cdef int put_name(OutputBuffer out, str text) except -1:
    """Write characters unchanged."""
    cdef Py_ssize_t length
    cdef const char *utf8 = PyUnicode_AsUTF8AndSize(text, &length)
    return put(out, utf8, length)
