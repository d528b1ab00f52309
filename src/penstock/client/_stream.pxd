from libc.stdint cimport uint32_t

from penstock.protocol._frames cimport Frame, Outgoing, Splitter


cdef class Stream:
    cdef readonly int fd
    cdef object sock
    cdef object secure
    cdef object session
    cdef unsigned char *buffer
    cdef Splitter splitter
    cdef readonly Frame frame
    cdef readonly Outgoing out
    cdef public bint broken

    cpdef bint send(self, bint more=*) except -1
    cpdef bint receive(self, double timeout, bint interruptible=*) except -1
    cdef double _send_until(self, double deadline) except -1
    cdef bint _send_bytes(self, const char *data, Py_ssize_t count, int flags) except -1
    cdef Py_ssize_t _read(self, double timeout, bint interruptible) except -2
    cdef Py_ssize_t _read_secure(self, double timeout, bint interruptible) except -2
    cdef bint _ready(self, short events, double timeout, bint interruptible) except -1
