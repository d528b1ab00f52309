"""Declarations of value codecs."""

from libc.stdint cimport uint8_t, uint16_t

from penstock.tree.core._element cimport Element
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.core._scalar cimport Scalar

cdef enum:
    NULL_NEVER = 0
    NULL_LITERAL = 1  # these bytes, whatever the length
    NULL_FILL = 2  # every byte is this one
    NULL_VALUE = 3  # this value means NULL

cdef class Codec:
    cdef readonly object key  # two codecs with one key are one codec
    cdef readonly int number
    cdef uint8_t kind  # as an element has them, see K_CODED
    cdef uint16_t flags
    cdef int null_kind
    cdef bytes null_bytes
    cdef object null_value
    cdef object decode(self, const char *raw, Py_ssize_t length)
    cdef bytes encode(self, object value, Py_ssize_t length)
    cdef bytes encode_null(self, Py_ssize_t length)
    cdef bint read_scalar(self, const char *raw, Py_ssize_t length, Scalar *scalar) noexcept
    cdef bint write_scalar(self, Scalar *scalar, OutputBuffer out, Py_ssize_t length) except -1

cdef object decode_coded(Element *element)
cdef bint coded_scalar(Element *element, Scalar *scalar) noexcept
cdef bytes encode_coded(Codec codec, object value, Py_ssize_t length)
