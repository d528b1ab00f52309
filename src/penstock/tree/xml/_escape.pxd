"""Declarations of escaping."""

from penstock.tree.core._output cimport OutputBuffer

cdef int put_text(OutputBuffer out, str text) except -1
cdef int put_attribute(OutputBuffer out, str text) except -1
cdef int put_cdata(OutputBuffer out, str text) except -1
cdef int put_name(OutputBuffer out, str text) except -1
