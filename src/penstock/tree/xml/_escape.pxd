"""Declarations of escaping."""

from penstock.tree.core._output cimport Output

cdef int put_text(Output out, str text) except -1
cdef int put_attribute(Output out, str text) except -1
cdef int put_cdata(Output out, str text) except -1
cdef int put_name(Output out, str text) except -1
