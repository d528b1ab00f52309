# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The XML scanner: a document into elements, without decoding values.

XML 1.0 (fifth edition) with Namespaces 1.0, except what messages must not contain: a document type is refused
unless allowed, and so is every entity except the five. Compact (XMLNSC) or verbose (XMLNS, XML) by the
folder. One pass, no recursion; the stacks have a fixed size and the limits of the message. tests/property
compare it with expat.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr, memcmp

from penstock.tree.core._arena cimport append
from penstock.tree.core._element cimport F_ASCII, F_TIDY, F_VERBOSE, K_NONE, K_TEXT, R_ELEMENT, R_TEXT
from penstock.tree.core._text cimport (
    LOOK_AMPERSAND, LOOK_BRACKET, LOOK_CONTROL, LOOK_HIGH, LOOK_RETURN, ps_class, ps_look, ps_utf8_bad,
    ps_xml_character,
)
from penstock.tree.core._names cimport NameEntry, NameTable, shared_names
from penstock.tree.core._shapes cimport LIKELY_MASK, Transition
from penstock.tree.core._types cimport T_NAME, T_NAME_VALUE, T_VALUE
from penstock.tree.xml._markup cimport scan_declaration, scan_exclamation, scan_instruction
from penstock.tree.xml._attributes cimport add_attributes, bound, check_name, scan_attributes
from penstock.tree.xml._content cimport flush_text, scan_text
from penstock.tree.xml._source cimport readable
from penstock.tree.xml._state cimport Open, Scanner, fail

cdef NameTable SHARED = shared_names()


cdef int scan_xml(Arena tree, int32_t folder, bint namespaces) except -1:
    """Scan the source of a tree into a folder."""
    cdef bytes text = readable(tree)
    cdef Scanner x
    x.start = PyBytes_AS_STRING(text)
    x.end = x.start + PyBytes_GET_SIZE(text)
    x.look = ps_look(x.start, x.end - x.start)
    x.ascii = 0 if x.look & LOOK_HIGH else F_ASCII
    x.verbose = tree.elements[folder].flags & F_VERBOSE
    x.namespaces = namespaces
    x.options = tree.options
    x.seen = x.doctype = False
    x.folder = folder
    x.depth = x.binding_count = x.attribute_count = 0
    x.depth_max = tree.limits.depth_max
    x.bindings_max = tree.limits.namespaces_max
    x.attributes_max = tree.limits.attributes_max
    x.default_namespace = 0
    x.prefix = NULL
    x.run = NULL
    x.run_length = 0
    x.run_kind = K_NONE
    check_characters(&x)
    scan_document(&x, tree)
    return 0


cdef int check_characters(Scanner *x) except -1:
    cdef const char *p = x.start
    cdef Py_ssize_t bad
    if x.look & LOOK_CONTROL:
        while ps_xml_character(<uint8_t>p[0]):
            p += 1
        return fail(x, f"character U+{<uint8_t>p[0]:04X} is not allowed in XML", p)
    if x.look & LOOK_HIGH:
        bad = ps_utf8_bad(x.start, x.end - x.start, 1)
        if bad >= 0:
            return fail(x, "not UTF-8, or a character that XML does not allow", x.start + bad)
    return 0


cdef int scan_document(Scanner *x, Arena tree) except -1:
    """Process markup after markup; everything between is text."""
    cdef const char *p = x.start
    cdef const char *markup
    if x.end - p >= 3 and <uint8_t>p[0] == 0xEF and <uint8_t>p[1] == 0xBB and <uint8_t>p[2] == 0xBF:
        p += 3
    if x.end - p > 5 and memcmp(p, b"<?xml", 5) == 0 and ps_class[<uint8_t>p[5]] & 4:
        p = scan_declaration(x, tree, p)
    while True:
        markup = p
        if p[0] != c'<':  # as between most tags
            markup = <const char *>memchr(p, c'<', x.end - p)
            if markup == NULL:
                markup = x.end
            if markup != p:
                make_untidy(x)
                scan_text(x, tree, p, markup)
        if markup == x.end:
            break
        p = markup + 1
        if p[0] == c'/':
            p = scan_end_tag(x, tree, p + 1)
        elif p[0] == c'!':
            make_untidy(x)
            p = scan_exclamation(x, tree, p + 1)
        elif p[0] == c'?':
            make_untidy(x)
            p = scan_instruction(x, tree, p + 1)
        else:
            p = scan_start_tag(x, tree, p)
    if x.depth:
        tag = x.open[x.depth - 1].tag[:x.open[x.depth - 1].length].decode("utf-8", "replace")
        fail(x, f"the document ends inside element {tag}", x.end)
    if not x.seen:
        fail(x, "there is no element", x.end)
    return 0


cdef inline void make_untidy(Scanner *x) noexcept:
    """Record that the innermost open element has contents that the writer may write differently."""
    if x.depth:
        x.open[x.depth - 1].tidy = False


# Tags

cdef const char *scan_start_tag(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan a tag after the < to its >."""
    cdef const char *q
    cdef int32_t colon = -1
    cdef int32_t at, above = x.folder
    cdef uint32_t namespace_, name = 0
    cdef Open *top
    if x.depth == 0 and x.seen:
        fail(x, "a second root element", p)
    if x.depth == x.depth_max:
        fail(x, f"elements are nested more than {x.depth_max} deep", p, 8110)
    if x.depth:
        if x.run_kind != K_NONE:
            flush_text(x, tree, False)
        above = x.open[x.depth - 1].element
        x.open[x.depth - 1].children = True
    q = likely_tag(x, tree, above, p, &name, &colon)
    if q == NULL:
        q = scan_tag_name(x, p, &colon)
    top = &x.open[x.depth]
    top.tag = p
    top.length = <int32_t>(q - p)
    top.bindings = x.binding_count
    top.children = False
    x.depth += 1
    x.seen = True
    x.attribute_count = 0
    top.colon = colon
    top.tidy = q[0] == c'>'
    if q[0] != c'>':
        x.regular = True
        q = scan_attributes(x, tree, q)
        top.tidy = x.regular and q[0] == c'>' and q[-1] == c'"'
    top.tidy = top.tidy and x.default_namespace == 0 and (colon < 0 or x.namespaces)
    if x.depth > 1 and not (top.tidy and (colon < 0 or has_prefix_of(top, &x.open[x.depth - 2]))):
        x.open[x.depth - 2].tidy = False
    if colon >= 0 and x.namespaces:
        namespace_ = bound(x, p, colon)
        p += colon + 1
    else:
        namespace_ = x.default_namespace
    if name == 0:
        name = tree.name_below(above, p, top.tag + top.length - p)
        if x.namespaces or colon < 0:
            tree.entry(name).valid = 1
    at = append(tree, above, name, namespace_, T_NAME, R_ELEMENT)
    top.element = at
    if x.attribute_count:
        add_attributes(x, tree, at)
    if q[0] != c'>':
        close_element(x, tree)
        return q + 2
    q += 1
    if x.binding_count == top.bindings:
        p = plain_end(x, top, q)
        if p != NULL and not (x.verbose and p == q):
            if x.verbose:
                at = append(tree, at, 0, 0, T_VALUE, R_TEXT)
            else:
                tree.elements[at].type = T_NAME_VALUE
            tree.elements[at].raw = q
            tree.elements[at].raw_length = <uint32_t>(p - q)
            tree.elements[at].kind = K_TEXT
            tree.elements[at].flags |= x.ascii
            x.depth -= 1
            if p == q:
                make_untidy(x)
            return p + top.length + 3
    return q


cdef inline bint has_prefix_of(Open *top, Open *above) noexcept:
    """Return whether an element has the prefix of its parent: then both have the same namespace."""
    return top.colon == above.colon and memcmp(top.tag, above.tag, top.colon) == 0


cdef const char *scan_tag_name(Scanner *x, const char *p, int32_t *colon) except NULL:
    """Return the end of a tag's name, and the position of its colon."""
    cdef const char *q = p
    if not ps_class[<uint8_t>p[0]] & 1:
        fail(x, "no name behind <; a plain < is written &lt;", p)
    while ps_class[<uint8_t>q[0]] & 2:
        if q[0] == c':' and colon[0] < 0:
            colon[0] = <int32_t>(q - p)
        q += 1
    check_name(x, p, q, colon[0])
    return q


cdef inline const char *likely_tag(Scanner *x, Arena tree, int32_t above, const char *p, uint32_t *name,
                                   int32_t *colon) noexcept:
    """Return the end of a tag's name if it is a likely next one, with the last prefix; else NULL.

    That is the name that followed the same siblings last time, or the previous sibling's again.
    """
    cdef uint32_t shape = tree.elements[above].shape
    cdef Transition *likely = &tree.likely[shape & LIKELY_MASK]
    cdef const char *local = p
    cdef const char *end = NULL
    if tree.names is not None:
        return NULL
    if x.prefix != NULL and x.end - p > x.prefix_length and p[x.prefix_length] == c':' \
            and memcmp(p, x.prefix, x.prefix_length) == 0:
        local = p + x.prefix_length + 1
    if likely.shape == shape:
        name[0] = likely.name
        end = name_end(x, local, name[0])
    if end == NULL and tree.elements[above].last:
        name[0] = tree.elements[tree.elements[above].last].name
        end = name_end(x, local, name[0])
    if end == NULL:
        name[0] = 0
    elif local != p:
        colon[0] = <int32_t>(local - p - 1)
    return end


cdef inline const char *name_end(Scanner *x, const char *p, uint32_t name) noexcept:
    """Return the end of a name if it is a known one, else NULL."""
    cdef NameEntry *entry = &SHARED.entries[name]
    if (entry.valid != 1 or p[0] != entry.utf8[0] or x.end - p <= entry.length
            or memcmp(p, entry.utf8, entry.length) != 0 or ps_class[<uint8_t>p[entry.length]] & 2):
        return NULL
    return p + entry.length


cdef inline const char *plain_end(Scanner *x, Open *top, const char *text) noexcept:
    """Return the position of the end tag if only plain text precedes it, as in most elements."""
    cdef const char *end = <const char *>memchr(text, c'<', x.end - text)
    if (end == NULL or x.end - end < top.length + 3 or end[1] != c'/' or end[2 + top.length] != c'>'
            or memcmp(end + 2, top.tag, top.length) != 0):
        return NULL
    if x.look & LOOK_AMPERSAND and memchr(text, c'&', end - text) != NULL:
        return NULL
    if x.look & LOOK_RETURN and memchr(text, 13, end - text) != NULL:
        return NULL
    if x.look & LOOK_BRACKET and memchr(text, c']', end - text) != NULL:
        return NULL
    return end


cdef const char *scan_end_tag(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan an end tag after the </ to its >."""
    cdef Open *top
    if x.depth == 0:
        fail(x, "an end tag, but nothing is open", p)
    top = &x.open[x.depth - 1]
    if x.end - p <= top.length or memcmp(p, top.tag, top.length) != 0 or ps_class[<uint8_t>p[top.length]] & 2:
        fail(x, f"element {top.tag[:top.length].decode('utf-8', 'replace')} is open and must be closed first", p)
    p += top.length
    while ps_class[<uint8_t>p[0]] & 4:
        top.tidy = False
        p += 1
    if p[0] != c'>':
        fail(x, "an end tag holds only the name", p)
    close_element(x, tree)
    if not (top.tidy and top.children):
        make_untidy(x)
    else:
        tree.elements[top.element].raw = top.tag - 1
        tree.elements[top.element].raw_length = <uint32_t>(p + 2 - top.tag)
        tree.elements[top.element].flags |= F_TIDY
    return p + 1


cdef int close_element(Scanner *x, Arena tree) except -1:
    cdef int32_t i
    cdef Open *top = &x.open[x.depth - 1]
    if x.run_kind != K_NONE or not top.children:
        flush_text(x, tree, True)
    x.depth -= 1
    if x.binding_count != top.bindings:
        x.binding_count = top.bindings
        x.prefix = NULL
        x.default_namespace = 0
        for i in range(x.binding_count):
            if x.bindings[i].length == 0:
                x.default_namespace = x.bindings[i].uri
    return 0
