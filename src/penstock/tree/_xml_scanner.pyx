# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The XML scanner: a document into elements, without decoding a value.

XML 1.0 (fifth edition) with Namespaces 1.0, less what messages must not bring: a document type is
refused, and so is every entity but the five. Compact (XMLNSC) or verbose (XMLNS, XML) by the folder.
One pass, no recursion; the stacks have fixed room and the limits of the message. It is compared with
expat in tests/property, permanently.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memchr, memcmp

from penstock.tree._arena cimport O_COMMENTS, O_INSTRUCTIONS, O_MIXED, append
from penstock.tree._element cimport (
    F_ASCII, F_VERBOSE, K_ATTRIBUTE, K_ATTRIBUTE_REFERENCES, K_CDATA, K_NONE, K_OBJECT, K_TEXT, K_TEXT_REFERENCES,
    NONE, R_ATTRIBUTE, R_CDATA, R_COMMENT, R_DECLARATION, R_ELEMENT, R_INSTRUCTION, R_NAMESPACE, R_TEXT,
)
from penstock.tree._names cimport shared_id
from penstock.tree._text cimport (
    LOOK_AMPERSAND, LOOK_BLANK, LOOK_BRACKET, LOOK_CONTROL, LOOK_HIGH, LOOK_RETURN, ps_class, ps_look, ps_name_valid,
    ps_references_bad, ps_utf8_bad, ps_xml_character,
)
from penstock.tree._types cimport (
    T_ATTRIBUTE, T_CDATA_FIELD, T_CDATA_VALUE, T_COMMENT, T_DECLARATION, T_INSTRUCTION, T_NAME, T_NAME_VALUE,
    T_NAMESPACE, T_VALUE, T_VERBOSE_COMMENT, T_VERBOSE_DECLARATION, T_VERBOSE_INSTRUCTION, T_VERBOSE_NAMESPACE,
)
from penstock.tree._values cimport xml_text
from penstock.tree._xml_source cimport readable

from penstock.tree.parse_error import parse_error

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/"
cdef uint32_t N_XML = shared_id(XML_NAMESPACE)
cdef uint32_t N_XMLNS = shared_id(XMLNS_NAMESPACE)
cdef uint32_t N_XMLNS_PREFIX = shared_id("xmlns")
cdef uint32_t N_COMMENT = shared_id("Comment")
cdef uint32_t N_DECLARATION = shared_id("XmlDeclaration")
cdef uint32_t N_VERBOSE_DECLARATION = shared_id("XmlDecl")
cdef uint32_t N_VERSION = shared_id("Version")
cdef uint32_t N_ENCODING = shared_id("Encoding")
cdef uint32_t N_STANDALONE = shared_id("Standalone")

cdef enum:
    DEPTH_ROOM = 1000  # the ceilings of Limits
    BINDING_ROOM = 512
    ATTRIBUTE_ROOM = 512

cdef struct Open:  # an element whose end tag has not come
    const char *tag
    int32_t length
    int32_t element
    int32_t bindings  # how many there were outside
    bint children

cdef struct Binding:
    const char *prefix
    int32_t length
    uint32_t uri

cdef struct Attribute:
    const char *name
    const char *value
    int32_t length
    int32_t colon
    int32_t value_length
    int32_t kind
    bint declares

cdef struct Scanner:
    const char *start
    const char *end
    int look
    int ascii
    bint verbose
    bint namespaces
    int options
    bint seen  # the root element
    int32_t folder
    int32_t depth
    int32_t depth_max
    int32_t bindings_max
    int32_t attributes_max
    int32_t binding_count
    int32_t attribute_count
    uint32_t default_namespace
    const char *run  # text since the last tag
    Py_ssize_t run_length
    int run_kind  # K_NONE: no text; K_OBJECT: in pieces
    Open open[DEPTH_ROOM]
    Binding bindings[BINDING_ROOM]
    Attribute attributes[ATTRIBUTE_ROOM]


cdef int fail(Scanner *x, str what, const char *at, int code=8101) except -1:
    text = x.start[:x.end - x.start]
    raise parse_error(code, what, text, at - x.start)


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
    x.seen = False
    x.folder = folder
    x.depth = x.binding_count = x.attribute_count = 0
    x.depth_max = tree.limits.depth_max
    x.bindings_max = tree.limits.namespaces_max
    x.attributes_max = tree.limits.attributes_max
    x.default_namespace = 0
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
    """Go from markup to markup; what lies between is text."""
    cdef const char *p = x.start
    cdef const char *markup
    if x.end - p >= 3 and <uint8_t>p[0] == 0xEF and <uint8_t>p[1] == 0xBB and <uint8_t>p[2] == 0xBF:
        p += 3
    if x.end - p > 5 and memcmp(p, b"<?xml", 5) == 0 and ps_class[<uint8_t>p[5]] & 4:
        p = scan_declaration(x, tree, p)
    while True:
        markup = <const char *>memchr(p, c'<', x.end - p)
        if markup == NULL:
            markup = x.end
        if markup != p:
            scan_text(x, tree, p, markup)
        if markup == x.end:
            break
        p = markup + 1
        if p[0] == c'/':
            p = scan_end_tag(x, tree, p + 1)
        elif p[0] == c'!':
            p = scan_exclamation(x, tree, p + 1)
        elif p[0] == c'?':
            p = scan_instruction(x, tree, p + 1)
        else:
            p = scan_start_tag(x, tree, p)
    if x.depth:
        tag = x.open[x.depth - 1].tag[:x.open[x.depth - 1].length].decode("utf-8", "replace")
        fail(x, f"the document ends inside element {tag}", x.end)
    if not x.seen:
        fail(x, "there is no element", x.end)
    return 0


# Text

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


cdef int bad_reference(Scanner *x, const char *at, bint entity) except -1:
    if entity:
        return fail(x, "an entity that is not one of lt, gt, amp, quot, apos", at, 8103)
    return fail(x, "& begins no reference; a plain & is written &amp;", at)


cdef int add_text(Scanner *x, Arena tree, const char *p, Py_ssize_t length, int kind) except -1:
    """Note text; several pieces, as comments and CDATA sections make them, are put together."""
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
    """Give the text so far its place: the element's value, a child, or none."""
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


# Tags

cdef const char *scan_start_tag(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan from behind the < to behind the >."""
    cdef const char *q = p
    cdef int32_t colon = -1
    cdef int32_t at, above
    cdef uint32_t namespace_
    cdef Open *top
    if x.depth == 0 and x.seen:
        fail(x, "a second root element", p)
    if not ps_class[<uint8_t>p[0]] & 1:
        fail(x, "no name behind <; a plain < is written &lt;", p)
    while ps_class[<uint8_t>q[0]] & 2:
        if q[0] == c':' and colon < 0:
            colon = <int32_t>(q - p)
        q += 1
    check_name(x, p, q, colon)
    if x.depth == x.depth_max:
        fail(x, f"elements are nested more than {x.depth_max} deep", p, 8110)
    if x.depth:
        flush_text(x, tree, False)
        above = x.open[x.depth - 1].element
        x.open[x.depth - 1].children = True
    else:
        above = x.folder
    top = &x.open[x.depth]
    top.tag = p
    top.length = <int32_t>(q - p)
    top.bindings = x.binding_count
    top.children = False
    x.depth += 1
    x.seen = True
    x.attribute_count = 0
    if q[0] != c'>':
        q = scan_attributes(x, tree, q)
    if colon >= 0 and x.namespaces:
        namespace_ = bound(x, p, colon)
        p += colon + 1
    else:
        namespace_ = x.default_namespace
    at = append(tree, above, tree.name_below(above, p, top.tag + top.length - p), namespace_, T_NAME, R_ELEMENT)
    top.element = at
    if x.attribute_count:
        add_attributes(x, tree, at)
    if q[0] != c'>':
        close_element(x, tree)
        return q + 2
    q += 1
    if not x.verbose and x.binding_count == top.bindings:
        p = plain_end(x, top, q)
        if p != NULL:
            tree.elements[at].type = T_NAME_VALUE
            tree.elements[at].raw = q
            tree.elements[at].raw_length = <uint32_t>(p - q)
            tree.elements[at].kind = K_TEXT
            tree.elements[at].flags |= x.ascii
            x.depth -= 1
            return p + top.length + 3
    return q


cdef inline const char *plain_end(Scanner *x, Open *top, const char *text) noexcept:
    """Return where the end tag stands if only plain text comes before it, as in most elements."""
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


cdef int check_name(Scanner *x, const char *p, const char *q, int32_t colon) except -1:
    """Check a name that may have a prefix."""
    cdef const char *local
    if x.namespaces and colon >= 0:
        local = p + colon + 1
        if colon == 0 or not ps_class[<uint8_t>local[0]] & 1 or memchr(local, c':', q - local) != NULL:
            fail(x, "a prefix and a name, one colon between them", p)
        if x.look & LOOK_HIGH and not ps_name_valid(local, q - local, 0):
            fail(x, "a character that no name may have", p)
        q = p + colon
    if x.look & LOOK_HIGH and not ps_name_valid(p, q - p, not x.namespaces):
        fail(x, "a character that no name may have", p)
    return 0


cdef const char *scan_end_tag(Scanner *x, Arena tree, const char *p) except NULL:
    """Scan from behind the </ to behind the >."""
    cdef Open *top
    if x.depth == 0:
        fail(x, "an end tag, but nothing is open", p)
    top = &x.open[x.depth - 1]
    if x.end - p <= top.length or memcmp(p, top.tag, top.length) != 0 or ps_class[<uint8_t>p[top.length]] & 2:
        fail(x, f"element {top.tag[:top.length].decode('utf-8', 'replace')} is open and must be closed first", p)
    p += top.length
    while ps_class[<uint8_t>p[0]] & 4:
        p += 1
    if p[0] != c'>':
        fail(x, "an end tag holds only the name", p)
    close_element(x, tree)
    return p + 1


cdef int close_element(Scanner *x, Arena tree) except -1:
    cdef int32_t i
    cdef Open *top = &x.open[x.depth - 1]
    flush_text(x, tree, True)
    x.depth -= 1
    if x.binding_count != top.bindings:
        x.binding_count = top.bindings
        x.default_namespace = 0
        for i in range(x.binding_count):
            if x.bindings[i].length == 0:
                x.default_namespace = x.bindings[i].uri
    return 0


# Attributes and namespaces

cdef const char *scan_attributes(Scanner *x, Arena tree, const char *q) except NULL:
    """Note the attributes of a start tag and bind its prefixes; return where > or /> stands."""
    cdef const char *blank
    while True:
        blank = q
        while ps_class[<uint8_t>q[0]] & 4:
            q += 1
        if q[0] == c'>' or (q[0] == c'/' and q[1] == c'>'):
            return q
        if q == x.end:
            fail(x, "the document ends inside a tag", q)
        if q == blank:
            fail(x, "white space is needed before an attribute" if ps_class[<uint8_t>q[0]] & 1
                 else "a character that a tag cannot have here", q)
        q = scan_attribute(x, tree, q)


cdef const char *scan_attribute(Scanner *x, Arena tree, const char *q) except NULL:
    cdef Attribute *attribute
    cdef const char *begin = q
    cdef char quote
    if not ps_class[<uint8_t>q[0]] & 1:
        fail(x, "no name of an attribute", q)
    if x.attribute_count == x.attributes_max:
        fail(x, f"more than {x.attributes_max} attributes", q, 8114)
    attribute = &x.attributes[x.attribute_count]
    attribute.name = q
    attribute.colon = -1
    while ps_class[<uint8_t>q[0]] & 2:
        if q[0] == c':' and attribute.colon < 0:
            attribute.colon = <int32_t>(q - begin)
        q += 1
    attribute.length = <int32_t>(q - begin)
    check_name(x, begin, q, attribute.colon)
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    if q[0] != c'=':
        fail(x, "an attribute without =", q)
    q += 1
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    quote = q[0]
    if quote != c'"' and quote != c"'":
        fail(x, "the value of an attribute must be in quotation marks", q)
    attribute.value = q + 1
    q = <const char *>memchr(q + 1, quote, x.end - q - 1)
    if q == NULL:
        fail(x, "the value of an attribute does not end", attribute.value)
    attribute.value_length = <int32_t>(q - attribute.value)
    check_attribute(x, attribute, quote)
    attribute.declares = x.namespaces and attribute.length >= 5 and memcmp(begin, b"xmlns", 5) == 0 and (
        attribute.length == 5 or attribute.colon == 5)
    if attribute.declares:
        bind(x, tree, attribute)
    x.attribute_count += 1
    return q + 1


cdef int check_attribute(Scanner *x, Attribute *attribute, char quote) except -1:
    """Check a value, find its kind, and that the name is new."""
    cdef const char *p = attribute.value
    cdef const char *end = p + attribute.value_length
    cdef Py_ssize_t bad
    cdef int entity = 0
    cdef int32_t i
    if memchr(p, c'<', end - p) != NULL:
        fail(x, "< in the value of an attribute; write &lt;", <const char *>memchr(p, c'<', end - p))
    attribute.kind = K_ATTRIBUTE
    if quote == c"'" or x.look & (LOOK_AMPERSAND | LOOK_RETURN | LOOK_BLANK):
        while p < end:
            if p[0] == c'&' or p[0] == c'"' or p[0] == 9 or p[0] == 10 or p[0] == 13:
                attribute.kind = K_ATTRIBUTE_REFERENCES
                break
            p += 1
        if p < end:
            bad = ps_references_bad(p, end - p, &entity)
            if bad >= 0:
                bad_reference(x, p + bad, entity)
    for i in range(x.attribute_count):
        if x.attributes[i].length == attribute.length and memcmp(x.attributes[i].name, attribute.name, attribute.length) == 0:
            fail(x, "an attribute twice", attribute.name)
    return 0


cdef int bind(Scanner *x, Arena tree, Attribute *attribute) except -1:
    """Bind a prefix, or the default namespace, for the element and all in it."""
    cdef Binding *binding
    cdef uint32_t uri
    cdef bytes meant
    if x.binding_count == x.bindings_max:
        fail(x, f"more than {x.bindings_max} namespace declarations in force", attribute.name, 8114)
    if attribute.kind == K_ATTRIBUTE:
        uri = tree.name_id(attribute.value, attribute.value_length)
    else:
        meant = xml_text(attribute.value, attribute.value_length, attribute.kind, x.ascii).encode()
        uri = tree.name_id(PyBytes_AS_STRING(meant), PyBytes_GET_SIZE(meant))
    binding = &x.bindings[x.binding_count]
    binding.prefix = attribute.name + attribute.length
    binding.length = 0
    binding.uri = uri
    if attribute.colon == 5:
        binding.prefix = attribute.name + 6
        binding.length = attribute.length - 6
        if uri == 0:
            fail(x, "a prefix cannot be bound to no namespace", attribute.name)
    is_xml = binding.length == 3 and memcmp(binding.prefix, b"xml", 3) == 0
    if is_xml != (uri == tree.own_id(N_XML)) or uri == tree.own_id(N_XMLNS) or (
            binding.length == 5 and memcmp(binding.prefix, b"xmlns", 5) == 0):
        fail(x, "the prefixes xml and xmlns and their namespaces are reserved", attribute.name)
    if binding.length == 0:
        x.default_namespace = uri
    x.binding_count += 1
    return 0


cdef uint32_t bound(Scanner *x, const char *prefix, int32_t length) except? 0:
    """Return the namespace of a prefix."""
    cdef int32_t i
    for i in range(x.binding_count - 1, -1, -1):
        if (x.bindings[i].length == length and x.bindings[i].prefix[0] == prefix[0]
                and memcmp(x.bindings[i].prefix, prefix, length) == 0):
            return x.bindings[i].uri
    if length == 3 and memcmp(prefix, b"xml", 3) == 0:
        return N_XML
    fail(x, f"prefix {prefix[:length].decode('utf-8', 'replace')} is bound to no namespace", prefix)


cdef int add_attributes(Scanner *x, Arena tree, int32_t at) except -1:
    cdef int32_t i, made, before
    cdef Attribute *attribute
    cdef uint32_t name, namespace_
    for i in range(x.attribute_count):
        attribute = &x.attributes[i]
        if attribute.declares:
            name = N_XMLNS_PREFIX
            if attribute.colon == 5:
                name = tree.name_id(attribute.name + 6, attribute.length - 6)
            made = append(tree, at, name, tree.own_id(N_XMLNS), T_VERBOSE_NAMESPACE if x.verbose else T_NAMESPACE,
                          R_NAMESPACE)
        elif attribute.colon < 0 or not x.namespaces:
            made = append(tree, at, tree.name_below(at, attribute.name, attribute.length), 0,
                          T_NAME_VALUE if x.verbose else T_ATTRIBUTE, R_ATTRIBUTE)
        else:
            namespace_ = bound(x, attribute.name, attribute.colon)
            name = tree.name_id(attribute.name + attribute.colon + 1, attribute.length - attribute.colon - 1)
            before = tree.elements[at].last
            while before:
                if (tree.elements[before].name == name and tree.elements[before].namespace_ == namespace_
                        and tree.elements[before].role == R_ATTRIBUTE):
                    fail(x, "an attribute twice, with two prefixes for one namespace", attribute.name)
                before = tree.elements[before].previous
            made = append(tree, at, name, namespace_, T_NAME_VALUE if x.verbose else T_ATTRIBUTE, R_ATTRIBUTE)
        tree.put_raw(made, attribute.value, attribute.value_length, attribute.kind, x.ascii)
    return 0


# The rest of the markup

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
