"""Declarations of Message."""

from libc.stdint cimport int32_t

from penstock.tree.core._arena cimport Arena, Domain
from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.core._path cimport Path
from penstock.tree.core._reference cimport Reference

cpdef Message queued_message(bytes data, Domain form, int ccsid, int encoding, Domain properties, about,
                             Domain descriptor, source)

cdef class Message(Arena):
    cdef int take_body(self, object data, Domain form, object ccsid, object encoding) except -1
    cdef int set_body(self, bytes source, Domain form, int ccsid, int encoding) except -1
    cdef Py_ssize_t read_bytes(self) noexcept
    cdef bytes body_bytes(self, str charset, bint anew)
    cpdef Domain body_form(self)
    cpdef bytes body_as_it_came(self, int ccsid, int encoding)
    cpdef Reference reference(self, Path path=*, indexes=*)
    cpdef Reference add_folder(self, Domain domain, payload=*)
    cpdef bytes folder_bytes(self, Reference folder, ccsid=*, encoding=*)
    cpdef object payload_beside_body(self, Domain wanted)
    cdef str choose_charset(self, object ccsid, object encoding)
    cdef int decode_all(self) except -1
    cdef int write_folder(self, Domain domain, int32_t at, OutputBuffer out, str charset) except -1
