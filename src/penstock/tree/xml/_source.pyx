# cython: language_level=3, boundscheck=False, wraparound=False
"""The source of an XML body as the scanner reads it: UTF-8, whatever its original character set.

Most documents are obviously UTF-8 and are read in place; `charset` decodes the rest.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t
from libc.string cimport memchr, memcmp

from penstock.tree.core._text cimport ps_class

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core.charset import text_as_utf8, xml_as_utf8

cdef enum:
    UTF8_CCSID = 1208


cdef bytes readable(Arena tree):
    """Return the source as UTF-8; another character set is recorded in the tree, which keeps the text."""
    cdef bytes source = tree.source
    cdef bytes text
    cdef const char *p = PyBytes_AS_STRING(source)
    cdef Py_ssize_t n = PyBytes_GET_SIZE(source)
    if tree.ccsid and tree.ccsid != UTF8_CCSID:
        text, tree.charset = text_as_utf8(source, tree.ccsid, tree.encoding)
    elif tree.ccsid or plainly_utf8(p, n):
        return source
    else:
        text, tree.charset = xml_as_utf8(source)
        if tree.charset == "utf-8":
            return source
    if tree.limits.size_max < PyBytes_GET_SIZE(text):
        raise error(mq.PSRC_TREE_SIZE, f"a body of {len(text)} bytes in UTF-8; at most {tree.limits.size_max}")
    tree.keep(text)
    return text


cdef bint plainly_utf8(const char *p, Py_ssize_t n) noexcept:
    """Return whether a document's encoding needs no closer look: it declares UTF-8 or nothing."""
    cdef const char *close
    if n < 5:
        return n == 0 or <uint8_t>p[0] < 0x80 and (n < 2 or p[1] != 0) and p[0] != 0
    if n >= 8 and <uint8_t>p[0] == 0xEF:
        p += 3
        n -= 3
    if memcmp(p, b"<?xml", 5) != 0:
        return (p[0] == c'<' or ps_class[<uint8_t>p[0]] & 4) and p[1] != 0
    close = <const char *>memchr(p, c'>', n if n < 200 else 200)
    if close == NULL:
        return False
    while p < close and not (p[0] == c'e' and close - p > 8 and memcmp(p, b"encoding", 8) == 0):
        p += 1
    return p == close or (close - p >= 16 and memcmp(p + 8, b'="', 2) == 0 and (
        memcmp(p + 10, b'UTF-8"', 6) == 0 or memcmp(p + 10, b'utf-8"', 6) == 0))
