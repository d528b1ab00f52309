"""Declarations of the output buffer, and its quick puts."""

from cpython.ref cimport PyObject
from libc.string cimport memcpy

cdef class OutputBuffer:
    cdef PyObject *data
    cdef char *at
    cdef char *end
    cdef int make_room(self, Py_ssize_t length) except -1
    cdef bytes finish(self)

cdef OutputBuffer new_output(Py_ssize_t estimate)

cdef extern from "Python.h":
    char *PyBytes_AS_STRING(PyObject *data)

cdef inline Py_ssize_t written(OutputBuffer out) noexcept:
    """Return the number of bytes so far."""
    return out.at - PyBytes_AS_STRING(out.data)

cdef inline void cut_back(OutputBuffer out, Py_ssize_t length) noexcept:
    """Take back what was written after a number of bytes."""
    out.at = PyBytes_AS_STRING(out.data) + length

cdef inline int put(OutputBuffer out, const char *text, Py_ssize_t length) except -1:
    if out.end - out.at < length:
        out.make_room(length)
    memcpy(out.at, text, length)
    out.at += length
    return 0

cdef inline int put_byte(OutputBuffer out, char byte) except -1:
    if out.at == out.end:
        out.make_room(1)
    out.at[0] = byte
    out.at += 1
    return 0
