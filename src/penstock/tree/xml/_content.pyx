# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Text between tags: checked, joined where comments and sections divide it, and stored.

In a compact tree text is its element's value, and dropped beside elements unless mixed content is kept; in a
verbose one it is a child. Called by the XML scanner.
"""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memchr

from penstock.tree.core._arena cimport O_MIXED, append
from penstock.tree.core._element cimport (
    F_ASCII, K_CDATA, K_NONE, K_OBJECT, K_TEXT, K_TEXT_REFERENCES, R_CDATA, R_TEXT,
)
from penstock.tree.core._text cimport LOOK_AMPERSAND, LOOK_BRACKET, LOOK_RETURN, ps_class, ps_references_bad
from penstock.tree.core._types cimport T_CDATA_FIELD, T_CDATA_VALUE, T_NAME_VALUE, T_VALUE
from penstock.tree.core._values cimport xml_text
from penstock.tree.xml._state cimport Open, bad_reference, fail


cdef int scan_text(Scanner *x, Arena tree, const char *p, const char *end) except -1:
    cdef const char *q = p
    cdef Py_ssize_t bad
    cdef int entity = 0
    cdef int kind = K_TEXT
    if x.depth == 0:
        while q < end:
            if not ps_class[<uint8_t>q[0]] & 4:
                fail(x, "text outside the root element", q)
            q += 1
        return 0
    if x.look & LOOK_BRACKET:
        while q < end:
            q = <const char *>memchr(q, c']', end - q)
            if q == NULL:
                break
            if end - q > 2 and q[1] == c']' and q[2] == c'>':
                fail(x, "]]> in text; write ]]&gt;", q)
            q += 1
    if x.look & LOOK_AMPERSAND and memchr(p, c'&', end - p) != NULL:
        bad = ps_references_bad(p, end - p, &entity)
        if bad >= 0:
            bad_reference(x, p + bad, entity)
        kind = K_TEXT_REFERENCES
    elif x.look & LOOK_RETURN and memchr(p, 13, end - p) != NULL:
        kind = K_TEXT_REFERENCES
    return add_text(x, tree, p, end - p, kind)


cdef int add_text(Scanner *x, Arena tree, const char *p, Py_ssize_t length, int kind) except -1:
    """Record text; several pieces, as comments and CDATA sections make them, are joined."""
    if x.open[x.depth - 1].children and not x.verbose and not x.options & O_MIXED:
        return 0
    if x.verbose and x.run_kind != K_NONE and (kind == K_CDATA or x.run_kind == K_CDATA):
        flush_text(x, tree, False)  # sections are elements of their own
    if x.run_kind == K_NONE:
        x.run = p
        x.run_length = length
        x.run_kind = kind
        return 0
    if x.run_kind != K_OBJECT:
        tree.pieces = [xml_text(x.run, x.run_length, x.run_kind, x.ascii)]
        x.run_kind = K_OBJECT
    tree.pieces.append(xml_text(p, length, kind, x.ascii))
    return 0


cdef int flush_text(Scanner *x, Arena tree, bint ending) except -1:
    """Store the text so far: as the element's value, as a child, or not at all."""
    cdef Open *top = &x.open[x.depth - 1]
    cdef int kind = x.run_kind
    cdef int32_t at = top.element
    if kind == K_NONE:
        if ending and not x.verbose and not top.children:
            tree.put_raw(at, top.tag, 0, K_TEXT, F_ASCII)
            tree.elements[at].type = T_NAME_VALUE
        return 0
    x.run_kind = K_NONE
    if ending and not x.verbose and not top.children:
        tree.elements[at].type = T_CDATA_FIELD if kind == K_CDATA else T_NAME_VALUE
    elif not x.verbose and not x.options & O_MIXED:
        tree.pieces = None
        return 0
    elif kind == K_CDATA:
        at = append(tree, at, 0, 0, T_CDATA_VALUE, R_CDATA)
    else:
        at = append(tree, at, 0, 0, T_VALUE, R_TEXT)
    if kind == K_OBJECT:
        tree.put_value(at, "".join(tree.pieces))
        tree.pieces = None
    else:
        tree.put_raw(at, x.run, x.run_length, kind, x.ascii)
    return 0
