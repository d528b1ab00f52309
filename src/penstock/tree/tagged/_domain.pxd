"""Declarations of the plan for tagged and delimited text, and where a plain value ends."""

from libc.stdint cimport uint8_t
from libc.string cimport memchr

from penstock.tree.model._codec cimport Codec
from penstock.tree.model._part cimport Part
from penstock.tree.core._template cimport Template

cdef enum:
    TAGGED_DELIMITED = 0
    TAGGED_FIXED = 1
    TAGGED_ENCODED = 2
    ALL_DELIMITED = 3
    VARIABLE_DELIMITED = 4
    FIXED_LENGTH = 5
    DATA_PATTERN = 6

cdef class Stops:
    cdef readonly tuple texts  # the longest first
    cdef int single  # the one byte that ends a value, -1 if there are more or none
    cdef bint any
    cdef unsigned char first[256]
    cdef Py_ssize_t match(self, const char *p, const char *end) noexcept

cdef inline const char *plain_end(Stops stops, const char *p, const char *end) noexcept:
    """Return where a value without escapes and quotes ends."""
    cdef const char *q
    if stops.single >= 0:
        q = <const char *>memchr(p, stops.single, end - p)
        return end if q == NULL else q
    if not stops.any:
        return end
    while p < end and not (stops.first[<uint8_t>p[0]] and stops.match(p, end)):
        p += 1
    return p

cdef class TdsPart(Part):
    # of a field
    cdef public bytes lead_in  # the tag and what separates it from the data
    cdef public bint telling  # no other field of its name has its tag
    cdef public int length, length_slot, slot  # in characters; -1
    cdef public bytes repeat_delimiter
    cdef public int limit  # of occurrences in the group around it, the groups that repeat it included; -1 for none
    cdef public int namesake  # the first sibling part of its name, which counts for all of them
    cdef public object pattern
    cdef public Stops stops
    cdef public Codec escaped  # for values with escapes or quotes
    cdef public bint is_string
    cdef bint clear  # nothing in its values can be taken for a separator: they are plain numbers
    cdef public bytes pad
    cdef public bint pad_left
    cdef public bint hollow  # a group without members: only its tests matter
    cdef bytes opening  # the delimiter of the group around it, and the tag
    # of a group
    cdef public int separation
    cdef public bytes indicator, terminator, delimiter
    cdef public int encoded_digits, encoded_extra
    cdef public bint keep_trailing  # delimiters of absent elements at the end
    cdef public bint observe_length
    cdef Py_ssize_t plain  # number of parts, from the first on, that are single values between tag and separator
    cdef Template template  # of these
    # of both
    cdef public int escape, quote  # bytes; -1
    cdef public bytes reserved

cdef class TdsPlan:
    cdef TdsPart root
    cdef int slots
    cdef readonly object checker  # starts the tests of one message; None if the model has none
