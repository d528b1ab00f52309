cimport cython

from penstock.model.message cimport Message


cdef class Moves:
    cdef public list parts
    cdef readonly Py_ssize_t count
    cdef readonly Py_ssize_t size
    cdef readonly object first
    cdef readonly object batch
    cdef readonly bint fast
    cdef readonly double since
    cdef object _queue
    cdef object _qmgr
    cdef bytes _target
    cdef public object meter

    @cython.locals(target=bytes, head=bytes, body=bytes, flags=cython.int, rest=cython.Py_ssize_t, parts=list)
    cpdef void add(self, object onward, Message message, double now, int level) except *


cdef class Reader:
    cdef bytes payload
    cdef Py_ssize_t size
    cdef readonly Py_ssize_t at
    cdef readonly Py_ssize_t began
    cdef public long taken
    cdef readonly object onward
    cdef dict _targets
    cdef object _meter

    @cython.locals(message=Message)
    cpdef Message next(self, double now)
    @cython.locals(
        payload=bytes, at=cython.Py_ssize_t, end=cython.Py_ssize_t, head_at=cython.Py_ssize_t,
        rest=cython.Py_ssize_t, length=cython.Py_ssize_t, flags=cython.int, key=bytes,
    )
    cpdef Message _next(self)
    cpdef bint more(self) except -1
