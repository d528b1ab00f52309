# cython: language_level=3, boundscheck=False, wraparound=False
"""The output buffer of a body: one bytes object that grows and is cut to length at the end.

Writers in C append to it; no other code sees the bytes object before `finish` returns it.
"""

cimport cython
from libc.stdint cimport INT32_MAX

from penstock.model import constants as mq
from penstock.model.errors import error

cdef extern from "Python.h":
    PyObject *PyBytes_FromStringAndSize(const char *text, Py_ssize_t length) except NULL
    int _PyBytes_Resize(PyObject **data, Py_ssize_t length) except -1
    void Py_XDECREF(PyObject *data)

OUTPUT_BYTES_MAX = INT32_MAX


@cython.final
@cython.freelist(8)
cdef class OutputBuffer:
    """A growing bytes object."""

    def __dealloc__(self):
        Py_XDECREF(self.data)

    cdef int make_room(self, Py_ssize_t length) except -1:
        cdef Py_ssize_t used = self.at - PyBytes_AS_STRING(self.data)
        cdef Py_ssize_t size = 2 * (self.end - PyBytes_AS_STRING(self.data))
        if used + length > OUTPUT_BYTES_MAX:
            raise error(mq.PSRC_TREE_SIZE, f"a body of more than {OUTPUT_BYTES_MAX} bytes", size_max=OUTPUT_BYTES_MAX)
        if size < used + length:
            size = used + length + 64
        self.at = self.end = NULL
        _PyBytes_Resize(&self.data, size)
        self.at = PyBytes_AS_STRING(self.data) + used
        self.end = PyBytes_AS_STRING(self.data) + size
        return 0

    cdef bytes finish(self):
        """Return the contents; the buffer cannot be used afterwards."""
        _PyBytes_Resize(&self.data, self.at - PyBytes_AS_STRING(self.data))
        cdef bytes done = <bytes>self.data
        Py_XDECREF(self.data)
        self.data = NULL
        self.at = self.end = NULL
        return done


cdef OutputBuffer new_output(Py_ssize_t estimate):
    cdef OutputBuffer out = OutputBuffer.__new__(OutputBuffer)
    out.data = PyBytes_FromStringAndSize(NULL, estimate)
    out.at = PyBytes_AS_STRING(out.data)
    out.end = out.at + estimate
    return out
