# cython: language_level=3
"""Errors of the XML scanner: with code, position and line."""

from penstock.tree.core.parse_error import parse_error


cdef int fail(Scanner *x, str what, const char *at, int code=8101) except -1:
    text = x.start[:x.end - x.start]
    raise parse_error(code, what, text, at - x.start)


cdef int bad_reference(Scanner *x, const char *at, bint entity) except -1:
    if entity:
        return fail(x, "an entity that is not one of lt, gt, amp, quot, apos", at, 8103)
    return fail(x, "& begins no reference; a plain & is written &amp;", at)
