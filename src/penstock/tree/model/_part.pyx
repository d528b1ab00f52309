# cython: language_level=3, boundscheck=False, wraparound=False
"""Parts: an element or group of a model, compiled for the scanner and writer of one physical format.

A model is compiled to parts once for each format; a part holds the number of its name, its codec and its
occurrences. Each format adds its own properties in a subclass. Nothing here reads bytes: this is what the
formats have in common about elements of the tree.
"""

import decimal

from cpython.ref cimport PyObject

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.core._arena cimport append
from penstock.tree.core._element cimport (
    Element, F_ASCII, K_ATTRIBUTE, K_CODED, K_INTEGER, K_NUMBER, K_OBJECT, K_PLAIN, K_STRING, K_TEXT, NONE, R_ELEMENT,
)
from penstock.tree.core._scalar cimport S_INTEGER, Scalar, float_scalar, integer_scalar, short_integer, text_scalar
from penstock.tree.model._codec cimport NULL_NEVER, coded_scalar, encode_coded
from penstock.tree.core._names cimport shared_id
from penstock.tree.core._types cimport T_NAME, T_NAME_VALUE

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(PyObject *text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject *text)
    const void *PyUnicode_1BYTE_DATA(PyObject *text)
    bint PyUnicode_CheckExact(PyObject *value)
    bint PyLong_CheckExact(PyObject *value)
    bint PyFloat_CheckExact(PyObject *value)
    double PyFloat_AS_DOUBLE(PyObject *value)
    long long PyLong_AsLongLongAndOverflow(PyObject *value, int *overflow)

globals().update(SEQUENCE=SEQUENCE, CHOICE=CHOICE, ALL=ALL)


cdef class Part:
    """An element or a group of a model in one format."""

    def __init__(self, str name not None, str namespace not None=""):
        self.name = name
        self.name_id = shared_id(name)
        self.namespace_id = shared_id(namespace)
        self.named = bool(name)
        self.parts = ()
        self.least = self.most = 1

    def __repr__(self):
        return f"<{type(self).__name__} {self.name or 'group'}>"


cdef Mark mark_of(Arena tree, int32_t above) noexcept:
    cdef Mark mark
    mark.count = tree.count
    mark.first = tree.elements[above].first
    mark.last = tree.elements[above].last
    mark.shape = tree.elements[above].shape
    return mark


cdef int roll_back(Arena tree, int32_t above, Mark mark) except -1:
    """Remove the elements that were appended below one since the mark."""
    tree.forget_from(mark.count)
    tree.elements[above].first = mark.first
    tree.elements[above].last = mark.last
    tree.elements[above].shape = mark.shape
    if mark.last:
        tree.elements[mark.last].next = NONE
    return 0


cdef int32_t add_leaf(Arena tree, int32_t above, Part part, const char *raw, Py_ssize_t length) except -1:
    """Append a field with its undecoded value; one without a name is the value of its parent."""
    cdef int32_t at = above
    cdef Element *element
    if part.named:
        at = append(tree, above, tree.own_id(part.name_id), part.namespace_id, T_NAME_VALUE, R_ELEMENT)
    element = &tree.elements[at]
    element.type = T_NAME_VALUE
    element.raw = raw
    element.raw_length = <uint32_t>length
    element.kind = part.codec.kind
    element.flags |= part.codec.flags
    return at


cdef int32_t add_folder(Arena tree, int32_t above, Part part) except -1:
    """Append a field with children."""
    return append(tree, above, tree.own_id(part.name_id), part.namespace_id, T_NAME, R_ELEMENT)


cdef bint has_value(Part root) noexcept:
    """Return whether an element has a value beside its fields."""
    return len(root.parts) > 0 and not (<Part>root.parts[0]).named and (<Part>root.parts[0]).codec is not None


cdef bint put_scalar(Arena tree, int32_t at, Codec codec, OutputBuffer out, Py_ssize_t length) except -1:
    """Write the value of a field, as `encoded_field` returns it; False, with nothing written, if that is not simple."""
    cdef Scalar scalar
    return scalar_of(&tree.elements[at], &scalar) and codec.write_scalar(&scalar, out, length)


cdef bint scalar_of(Element *element, Scalar *scalar) noexcept:
    """Read the value of an element as a scalar; False if it has none."""
    cdef int kind = element.kind
    if kind >= K_CODED:
        return coded_scalar(element, scalar)
    if kind == K_TEXT or kind == K_PLAIN or kind == K_STRING or kind == K_ATTRIBUTE:
        return element.flags & F_ASCII and text_scalar(scalar, element.raw, element.raw_length)
    if kind == K_OBJECT:
        return object_scalar(element.value, scalar)
    scalar.kind = S_INTEGER
    return kind == K_INTEGER and short_integer(element.raw, element.raw_length, &scalar.integer)


cdef bint object_scalar(PyObject *value, Scalar *scalar) noexcept:
    cdef int overflow = 0
    if PyUnicode_CheckExact(value):
        return PyUnicode_IS_ASCII(value) and text_scalar(scalar, <const char *>PyUnicode_1BYTE_DATA(value), PyUnicode_GET_LENGTH(value))
    if PyLong_CheckExact(value):
        return integer_scalar(scalar, PyLong_AsLongLongAndOverflow(value, &overflow)) and not overflow
    return PyFloat_CheckExact(value) and float_scalar(scalar, PyFloat_AS_DOUBLE(value))


cdef bytes encoded_field(Arena tree, int32_t at, Part part, Py_ssize_t length):
    """Return the bytes of a field that a program changed or that another format holds."""
    if tree.elements[at].first and tree.elements[at].kind == 0:
        raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name} holds fields, but the model says a value", field=part.name)
    try:
        if tree.elements[at].kind == K_NUMBER:  # of a JSON message: with all its digits
            return encode_coded(part.codec, decimal.Decimal(tree.as_written(at)), length)
        return encode_coded(part.codec, tree.value(at), length)
    except MQError as problem:
        raise error(problem.reason, f"field {part.name or '(value)'}: {problem.detail}", field=part.name) from problem


cdef bytes absent_field(Part part, Py_ssize_t length):
    """Return the value for a missing field: its default, or NULL; None if it has neither."""
    try:
        if part.has_default:
            return encode_coded(part.codec, part.default, length)
        if part.codec.null_kind != NULL_NEVER:
            return part.codec.encode_null(length)
    except MQError as problem:
        raise error(problem.reason, f"default of field {part.name}: {problem.detail}", field=part.name) from problem
    return None
