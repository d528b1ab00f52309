# cython: language_level=3, boundscheck=False, wraparound=False
"""Codecs of values: the conversion of a field's bytes in a modelled format to a value, and back.

A codec is a physical type with everything except the length: byte order, scale, character set, padding, NULL.
Each has a number, and an element with an undecoded value carries it (its kind from K_CODED on and the upper
byte of its flags), so that a value is decoded only on access. The table never forgets and is capped; codecs
with equal keys are one. Models make them, scanners and writers use them.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.ref cimport PyObject
from libc.string cimport memcmp

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._element cimport K_CODED
from penstock.tree.core._output cimport new_output

CODECS_MAX = 32_768

cdef dict KNOWN = {}
cdef PyObject *TABLE[32768]


cdef class Codec:
    """A physical type. One in C overrides `decode` and `encode`, one in Python `read` and `make`."""

    def read(self, data):
        """Return the value of some bytes; raise ValueError with the problem."""
        raise NotImplementedError

    def make(self, value, length):
        """Return the bytes of a value: exactly `length`, or as many as needed if that is -1."""
        raise NotImplementedError

    def set_null(self, str kind, value):
        """Define NULL: `literal` bytes, a `fill` byte throughout or a `value`."""
        self.null_kind = {"literal": NULL_LITERAL, "fill": NULL_FILL, "value": NULL_VALUE}[kind]
        self.null_bytes = value if kind != "value" else None
        self.null_value = value if kind == "value" else None

    cdef object decode(self, const char *raw, Py_ssize_t length):
        return self.read(PyBytes_FromStringAndSize(raw, length))

    cdef bytes encode(self, object value, Py_ssize_t length):
        return self.make(value, length)

    cdef bint read_scalar(self, const char *raw, Py_ssize_t length, Scalar *scalar) noexcept:
        """Read a value that is not NULL as a scalar; False if it has none, for which `decode` has to be called."""
        return False

    cdef bint write_scalar(self, Scalar *scalar, OutputBuffer out, Py_ssize_t length) except -1:
        """Write a scalar, as `encode` would its value; False, with nothing written, if `encode` has to be called."""
        return False

    cdef bytes encode_null(self, Py_ssize_t length):
        if self.null_kind == NULL_FILL:
            return self.null_bytes * max(length, 0)
        if self.null_kind == NULL_LITERAL:
            if length >= 0 and length != PyBytes_GET_SIZE(self.null_bytes):
                raise error(mq.PSRC_SERIALISE_ERROR, f"NULL is {self.null_bytes!r} here, which is not {length} bytes long")
            return self.null_bytes
        if self.null_kind == NULL_VALUE:
            return self.encode(self.null_value, length)
        raise error(mq.PSRC_SERIALISE_ERROR, "NULL has no representation here")


def entered(Codec codec not None, key):
    """Return the equal codec from the table, or add this one."""
    known = KNOWN.get(key)
    if known is not None:
        return known
    cdef int number = len(KNOWN)
    if number >= CODECS_MAX:
        raise error(mq.PSRC_MODEL_ERROR, f"more than {CODECS_MAX} different physical types", codecs_max=CODECS_MAX)
    codec.key = key
    codec.number = number
    codec.kind = <uint8_t>(K_CODED | (number >> 8))
    codec.flags = <uint16_t>((number & 0xFF) << 8)
    KNOWN[key] = codec
    TABLE[number] = <PyObject *>codec
    return codec


def codec_count() -> int:
    """Return how many codecs the process knows."""
    return len(KNOWN)


cdef bint is_null(Codec codec, const char *raw, Py_ssize_t length) noexcept:
    cdef Py_ssize_t i
    cdef char fill
    if codec.null_kind == NULL_LITERAL:
        return (length == PyBytes_GET_SIZE(codec.null_bytes)
                and memcmp(raw, PyBytes_AS_STRING(codec.null_bytes), length) == 0)
    if codec.null_kind == NULL_FILL:
        fill = PyBytes_AS_STRING(codec.null_bytes)[0]
        for i in range(length):
            if raw[i] != fill:
                return False
        return length > 0
    return False


cdef object decode_coded(Element *element):
    """Return the value of an element that carries a codec's number."""
    cdef Codec codec = <Codec>TABLE[((element.kind & ~K_CODED) << 8) | (element.flags >> 8)]
    return _decoded(codec, element.raw, element.raw_length)


cdef bint coded_scalar(Element *element, Scalar *scalar) noexcept:
    """Read an element that carries a codec's number as a scalar; False if its value has none."""
    cdef Codec codec = <Codec>TABLE[((element.kind & ~K_CODED) << 8) | (element.flags >> 8)]
    return codec.null_kind == NULL_NEVER and codec.read_scalar(element.raw, element.raw_length, scalar)


cdef object _decoded(Codec codec, const char *raw, Py_ssize_t length):
    if codec.null_kind and is_null(codec, raw, length):
        return None
    try:
        value = codec.decode(raw, length)
    except ValueError as problem:
        shown = PyBytes_FromStringAndSize(raw, min(length, 32)).hex(" ")
        raise error(mq.PSRC_FIELD_DATA, f"{problem} (bytes {shown}{' ...' if length > 32 else ''})") from problem
    if codec.null_kind == NULL_VALUE and value == codec.null_value:
        return None
    return value


cdef bytes encode_coded(Codec codec, object value, Py_ssize_t length):
    """Return the bytes of a value that a program assigned or that another format holds."""
    if value is None:
        return codec.encode_null(length)
    try:
        return codec.encode(value, length)
    except (ValueError, TypeError, ArithmeticError) as problem:
        raise error(mq.PSRC_VALUE_RANGE, f"{value!r}: {problem}") from problem


def decoded(Codec codec not None, bytes data not None):
    """Return the value of some bytes, for tests and for models written in Python."""
    return _decoded(codec, PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


def encoded(Codec codec not None, value, Py_ssize_t length=-1):
    """Return the bytes of a value."""
    return encode_coded(codec, value, length)


def recoded(Codec source not None, bytes data not None, Codec target not None, Py_ssize_t length=-1):
    """Return what one codec reads and another writes without an object, None if that takes one; for tests."""
    cdef Scalar scalar
    cdef OutputBuffer out = new_output(16)
    if not source.null_kind and source.read_scalar(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), &scalar) \
            and target.write_scalar(&scalar, out, length):
        return out.finish()
    return None
