# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Markup that is no tag: comments, CDATA sections, processing instructions, the XML declaration.

A document type is refused here, and with it every way to define an entity. Called by the XML scanner.
"""

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr, memcmp

from penstock.tree._arena cimport O_COMMENTS, O_INSTRUCTIONS, O_MIXED, append
from penstock.tree._element cimport (
    K_ATTRIBUTE, K_CDATA, R_ATTRIBUTE, R_COMMENT, R_DECLARATION, R_INSTRUCTION,
)
from penstock.tree._names cimport shared_id
from penstock.tree._text cimport ps_class, ps_name_valid
from penstock.tree._types cimport (
    T_ATTRIBUTE, T_COMMENT, T_DECLARATION, T_INSTRUCTION, T_NAME_VALUE, T_VERBOSE_COMMENT, T_VERBOSE_DECLARATION,
    T_VERBOSE_INSTRUCTION,
)
from penstock.tree._xml_content cimport add_text, flush_text
from penstock.tree._xml_state cimport Attribute, fail

cdef uint32_t N_COMMENT = shared_id("Comment")
cdef uint32_t N_DECLARATION = shared_id("XmlDeclaration")
cdef uint32_t N_VERBOSE_DECLARATION = shared_id("XmlDecl")
cdef uint32_t N_VERSION = shared_id("Version")
cdef uint32_t N_ENCODING = shared_id("Encoding")
cdef uint32_t N_STANDALONE = shared_id("Standalone")


cdef const char *scan_exclamation(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan a comment or a CDATA section from behind the <! to behind it."""
    cdef const char *q
    if x.end - p >= 2 and p[0] == c'-' and p[1] == c'-':
        p += 2
        q = p
        while True:
            q = <const char *>memchr(q, c'-', x.end - q)
            if q == NULL or x.end - q < 3:
                fail(x, "a comment does not end", p)
            if q[1] == c'-':
                break
            q += 1
        if q[2] != c'>':
            fail(x, "-- inside a comment", q)
        if x.verbose or x.options & O_COMMENTS:
            add_aside(x, tree, N_COMMENT, p, q, T_VERBOSE_COMMENT if x.verbose else T_COMMENT, R_COMMENT)
        return q + 3
    if x.end - p >= 7 and memcmp(p, b"[CDATA[", 7) == 0:
        if x.depth == 0:
            fail(x, "a CDATA section outside the root element", p)
        p += 7
        q = p
        while True:
            q = <const char *>memchr(q, c']', x.end - q)
            if q == NULL or x.end - q < 3:
                fail(x, "a CDATA section does not end", p)
            if q[1] == c']' and q[2] == c'>':
                break
            q += 1
        add_text(x, tree, p, q - p, K_CDATA)
        return q + 3
    if x.end - p >= 7 and memcmp(p, b"DOCTYPE", 7) == 0:
        fail(x, "a document type is not accepted in messages", p - 2, 8102)
    fail(x, "<! begins a comment or a CDATA section", p - 2)


cdef const char *scan_instruction(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan a processing instruction from behind the <? to behind it."""
    cdef const char *q = p
    cdef const char *target_end
    while ps_class[<uint8_t>q[0]] & 2:
        q += 1
    target_end = q
    if not ps_name_valid(p, q - p, not x.namespaces):
        fail(x, "no name of a processing instruction", p)
    if q - p == 3 and (p[0] | 32) == c'x' and (p[1] | 32) == c'm' and (p[2] | 32) == c'l':
        fail(x, "an XML declaration stands only at the very beginning", p)
    if not ps_class[<uint8_t>q[0]] & 4 and not (q[0] == c'?' and q[1] == c'>'):
        fail(x, "a processing instruction needs white space behind its name", q)
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    cdef const char *begin = q
    while True:
        q = <const char *>memchr(q, c'?', x.end - q)
        if q == NULL or x.end - q < 2:
            fail(x, "a processing instruction does not end", p)
        if q[1] == c'>':
            break
        q += 1
    if x.verbose or x.options & O_INSTRUCTIONS:
        add_aside(x, tree, tree.name_id(p, target_end - p), begin, q,
                  T_VERBOSE_INSTRUCTION if x.verbose else T_INSTRUCTION, R_INSTRUCTION)
    return q + 2


cdef int add_aside(Scanner *x, Arena tree, uint32_t name, const char *p, const char *end, uint32_t type_, int role) except -1:
    """Keep a comment or an instruction where it stands among the children."""
    cdef int32_t at
    if x.depth and (x.verbose or x.options & O_MIXED):
        flush_text(x, tree, False)
        x.open[x.depth - 1].children = True  # so that text behind it stays behind it
    at = append(tree, x.open[x.depth - 1].element if x.depth else x.folder, name, 0, type_, role)
    return tree.put_raw(at, p, end - p, K_CDATA, x.ascii)


cdef const char *scan_declaration(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan the XML declaration into a folder of its own."""
    cdef int32_t at = append(tree, x.folder, N_VERBOSE_DECLARATION if x.verbose else N_DECLARATION, 0,
                             T_VERBOSE_DECLARATION if x.verbose else T_DECLARATION, R_DECLARATION)
    cdef int place = 0
    cdef const char *q = p + 5
    cdef const char *blank
    cdef Attribute one
    while True:
        blank = q
        while ps_class[<uint8_t>q[0]] & 4:
            q += 1
        if q[0] == c'?' and q[1] == c'>':
            break
        if q == blank:
            fail(x, "an XML declaration holds version, encoding and standalone", q)
        q = scan_pseudo_attribute(x, q, &one)
        place = declared(x, tree, at, &one, place)
    if place == 0:
        fail(x, "an XML declaration without a version", q)
    return q + 2


cdef const char *scan_pseudo_attribute(Scanner *x, const char *q, Attribute *one) except NULL:
    cdef char quote
    one.name = q
    while ps_class[<uint8_t>q[0]] & 2:
        q += 1
    one.length = <int32_t>(q - one.name)
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    if q[0] != c'=':
        fail(x, "an XML declaration holds version, encoding and standalone", q)
    q += 1
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    quote = q[0]
    if quote != c'"' and quote != c"'":
        fail(x, "a value must be in quotation marks", q)
    one.value = q + 1
    q = <const char *>memchr(q + 1, quote, x.end - q - 1)
    if q == NULL:
        fail(x, "a value does not end", one.value)
    one.value_length = <int32_t>(q - one.value)
    return q + 1


cdef int declared(Scanner *x, Arena tree, int32_t at, Attribute *one, int place) except -1:
    """Add version, encoding or standalone, each once and in this order; return the place reached."""
    cdef const char *v = one.value
    cdef int32_t n = one.value_length
    cdef int32_t i
    cdef bint good = False
    cdef uint32_t name = N_VERSION
    cdef int reached = 1
    if one.length == 7 and memcmp(one.name, b"version", 7) == 0:
        good = place == 0 and n >= 3 and v[0] == c'1' and v[1] == c'.'
        for i in range(2, n):
            good = good and c'0' <= v[i] <= c'9'
    elif one.length == 8 and memcmp(one.name, b"encoding", 8) == 0:
        name = N_ENCODING
        reached = 2
        good = place == 1 and n > 0 and (c'a' <= v[0] <= c'z' or c'A' <= v[0] <= c'Z')
        for i in range(n):
            good = good and (ps_class[<uint8_t>v[i]] & 2) != 0 and <uint8_t>v[i] < 0x80 and v[i] != c':'
    elif one.length == 10 and memcmp(one.name, b"standalone", 10) == 0:
        name = N_STANDALONE
        reached = 3
        good = (place == 1 or place == 2) and (
            (n == 3 and memcmp(v, b"yes", 3) == 0) or (n == 2 and memcmp(v, b"no", 2) == 0))
    if not good:
        fail(x, "an XML declaration holds version, encoding and standalone, in this order", one.name)
    at = append(tree, at, name, 0, T_NAME_VALUE if x.verbose else T_ATTRIBUTE, R_ATTRIBUTE)
    tree.put_raw(at, v, n, K_ATTRIBUTE, x.ascii)
    return reached
