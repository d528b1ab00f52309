# cython: language_level=3
"""The source of a text body, as a scanner reads it: UTF-8, whatever its CCSID is.

XML declares its own encoding and has `xml._source`; for all other text the message specifies it.
"""

from cpython.bytes cimport PyBytes_GET_SIZE

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core.charset import text_as_utf8

cdef enum:
    UTF8_CCSID = 1208


cdef bytes utf8_source(Arena tree):
    """Return the source as UTF-8; another character set is recorded in the tree, which keeps the text."""
    cdef bytes text
    if tree.ccsid == 0 or tree.ccsid == UTF8_CCSID:
        return tree.source
    text, tree.charset = text_as_utf8(tree.source, tree.ccsid, tree.encoding)
    if tree.limits.size_max < PyBytes_GET_SIZE(text):
        raise error(mq.PSRC_TREE_SIZE, f"a body of {len(text)} bytes in UTF-8; at most {tree.limits.size_max}")
    tree.keep(text)
    return text
