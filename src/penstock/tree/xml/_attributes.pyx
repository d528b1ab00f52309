# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Attributes and namespaces of a start tag: recorded first, added when the element exists.

Prefixes are bound for the element and its contents (Namespaces in XML 1.0); names are checked, values
searched for references, a duplicate attribute is refused. Called by the XML scanner.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t
from libc.string cimport memchr, memcmp

from penstock.tree.core._arena cimport append
from penstock.tree.core._element cimport K_ATTRIBUTE, K_ATTRIBUTE_REFERENCES, R_ATTRIBUTE, R_NAMESPACE
from penstock.tree.core._names cimport shared_id
from penstock.tree.core._text cimport (
    LOOK_AMPERSAND, LOOK_BLANK, LOOK_HIGH, LOOK_RETURN, ps_class, ps_name_valid, ps_references_bad,
)
from penstock.tree.core._types cimport T_ATTRIBUTE, T_NAME_VALUE, T_NAMESPACE, T_VERBOSE_NAMESPACE
from penstock.tree.core._values cimport xml_text
from penstock.tree.xml._state cimport Attribute, Binding, bad_reference, fail

XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace"
XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/"
cdef uint32_t N_XML = shared_id(XML_NAMESPACE)
cdef uint32_t N_XMLNS = shared_id(XMLNS_NAMESPACE)
cdef uint32_t N_XMLNS_PREFIX = shared_id("xmlns")


cdef const char *scan_attributes(Scanner *x, Arena tree, const char *q) except NULL:
    """Record the attributes of a start tag and bind its prefixes; return the position of > or />."""
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
        x.regular = x.regular and q - blank == 1 and blank[0] == c' '
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
    q = scan_value(x, q, attribute, "an attribute without =", "the value of an attribute")
    quote = q[0]
    check_attribute(x, attribute, quote)
    attribute.declares = x.namespaces and attribute.length >= 5 and memcmp(begin, b"xmlns", 5) == 0 and (
        attribute.length == 5 or attribute.colon == 5)
    if attribute.declares:
        bind(x, tree, attribute)
    x.regular = (x.regular and quote == c'"' and attribute.colon < 0 and attribute.kind == K_ATTRIBUTE
                 and attribute.value == begin + attribute.length + 2 and not attribute.declares)
    x.attribute_count += 1
    return q + 1


cdef const char *scan_value(Scanner *x, const char *q, Attribute *attribute, str no_sign, str what) except NULL:
    """Scan the equals sign and a value; return the position of the closing quotation mark."""
    cdef char quote
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    if q[0] != c'=':
        fail(x, no_sign, q)
    q += 1
    while ps_class[<uint8_t>q[0]] & 4:
        q += 1
    quote = q[0]
    if quote != c'"' and quote != c"'":
        fail(x, what + " must be in quotation marks", q)
    attribute.value = q + 1
    q = <const char *>memchr(q + 1, quote, x.end - q - 1)
    if q == NULL:
        fail(x, what + " does not end", attribute.value)
    attribute.value_length = <int32_t>(q - attribute.value)
    return q


cdef int check_attribute(Scanner *x, Attribute *attribute, char quote) except -1:
    """Check a value, determine its kind, and that the name is new."""
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
    """Bind a prefix, or the default namespace, for the element and its contents."""
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
    x.prefix = NULL
    if binding.length == 0:
        x.default_namespace = uri
    x.binding_count += 1
    return 0


cdef uint32_t bound(Scanner *x, const char *prefix, int32_t length) except? 0:
    """Return the namespace of a prefix; the last one is cached."""
    cdef int32_t i
    if x.prefix != NULL and x.prefix_length == length and memcmp(x.prefix, prefix, length) == 0:
        return x.prefix_uri
    for i in range(x.binding_count - 1, -1, -1):
        if (x.bindings[i].length == length and x.bindings[i].prefix[0] == prefix[0]
                and memcmp(x.bindings[i].prefix, prefix, length) == 0):
            x.prefix = prefix
            x.prefix_length = length
            x.prefix_uri = x.bindings[i].uri
            return x.prefix_uri
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
