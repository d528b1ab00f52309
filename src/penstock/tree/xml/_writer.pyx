# cython: language_level=3, boundscheck=False, wraparound=False
"""The XML writer: elements into a document, undecoded values as slices.

Prefixes come from the namespace declarations in the tree; a namespace without one in scope gets a generated
prefix, NS1, NS2 and so on, declared where it is needed. Compact and verbose trees are written alike.
Iterative with its own stack; no pointer into the arena is kept across a value. What XML cannot represent
raises 8130.
"""

from libc.stdint cimport uint32_t
from libc.stdlib cimport free, realloc
from libc.string cimport memchr, memcmp, memcpy

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._element cimport (
    F_ATTRIBUTES, F_CHANGED, F_TIDY, K_ATTRIBUTE, K_ATTRIBUTE_REFERENCES, K_CDATA, K_NONE, K_TEXT, K_TEXT_REFERENCES, NONE, R_ARRAY,
    R_ATTRIBUTE, R_CDATA, R_COMMENT, R_DECLARATION, R_DOCUMENT_TYPE, R_ELEMENT, R_INSTRUCTION, R_NAMESPACE, R_REFUSED,
    R_TEXT,
)
from penstock.tree.core._names cimport LOCAL, NameEntry, NameTable, shared_id, shared_names
from penstock.tree.core._output cimport put, put_byte
from penstock.tree.core._text cimport ps_name_valid
from penstock.tree.core._types cimport T_CDATA_FIELD
from penstock.tree.core._values cimport characters
from penstock.tree.xml._escape cimport put_attribute, put_cdata, put_name, put_text

from penstock.tree.core.charset import same_charset, xml_name

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *length) except NULL

cdef enum:
    UNBOUND = 0x7FFFFFFF

cdef NameTable SHARED = shared_names()
cdef uint32_t N_XML = shared_id("http://www.w3.org/XML/1998/namespace")
cdef uint32_t N_XMLNS = shared_id("http://www.w3.org/2000/xmlns/")
cdef uint32_t N_XML_PREFIX = shared_id("xml")
cdef uint32_t N_XMLNS_PREFIX = shared_id("xmlns")
cdef uint32_t N_VERSION = shared_id("Version")
cdef uint32_t N_ENCODING = shared_id("Encoding")
cdef uint32_t N_STANDALONE = shared_id("Standalone")
cdef uint32_t N_STAND_ALONE = shared_id("StandAlone")

cdef struct Bound:
    uint32_t prefix  # 0: the default namespace
    uint32_t uri

cdef struct Frame:  # an element whose end tag is to come
    int32_t element
    int32_t child  # the next to write
    uint32_t prefix
    int32_t bounds

cdef struct Writer:
    bint namespaces
    uint32_t default_uri
    uint32_t xml_uri  # the numbers that shared names have in this tree
    uint32_t xml_prefix
    uint32_t xmlns_prefix
    int32_t generated
    uint32_t last_uri  # and the prefix that was found for it, as long as no binding changes
    uint32_t last_prefix
    Bound *bounds
    int32_t bound_count, bound_room
    Frame *frames
    int32_t depth, frame_room


cdef int write_xml(Arena tree, int32_t folder, OutputBuffer out, bint namespaces) except -1:
    """Write a folder as a document."""
    cdef Writer w
    w.namespaces = namespaces
    w.default_uri = 0
    w.xml_uri = tree.own_id(N_XML)
    w.xml_prefix = tree.own_id(N_XML_PREFIX)
    w.xmlns_prefix = tree.own_id(N_XMLNS_PREFIX)
    w.generated = 0
    w.last_uri = 0
    w.last_prefix = UNBOUND
    w.bounds = NULL
    w.frames = NULL
    w.bound_count = w.bound_room = w.depth = w.frame_room = 0
    try:
        write_document(&w, tree, folder, out)
    finally:
        free(w.bounds)
        free(w.frames)
    return 0


cdef int write_document(Writer *w, Arena tree, int32_t folder, OutputBuffer out) except -1:
    cdef int32_t at = tree.elements[folder].first
    cdef int roots = 0
    cdef int role
    if at == NONE and tree.elements[folder].kind == K_NONE:
        return 0
    while at:
        if tree.elements[at].role == R_DECLARATION:
            write_declaration(tree, at, out)
        at = tree.elements[at].next
    at = tree.elements[folder].first
    while at:
        role = tree.elements[at].role
        if role == R_ELEMENT or role == R_ARRAY:
            roots += 1
            enter(w, tree, at, out)
            while w.depth:
                proceed(w, tree, out)
        elif role == R_COMMENT or role == R_INSTRUCTION:
            write_aside(w, tree, at, out)
        elif role == R_DOCUMENT_TYPE and roots == 0:
            write_doctype(tree, at, out)
        elif role != R_DECLARATION:
            raise error(mq.PSRC_SERIALISE_ERROR, f"a document has one root element and around it only comments: {described(tree, at)}")
        at = tree.elements[at].next
    if roots != 1:
        raise error(mq.PSRC_SERIALISE_ERROR, f"a document has one root element, not {roots}", roots=roots)
    return 0


cdef str described(Arena tree, int32_t at):
    return f"field {<object>tree.entry(tree.elements[at].name).text!r} of type 0x{tree.elements[at].type:08X}"


# Elements

cdef int enter(Writer *w, Arena tree, int32_t at, OutputBuffer out) except -1:
    """Write a start tag, and all of an element that has only a value; one with children is pushed."""
    cdef int32_t marked = w.bound_count
    cdef int32_t child = tree.elements[at].first
    cdef bint attributes = tree.elements[at].flags & F_ATTRIBUTES
    cdef uint32_t prefix = 0
    if is_as_it_came(tree, at) and w.default_uri == 0 and means_the_same(w, tree, at):
        return put(out, tree.elements[at].raw, tree.elements[at].raw_length)
    if w.namespaces:
        if attributes:
            bind_declared(w, tree, at)
        if tree.elements[at].namespace_ or w.default_uri or attributes:
            prefix = element_prefix(w, tree, at)
    elif tree.elements[at].namespace_:
        raise error(mq.PSRC_SERIALISE_ERROR, f"this domain has no namespaces: {described(tree, at)}")
    if w.bound_count == marked and not attributes:
        if child == NONE:
            if tree.elements[at].kind == K_TEXT and tree.elements[at].type != T_CDATA_FIELD and tree.elements[at].raw_length:
                return write_plain(w, tree, at, prefix, at, out)
        elif tree.elements[child].role == R_TEXT and tree.elements[child].kind == K_TEXT \
                and tree.elements[child].next == NONE and tree.elements[at].kind == K_NONE:
            return write_plain(w, tree, at, prefix, child, out)
    put_byte(out, c'<')
    put_qualified(w, tree, prefix, tree.elements[at].name, out)
    if w.bound_count != marked or attributes:
        write_attributes(w, tree, at, marked, out)
    if attributes:
        child = content(tree, child)
    if tree.elements[at].kind == K_NONE and child == NONE:
        leave(w, marked)
        return put(out, b"/>", 2)
    if tree.elements[at].raw_length == 0 and tree.elements[at].kind == K_TEXT and child == NONE:
        leave(w, marked)
        return put(out, b"/>", 2)
    put_byte(out, c'>')
    if tree.elements[at].kind != K_NONE:
        write_value(tree, at, out)
    if child:
        return push(w, at, child, prefix, marked)
    write_end_tag(w, tree, at, prefix, out)
    return leave(w, marked)


cdef inline bint is_as_it_came(Arena tree, int32_t at) noexcept:
    """Return whether the bytes of an element are available and unchanged; those of SWIFT that was moved here
    begin with a colon.
    """
    return tree.elements[at].flags & (F_TIDY | F_CHANGED) == F_TIDY and tree.elements[at].raw[0] == c'<'


cdef bint means_the_same(Writer *w, Arena tree, int32_t at) noexcept:
    """Return whether the only prefix in an element is bound to its namespace here too."""
    cdef const char *raw = tree.elements[at].raw
    cdef NameEntry *entry
    cdef uint32_t prefix
    if tree.elements[at].namespace_ == 0:
        return True
    prefix = prefix_for(w, tree.elements[at].namespace_) if w.namespaces else UNBOUND
    if prefix == UNBOUND:
        return False
    entry = entry_of(tree, prefix)
    return (tree.elements[at].raw_length > entry.length + 2 and raw[entry.length + 1] == c':'
            and memcmp(raw + 1, entry.utf8, entry.length) == 0)


cdef int write_plain(Writer *w, Arena tree, int32_t at, uint32_t prefix, int32_t text, OutputBuffer out) except -1:
    """Write an element that is just a slice of text, as most are, at once; `text` has the slice."""
    cdef NameEntry *before = entry_of(tree, prefix)
    cdef NameEntry *entry = entry_of(tree, tree.elements[at].name)
    cdef Py_ssize_t length = tree.elements[text].raw_length
    cdef Py_ssize_t room = length + 2 * (<Py_ssize_t>entry.length + before.length) + 7
    cdef char *p
    if entry.valid != 1:
        check_name(w, entry)
    if prefix and before.valid != 1:
        check_name(w, before)
    if out.end - out.at < room:
        out.make_room(room)
    p = out.at
    p[0] = c'<'
    p = copied(copied_prefix(p + 1, before), entry.utf8, entry.length)
    p[0] = c'>'
    p = copied(p + 1, tree.elements[text].raw, length)
    p[0] = c'<'
    p[1] = c'/'
    p = copied(copied_prefix(p + 2, before), entry.utf8, entry.length)
    p[0] = c'>'
    out.at = p + 1
    return 0


cdef inline char *copied(char *to, const char *text, Py_ssize_t length) noexcept:
    memcpy(to, text, length)
    return to + length


cdef inline char *copied_prefix(char *to, NameEntry *prefix) noexcept:
    if prefix.length == 0:
        return to
    memcpy(to, prefix.utf8, prefix.length)
    to[prefix.length] = c':'
    return to + prefix.length + 1


cdef inline NameEntry *entry_of(Arena tree, uint32_t name) noexcept:
    """Do what `Arena.entry` does, without a call."""
    return &tree.names.entries[name & ~<uint32_t>LOCAL] if name & LOCAL else &SHARED.entries[name]


cdef int proceed(Writer *w, Arena tree, OutputBuffer out) except -1:
    """Write the next child of the innermost open element, or its end tag."""
    cdef Frame *frame = &w.frames[w.depth - 1]
    cdef int32_t at = content(tree, frame.child)
    cdef int role
    if at == NONE:
        write_end_tag(w, tree, frame.element, frame.prefix, out)
        w.depth -= 1
        return leave(w, frame.bounds)
    frame.child = tree.elements[at].next
    role = tree.elements[at].role
    if role == R_ELEMENT or role == R_ARRAY:
        return enter(w, tree, at, out)
    if role == R_TEXT or role == R_CDATA:
        return write_value(tree, at, out)
    if role == R_COMMENT or role == R_INSTRUCTION:
        return write_aside(w, tree, at, out)
    raise error(mq.PSRC_SERIALISE_ERROR, f"XML has no way to say this inside an element: {described(tree, at)}")


cdef int32_t content(Arena tree, int32_t at) noexcept:
    """Return the first sibling from here on that is not an attribute."""
    while at and (tree.elements[at].role == R_ATTRIBUTE or tree.elements[at].role == R_NAMESPACE):
        at = tree.elements[at].next
    return at


cdef int push(Writer *w, int32_t at, int32_t child, uint32_t prefix, int32_t bounds) except -1:
    cdef Frame *frames
    if w.depth == w.frame_room:
        frames = <Frame *>realloc(w.frames, (2 * w.frame_room + 32) * sizeof(Frame))
        if frames == NULL:
            raise MemoryError
        w.frames = frames
        w.frame_room = 2 * w.frame_room + 32
    w.frames[w.depth].element = at
    w.frames[w.depth].child = child
    w.frames[w.depth].prefix = prefix
    w.frames[w.depth].bounds = bounds
    w.depth += 1
    return 0


cdef int leave(Writer *w, int32_t bounds) except -1:
    """Forget the namespaces that an element declared."""
    if w.bound_count != bounds:
        w.bound_count = bounds
        w.last_uri = 0
        w.default_uri = uri_in_force(w, 0)
        if w.default_uri == UNBOUND:
            w.default_uri = 0
    return 0


cdef int write_end_tag(Writer *w, Arena tree, int32_t at, uint32_t prefix, OutputBuffer out) except -1:
    put(out, b"</", 2)
    put_qualified(w, tree, prefix, tree.elements[at].name, out)
    return put_byte(out, c'>')


cdef int put_qualified(Writer *w, Arena tree, uint32_t prefix, uint32_t name, OutputBuffer out) except -1:
    """Write a name, after its prefix if it has one; it must be a valid XML name."""
    if prefix:
        put_checked(w, tree, prefix, out)
        put_byte(out, c':')
    return put_checked(w, tree, name, out)


cdef inline int put_checked(Writer *w, Arena tree, uint32_t name, OutputBuffer out) except -1:
    cdef NameEntry *entry = entry_of(tree, name)
    if entry.valid != 1:
        check_name(w, entry)
    return put(out, entry.utf8, entry.length)


cdef int check_name(Writer *w, NameEntry *entry) except -1:
    if entry.valid == 0:
        entry.valid = 1 if ps_name_valid(entry.utf8, entry.length, 0) else 2
    if entry.valid == 2 and (w.namespaces or not ps_name_valid(entry.utf8, entry.length, 1)):
        raise error(mq.PSRC_SERIALISE_ERROR, f"{<object>entry.text!r} is no XML name")
    return 0


# Namespaces

cdef int bind(Writer *w, uint32_t prefix, uint32_t uri) except -1:
    cdef Bound *bounds
    if w.bound_count == w.bound_room:
        bounds = <Bound *>realloc(w.bounds, (2 * w.bound_room + 16) * sizeof(Bound))
        if bounds == NULL:
            raise MemoryError
        w.bounds = bounds
        w.bound_room = 2 * w.bound_room + 16
    w.bounds[w.bound_count].prefix = prefix
    w.bounds[w.bound_count].uri = uri
    w.bound_count += 1
    w.last_uri = 0
    if prefix == 0:
        w.default_uri = uri
    return 0


cdef uint32_t uri_in_force(Writer *w, uint32_t prefix) noexcept:
    cdef int32_t i
    for i in range(w.bound_count - 1, -1, -1):
        if w.bounds[i].prefix == prefix:
            return w.bounds[i].uri
    return UNBOUND


cdef uint32_t prefix_for(Writer *w, uint32_t uri) noexcept:
    """Return a prefix (not the default) that is bound to a namespace here and not hidden, or UNBOUND."""
    cdef int32_t i
    if uri == w.last_uri and uri:
        return w.last_prefix
    if uri == w.xml_uri:
        return w.xml_prefix
    for i in range(w.bound_count - 1, -1, -1):
        if w.bounds[i].uri == uri and w.bounds[i].prefix and uri_in_force(w, w.bounds[i].prefix) == uri:
            w.last_uri = uri
            w.last_prefix = w.bounds[i].prefix
            return w.last_prefix
    return UNBOUND


cdef uint32_t generate(Writer *w, Arena tree, uint32_t uri) except 0:
    """Bind a namespace to a new prefix; one in scope is never hidden."""
    cdef uint32_t prefix
    while True:
        w.generated += 1
        prefix = tree.own_id(shared_id(f"NS{w.generated}"))
        if uri_in_force(w, prefix) == UNBOUND:
            bind(w, prefix, uri)
            return prefix


cdef int bind_declared(Writer *w, Arena tree, int32_t at) except -1:
    """Bind the element's own declarations, unless they contradict its namespace."""
    cdef int32_t child = tree.elements[at].first
    cdef int32_t marked = w.bound_count
    cdef int32_t i
    cdef uint32_t prefix, uri
    while child:
        if tree.elements[child].role == R_NAMESPACE:
            prefix = tree.elements[child].name
            if prefix == w.xmlns_prefix:
                prefix = 0
            uri = declared_uri(tree, child)
            for i in range(marked, w.bound_count):
                if w.bounds[i].prefix == prefix:
                    raise error(mq.PSRC_SERIALISE_ERROR, f"a namespace prefix is declared twice: {described(tree, child)}")
            if prefix == w.xml_prefix or uri == w.xml_uri:
                if prefix != w.xml_prefix or uri != w.xml_uri:
                    raise error(mq.PSRC_SERIALISE_ERROR, f"the prefix xml is reserved: {described(tree, child)}")
            elif prefix and uri == 0:
                raise error(mq.PSRC_SERIALISE_ERROR, f"a prefix cannot be bound to no namespace: {described(tree, child)}")
            elif uri == tree.own_id(N_XMLNS):
                raise error(mq.PSRC_SERIALISE_ERROR, f"the prefix xmlns is reserved: {described(tree, child)}")
            elif prefix or uri == 0 or tree.elements[at].namespace_:
                bind(w, prefix, uri)
        child = tree.elements[child].next
    return 0


cdef uint32_t declared_uri(Arena tree, int32_t at) except? 0:
    cdef Py_ssize_t length
    cdef const char *utf8
    if tree.elements[at].kind == K_ATTRIBUTE:
        return tree.name_id(tree.elements[at].raw, tree.elements[at].raw_length)
    cdef str text = characters(tree.value(at))
    try:
        utf8 = PyUnicode_AsUTF8AndSize(text, &length)
    except UnicodeEncodeError as problem:
        raise error(mq.PSRC_SERIALISE_ERROR, "a namespace cannot hold a lone surrogate") from problem
    return tree.name_id(utf8, length)


cdef uint32_t element_prefix(Writer *w, Arena tree, int32_t at) except? 0:
    """Return the prefix of an element; bind one if its namespace has none."""
    cdef uint32_t uri = tree.elements[at].namespace_
    cdef uint32_t prefix
    if uri == w.default_uri:
        return 0
    if uri == 0:
        bind(w, 0, 0)
        return 0
    prefix = prefix_for(w, uri)
    return generate(w, tree, uri) if prefix == UNBOUND else prefix


# Attributes

cdef int write_attributes(Writer *w, Arena tree, int32_t at, int32_t marked, OutputBuffer out) except -1:
    """Write the declarations that apply from here on, then the attributes."""
    cdef int32_t i
    cdef int32_t child = tree.elements[at].first
    cdef int32_t written
    cdef uint32_t prefix
    for i in range(marked, w.bound_count):
        write_declared(w, tree, i, out)
    while child:
        if tree.elements[child].role == R_ATTRIBUTE:
            prefix = 0
            if tree.elements[child].namespace_:
                if not w.namespaces or tree.elements[child].namespace_ == tree.own_id(N_XMLNS):
                    raise error(mq.PSRC_SERIALISE_ERROR, f"no attribute can have this namespace here: {described(tree, child)}")
                prefix = prefix_for(w, tree.elements[child].namespace_)
                if prefix == UNBOUND:
                    prefix = generate(w, tree, tree.elements[child].namespace_)
                    write_declared(w, tree, w.bound_count - 1, out)
            elif w.namespaces and tree.elements[child].name == w.xmlns_prefix:
                raise error(mq.PSRC_SERIALISE_ERROR, "an attribute cannot be called xmlns; its type is NamespaceDecl")
            check_new(tree, at, child)
            put_byte(out, c' ')
            put_qualified(w, tree, prefix, tree.elements[child].name, out)
            put_byte(out, c'=')
            write_attribute_value(tree, child, out)
        child = tree.elements[child].next
    return 0


cdef int check_new(Arena tree, int32_t at, int32_t child) except -1:
    """Check that an attribute occurs once in a tag."""
    cdef int32_t before = tree.elements[child].previous
    while before:
        if (tree.elements[before].name == tree.elements[child].name and tree.elements[before].role == R_ATTRIBUTE
                and tree.elements[before].namespace_ == tree.elements[child].namespace_):
            raise error(mq.PSRC_SERIALISE_ERROR, f"an attribute twice: {described(tree, child)}")
        before = tree.elements[before].previous
    return 0


cdef int write_declared(Writer *w, Arena tree, int32_t i, OutputBuffer out) except -1:
    put(out, b" xmlns", 6)
    if w.bounds[i].prefix:
        put_byte(out, c':')
        put_checked(w, tree, w.bounds[i].prefix, out)
    put_byte(out, c'=')
    return put_attribute(out, <str>tree.entry(w.bounds[i].uri).text)


cdef int write_attribute_value(Arena tree, int32_t at, OutputBuffer out) except -1:
    """Write a value in quotation marks; an attribute's slice unchanged."""
    cdef const char *raw = tree.elements[at].raw
    cdef uint32_t length = tree.elements[at].raw_length
    cdef int kind = tree.elements[at].kind
    cdef char quote = c'"'
    if kind == K_ATTRIBUTE or kind == K_ATTRIBUTE_REFERENCES:
        if kind == K_ATTRIBUTE_REFERENCES and memchr(raw, c'"', length) != NULL:
            quote = c"'"  # it was written so: it holds none of these
        put_byte(out, quote)
        put(out, raw, length)
        return put_byte(out, quote)
    return put_attribute(out, characters(tree.as_written(at)))


# Content

cdef int write_value(Arena tree, int32_t at, OutputBuffer out) except -1:
    """Write the text of an element or of a text field."""
    cdef int kind = tree.elements[at].kind
    cdef bint section = tree.elements[at].role == R_CDATA or tree.elements[at].type == T_CDATA_FIELD
    if (kind == K_TEXT or kind == K_TEXT_REFERENCES) and not section:
        return put(out, tree.elements[at].raw, tree.elements[at].raw_length)
    cdef str text = characters(tree.as_written(at))
    return put_cdata(out, text) if section else put_text(out, text)


cdef int write_doctype(Arena tree, int32_t at, OutputBuffer out) except -1:
    """Write a document type as it arrived; one that a program changed could declare anything."""
    if tree.elements[at].kind != K_CDATA:
        raise error(mq.PSRC_SERIALISE_ERROR, f"a document type can only be written unchanged: {described(tree, at)}")
    put(out, b"<!DOCTYPE ", 10)
    put(out, tree.elements[at].raw, tree.elements[at].raw_length)
    return put_byte(out, c'>')


cdef int write_aside(Writer *w, Arena tree, int32_t at, OutputBuffer out) except -1:
    """Write a comment or a processing instruction."""
    cdef str text = characters(tree.value(at))
    cdef bint comment = tree.elements[at].role == R_COMMENT
    cdef str name = <str>tree.entry(tree.elements[at].name).text
    if "--" in text or text.endswith("-") if comment else "?>" in text or name.lower() == "xml":
        raise error(mq.PSRC_SERIALISE_ERROR, f"XML cannot say this: {described(tree, at)}")
    put(out, b"<!--" if comment else b"<?", 4 if comment else 2)
    if not comment:
        put_checked(w, tree, tree.elements[at].name, out)
        if text:
            put_byte(out, c' ')
    put_aside(out, text)
    return put(out, b"-->" if comment else b"?>", 3 if comment else 2)


cdef int put_aside(OutputBuffer out, str text) except -1:
    for character in text:
        if not (character >= " " or character in "\t\n") or "\ud800" <= character <= "\udfff" or character in "\ufffe\uffff":
            raise error(mq.PSRC_SERIALISE_ERROR, f"XML cannot hold the character U+{ord(character):04X} here")
    return put_name(out, text)


cdef int write_declaration(Arena tree, int32_t at, OutputBuffer out) except -1:
    """Write the XML declaration; it names the encoding that is written."""
    cdef str version = "1.0"
    cdef str encoding = None
    cdef str standalone = None
    cdef int32_t child = tree.elements[at].first
    while child:
        if tree.elements[child].name == tree.own_id(N_VERSION):
            version = characters(tree.value(child))
        elif tree.elements[child].name == tree.own_id(N_ENCODING):
            encoding = characters(tree.value(child))
        elif tree.elements[child].name in (tree.own_id(N_STANDALONE), tree.own_id(N_STAND_ALONE)):
            standalone = characters(tree.value(child)).lower()
        child = tree.elements[child].next
    charset = tree.output_charset or "utf-8"
    if encoding is not None and encoding != "UTF-8" or charset != "utf-8":
        encoding = encoding if encoding and same_charset(encoding, charset) else xml_name(charset)
    if not (version.startswith("1.") and version[2:].isdecimal() and version.isascii()):
        raise error(mq.PSRC_SERIALISE_ERROR, f"{version!r} is no version of XML")
    put_name(out, f'<?xml version="{version}"')
    if encoding is not None:
        put_name(out, f' encoding="{encoding}"')
    if standalone in ("yes", "no"):
        put_name(out, f' standalone="{standalone}"')
    elif standalone:
        raise error(mq.PSRC_SERIALISE_ERROR, f"standalone is yes or no, not {standalone!r}")
    return put(out, b"?>", 2)
