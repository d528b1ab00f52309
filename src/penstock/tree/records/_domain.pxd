"""Declarations of the plan for fixed structures."""

from penstock.tree.core._arena cimport Arena, Domain
from penstock.tree.model._part cimport Part
from penstock.tree.core._template cimport Template

cdef enum:
    FIXED = 0  # a length in bytes; a number of occurrences
    PREFIXED = 1
    TERMINATED = 2
    REFERRED = 3  # to an earlier field
    TO_END = 4
    COMPUTED = 5  # by an expression over earlier fields

cdef class CwfPart(Part):
    cdef bint plain  # one field of fixed length, with nothing around it
    cdef public int length_kind, length, prefix, unit
    cdef public bint little
    cdef public int zero  # the byte of the digit 0 if the length prefix is digits, else 0
    cdef public int bits, bit_at, whole  # of a field of bits: how many, where in its first byte; bytes it ends
    cdef public object counted  # the expression of a computed number of occurrences
    cdef public int align, lead, trail, fill
    cdef public int repeat_kind, count
    cdef public int slot, length_slot, count_slot, when_slot
    cdef public object when

cdef class CwfPlan:
    cdef CwfPart root
    cdef int slots
    cdef readonly object checker  # starts the tests of one message; None if the model has none
    cdef bint same  # every message of one length has the same elements at the same offsets
    cdef Template template  # of messages of `template_length` bytes; raw values are offsets
    cdef Py_ssize_t template_length
