"""Declarations of Message."""

from libc.stdint cimport int32_t

from penstock.tree._arena cimport Arena, Domain
from penstock.tree._output cimport Output

cdef class Message(Arena):
    cdef int take_body(self, object data, Domain form, object ccsid, object encoding) except -1
    cdef bytes body_bytes(self, str charset, bint anew)
    cdef str choose_charset(self, object ccsid, object encoding)
    cdef int decode_all(self) except -1
    cdef int write_folder(self, Domain domain, int32_t at, Output out, str charset) except -1
