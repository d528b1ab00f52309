# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Markup other than tags: comments, CDATA sections, processing instructions, the XML declaration, document
types.

A document type is refused unless it is allowed, and is then kept as text: its declarations are skipped, so no
entity is ever defined, nothing is fetched, and its length is limited. Called by the XML scanner.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr, memcmp

from penstock.tree.core._arena cimport O_COMMENTS, O_DOCTYPE, O_INSTRUCTIONS, O_MIXED, append
from penstock.tree.core._element cimport (
    K_ATTRIBUTE, K_CDATA, R_ATTRIBUTE, R_COMMENT, R_DECLARATION, R_DOCUMENT_TYPE, R_INSTRUCTION,
)
from penstock.tree.core._names cimport shared_id
from penstock.tree.core._text cimport ps_class, ps_name_valid
from penstock.tree.core._types cimport (
    T_ATTRIBUTE, T_COMMENT, T_DECLARATION, T_DOCUMENT_TYPE, T_INSTRUCTION, T_NAME_VALUE, T_VERBOSE_COMMENT, T_VERBOSE_DECLARATION,
    T_VERBOSE_INSTRUCTION,
)
from penstock.tree.xml._attributes cimport scan_value
from penstock.tree.xml._content cimport add_text, flush_text
from penstock.tree.xml._state cimport Attribute, fail

cdef extern from "string.h" nogil:
    void *memmem(const void *bytes, size_t length, const void *mark, size_t mark_length)

cdef enum:
    DOCTYPE_BYTES_MAX = 65536

cdef uint32_t N_DOCUMENT_TYPE = shared_id("DocumentType")
cdef uint32_t N_COMMENT = shared_id("Comment")
cdef uint32_t N_DECLARATION = shared_id("XmlDeclaration")
cdef uint32_t N_VERBOSE_DECLARATION = shared_id("XmlDecl")
cdef uint32_t N_VERSION = shared_id("Version")
cdef uint32_t N_ENCODING = shared_id("Encoding")
cdef uint32_t N_STANDALONE = shared_id("Standalone")


cdef const char *scan_exclamation(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan a comment or a CDATA section after the <! to its end."""
    cdef const char *q
    if x.end - p >= 2 and p[0] == c'-' and p[1] == c'-':
        p += 2
        q = behind(x, p, b"--", b"-->", "a comment")
        if x.verbose or x.options & O_COMMENTS:
            add_aside(x, tree, N_COMMENT, p, q - 3, T_VERBOSE_COMMENT if x.verbose else T_COMMENT, R_COMMENT)
        return q
    if x.end - p >= 7 and memcmp(p, b"[CDATA[", 7) == 0:
        if x.depth == 0:
            fail(x, "a CDATA section outside the root element", p)
        p += 7
        q = behind(x, p, b"]]>", b"]]>", "a CDATA section")
        add_text(x, tree, p, q - 3 - p, K_CDATA)
        return q
    if x.end - p >= 7 and memcmp(p, b"DOCTYPE", 7) == 0:
        if not x.options & O_DOCTYPE:
            fail(x, "a document type is not accepted in messages unless asked for", p - 2, 8102)
        return scan_doctype(x, tree, p + 7)
    fail(x, "<! begins a comment or a CDATA section", p - 2)


cdef const char *scan_doctype(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan a document type after <!DOCTYPE to its end, and keep it as text."""
    cdef const char *name
    cdef const char *q
    if x.depth or x.seen or x.doctype:
        fail(x, "a document has one document type, before its root element", p - 9, 8102)
    x.doctype = True
    q = blanks(p)
    name = q
    while ps_class[<uint8_t>q[0]] & 2:
        q += 1
    if name == p or not ps_name_valid(name, q - name, True):
        fail(x, "a document type begins with the name of the root element", name)
    q = external_id(x, q)
    if q[0] == c'[':
        q = blanks(internal_subset(x, q + 1))
    if q[0] != c'>':
        fail(x, "a document type does not end", q)
    if q - name > DOCTYPE_BYTES_MAX:
        fail(x, f"a document type of more than {DOCTYPE_BYTES_MAX} bytes", name, 8113)
    add_aside(x, tree, N_DOCUMENT_TYPE, name, q, T_DOCUMENT_TYPE, R_DOCUMENT_TYPE)
    return q + 1


cdef const char *blanks(const char *q) noexcept:
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    return q


cdef const char *external_id(Scanner *x, const char *q) except NULL:
    """Skip white space and PUBLIC or SYSTEM with their literals, which are ignored."""
    cdef const char *before = q
    cdef int literals = 0
    q = blanks(q)
    if x.end - q > 6 and q != before:
        literals = 2 if memcmp(q, b"PUBLIC", 6) == 0 else 1 if memcmp(q, b"SYSTEM", 6) == 0 else 0
    if literals:
        q += 6
    while literals:
        if not ps_class[<uint8_t>q[0]] & 4:
            fail(x, "white space is missing before a literal", q)
        q = literal_end(x, blanks(q))
        literals -= 1
    return blanks(q)


cdef const char *literal_end(Scanner *x, const char *q) except NULL:
    cdef const char *end = NULL
    if q[0] == c'"' or q[0] == c"'":
        end = <const char *>memchr(q + 1, q[0], x.end - q - 1)
    if end == NULL:
        fail(x, "a literal in quotation marks is missing, or does not end", q)
    return end + 1


cdef const char *internal_subset(Scanner *x, const char *q) except NULL:
    """Skip declarations, comments and instructions up to and including the closing bracket."""
    cdef const char *end
    while True:
        q = blanks(q)
        if q[0] == c']':
            return q + 1
        if q[0] == c'%':
            end = <const char *>memchr(q, c';', x.end - q)
            if end == NULL or not ps_name_valid(q + 1, end - q - 1, True):
                fail(x, "a % begins a reference to a parameter entity", q)
            q = end + 1
        elif x.end - q > 3 and memcmp(q, b"<!--", 4) == 0:
            q = behind(x, q + 4, b"--", b"-->", "a comment in a document type")
        elif x.end - q > 1 and memcmp(q, b"<?", 2) == 0:
            q = behind(x, q + 2, b"?>", b"?>", "an instruction in a document type")
        elif declares(x, q):
            q = declaration_end(x, q)
        else:
            fail(x, "a document type holds declarations, comments and instructions", q)


cdef bint declares(Scanner *x, const char *q) noexcept:
    return (x.end - q > 10 and (memcmp(q, b"<!ELEMENT", 9) == 0 or memcmp(q, b"<!ATTLIST", 9) == 0
                                or memcmp(q, b"<!ENTITY", 8) == 0 or memcmp(q, b"<!NOTATION", 10) == 0))


cdef const char *declaration_end(Scanner *x, const char *q) except NULL:
    cdef const char *start = q
    q += 2
    while q < x.end and q[0] != c'>':
        if q[0] == c'<':
            fail(x, "a declaration in a document type does not end", start)
        q = literal_end(x, q) if q[0] == c'"' or q[0] == c"'" else q + 1
    if q == x.end:
        fail(x, "a declaration in a document type does not end", start)
    return q + 1


cdef const char *behind(Scanner *x, const char *p, bytes first, bytes whole, str what) except NULL:
    """Return the position after a closing; `first` may not occur elsewhere."""
    cdef Py_ssize_t length = PyBytes_GET_SIZE(whole)
    cdef const char *q = <const char *>memmem(p, x.end - p, PyBytes_AS_STRING(first), PyBytes_GET_SIZE(first))
    if q == NULL or x.end - q < length:
        fail(x, what + " does not end", p)
    if memcmp(q, PyBytes_AS_STRING(whole), length) != 0:
        fail(x, "-- inside a comment", q)
    return q + length


cdef const char *scan_instruction(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan a processing instruction after the <? to its end."""
    cdef const char *q = p
    cdef const char *target_end
    while ps_class[<uint8_t>q[0]] & 2:
        q += 1
    target_end = q
    if not ps_name_valid(p, q - p, not x.namespaces):
        fail(x, "no name of a processing instruction", p)
    if q - p == 3 and (p[0] | 32) == c'x' and (p[1] | 32) == c'm' and (p[2] | 32) == c'l':
        fail(x, "an XML declaration is only allowed at the very beginning", p)
    if not ps_class[<uint8_t>q[0]] & 4 and not (q[0] == c'?' and q[1] == c'>'):
        fail(x, "a processing instruction needs white space behind its name", q)
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    cdef const char *begin = q
    q = behind(x, q, b"?>", b"?>", "a processing instruction")
    if x.verbose or x.options & O_INSTRUCTIONS:
        add_aside(x, tree, tree.name_id(p, target_end - p), begin, q - 2,
                  T_VERBOSE_INSTRUCTION if x.verbose else T_INSTRUCTION, R_INSTRUCTION)
    return q


cdef int add_aside(Scanner *x, Arena tree, uint32_t name, const char *p, const char *end, uint32_t type_, int role) except -1:
    """Keep a comment or an instruction in its position among the children."""
    cdef int32_t at
    if x.depth and (x.verbose or x.options & O_MIXED):
        flush_text(x, tree, False)
        x.open[x.depth - 1].children = True  # so that text behind it stays behind it
    at = append(tree, x.open[x.depth - 1].element if x.depth else x.folder, name, 0, type_, role)
    return tree.put_raw(at, p, end - p, K_CDATA, x.ascii)


cdef const char *scan_declaration(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan the XML declaration into its own folder."""
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
    one.name = q
    while ps_class[<uint8_t>q[0]] & 2:
        q += 1
    one.length = <int32_t>(q - one.name)
    return scan_value(x, q, one, "an XML declaration holds version, encoding and standalone", "a value") + 1


cdef int declared(Scanner *x, Arena tree, int32_t at, Attribute *one, int place) except -1:
    """Add version, encoding or standalone, each once and in this order; return the position reached."""
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
