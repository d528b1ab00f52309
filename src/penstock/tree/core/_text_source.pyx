# cython: language_level=3
"""The source of a body that is text, as a scanner reads it: UTF-8, whatever its CCSID is.

XML says itself what it is in and has `xml._source`; all other text is what the message says.
"""

from cpython.bytes cimport PyBytes_GET_SIZE

from penstock.model.errors import error
from penstock.tree.core.charset import text_as_utf8

cdef enum:
    UTF8_CCSID = 1208


cdef bytes utf8_source(Arena tree):
    """Return the source as UTF-8; another character set is noted in the tree, its text kept."""
    cdef bytes text
    if tree.ccsid == 0 or tree.ccsid == UTF8_CCSID:
        return tree.source
    text, tree.charset = text_as_utf8(tree.source, tree.ccsid, tree.encoding)
    if tree.limits.size_max < PyBytes_GET_SIZE(text):
        raise error(8113, f"a body of {len(text)} bytes in UTF-8; at most {tree.limits.size_max}")
    tree.keep(text)
    return text
