"""Declarations for values."""

from penstock.tree.core._element cimport Element

cdef object decode(Element *element)
cdef object text_of(const char *raw, Py_ssize_t length, bint ascii)
cdef object xml_text(const char *raw, Py_ssize_t length, int kind, bint ascii)
cdef object plain(object value)
cdef str characters(object value)
cdef str decimal_text(object value)
cdef str float_text(double value)
cdef object integer_in(Element *element)
cdef object float_in(Element *element)
