# cython: language_level=3, boundscheck=False, wraparound=False
"""MRM XML: documents that a model describes, as the same tree that its other formats give.

For reading, the XML scanner builds the elements, which are then turned into the model's fields in place:
names from the model, attributes as plain fields, text with the codec of its type. Writing follows the tree
and takes names and renderings from the model; unknown fields are written unchanged. Recursion follows the
model; for a recursive type it follows the document or the tree, and `depth_max` of the tree's limits applies
in both directions.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int32_t, uint16_t

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._arena cimport Arena, Domain
from penstock.tree.core._element cimport (
    DETACHED, Element, F_CODEC, F_DELETED, F_TIDY, K_ATTRIBUTE, K_NONE, K_OBJECT, K_TEXT, NONE, R_ATTRIBUTE,
    R_ELEMENT, R_NAMESPACE,
)
from penstock.tree.core._names cimport LOCAL, shared_id
from penstock.tree.core._output cimport OutputBuffer, cut_back, put, put_byte, written
from penstock.tree.core._text cimport ESCAPE_CONTROL, ESCAPE_MARKUP, ps_escape_look
from penstock.tree.model._part cimport encoded_field, is_raw, put_scalar
from penstock.tree.core._shapes cimport EMPTY, UNKNOWN, next_shape
from penstock.tree.core._types cimport T_NAME, T_NAME_VALUE
from penstock.tree.core._values cimport characters
from penstock.tree.xml._escape cimport put_attribute, put_text
from penstock.tree.xml._scanner cimport scan_xml

from penstock.tree.model._codec import decoded as _decoded
from penstock.tree.core.charset import xml_name

globals().update(AS_ELEMENT=AS_ELEMENT, AS_ATTRIBUTE=AS_ATTRIBUTE)
cdef uint32_t XSI = shared_id("http://www.w3.org/2001/XMLSchema-instance")
cdef uint32_t NIL = shared_id("nil")
cdef bytes NIL_TEXT = b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/>'


cdef class XmlPart(Part):
    """A field or a type in XML."""

    def __init__(self, str name not None, str namespace not None="", *, xml_name="", xml_namespace="", value_name=""):
        super().__init__(name, namespace)
        self.xml_name = shared_id(xml_name or name)
        self.xml_namespace = shared_id(xml_namespace)
        self.value_name = shared_id(value_name)
        self.opening = self.closing = self.id_text = self.value_text = b""

    def note_shared(self):
        """Record whether several of the parts have one name, in the tree or in a document."""
        names = [(<XmlPart>part).name_id for part in self.parts]
        tags = [written_key(part) for part in self.parts]
        self.shares = len(set(names)) < len(names) or len(set(tags)) < len(tags)

    cdef Part part_at(self, Py_ssize_t *expected, Matching matching, uint32_t name, uint32_t namespace_, int render):
        """Return the part of an element or attribute of a document; the expected one is tried first."""
        cdef Py_ssize_t i, count = len(self.parts), at = expected[0] if expected[0] < len(self.parts) else 0
        cdef XmlPart part
        if matching is not None:
            return matching.part_of((name, namespace_, render), -1)
        for i in range(count):
            part = <XmlPart>self.parts[at]
            if part.xml_name == name and part.xml_namespace == namespace_ and part.render == render:
                expected[0] = at + 1 if part.most == 1 else at
                return part
            at = at + 1 if at + 1 < count else 0
        return None

    cdef Part part_named(self, Py_ssize_t *expected, Matching matching, Arena tree, int32_t field):
        """Return the part of a field of the tree."""
        cdef Py_ssize_t i, count = len(self.parts), at = expected[0] if expected[0] < len(self.parts) else 0
        cdef XmlPart part
        cdef uint32_t name = shared(tree, tree.elements[field].name)
        if matching is not None:
            return matching.part_of(name, matching.known_place(tree, field))
        for i in range(count):
            part = <XmlPart>self.parts[at]
            if part.name_id == name:
                expected[0] = at + 1 if part.most == 1 else at
                return part
            at = at + 1 if at + 1 < count else 0
        return None


cdef class Matching:
    """The part of each child of an element if several parts have one name: they have runs, in the model's
    order.

    A part leaves to later ones the minimum that they need. What fits nowhere belongs to the last part.
    Attributes have no position in that order, and a parsed field keeps its part.
    """

    cdef Part part_of(self, object name, Py_ssize_t known):
        """Return the part of the next child, None if no part has its name; `known` is its position, or -1."""
        cdef list places = self.places.get(name)
        cdef Py_ssize_t at, chosen
        if known >= 0:
            self.take(known)
            return <Part>self.parts[known]
        if places is None:
            return None
        chosen = places[len(places) - 1]
        for at in places:
            if self.may_be(at) and self.left[name] > self.needed_behind(at, places):
                chosen = at
                break
        self.counts[chosen] += 1
        self.left[name] -= 1
        self.take(chosen)
        return <Part>self.parts[chosen]

    cdef int take(self, Py_ssize_t at) except -1:
        """Continue with a part for later children."""
        if (<XmlPart>self.parts[at]).render != AS_ATTRIBUTE:
            self.last = at
        return 0

    cdef Py_ssize_t known_place(self, Arena tree, int32_t at):
        """Return the position of the part that a field was parsed as, -1 if it is none of these or was
        renamed.
        """
        cdef XmlPart part
        if self.order is None:
            return -1
        part = tree.origin_of(at) if isinstance(tree.origin_of(at), XmlPart) else None
        if part is None or part.name_id != shared(tree, tree.elements[at].name):
            return -1
        return self.order.get(part, -1)

    cdef bint may_be(self, Py_ssize_t at):
        cdef XmlPart part = <XmlPart>self.parts[at]
        if 0 <= part.most <= <int>self.counts[at]:
            return False
        return (part.render == AS_ATTRIBUTE or at >= self.last
                or part.loop and part.loop == (<XmlPart>self.parts[self.last]).loop)

    cdef int needed_behind(self, Py_ssize_t at, list places):
        """Return how many children later parts need; none if this one has too few itself."""
        cdef int needed = 0
        if <int>self.counts[at] < (<XmlPart>self.parts[at]).least:
            return 0
        for place in places:
            if place > at:
                needed += max(0, (<XmlPart>self.parts[place]).least - <int>self.counts[place])
        return needed


cdef Matching matching_of(Arena tree, int32_t above, XmlPart group, bint read):
    """Return what identifies the parts of a group's fields, None if their names do."""
    cdef Matching found
    cdef XmlPart part
    cdef int32_t at = tree.elements[above].first
    cdef object key
    if not group.shares:
        return None
    found = Matching.__new__(Matching)
    found.parts, found.places, found.left = group.parts, {}, {}
    found.counts = [0] * len(group.parts)
    for i, part in enumerate(group.parts):
        key = written_key(part) if read else part.name_id
        found.places.setdefault(key, []).append(i)
    if not read and tree.origins is not None:
        found.order = {part: i for i, part in enumerate(group.parts)}
    while at:
        place = found.known_place(tree, at)
        if place >= 0:
            found.counts[place] += 1
            at = tree.elements[at].next
            continue
        key = read_key(tree, at) if read else shared(tree, tree.elements[at].name)
        found.left[key] = found.left.get(key, 0) + 1
        at = tree.elements[at].next
    return found


cdef object written_key(XmlPart part):
    """Return the key of a part in a document."""
    return (part.xml_name, part.xml_namespace, part.render)


cdef object read_key(Arena tree, int32_t at):
    """Return the key of a document's child."""
    return (shared(tree, tree.elements[at].name), shared(tree, tree.elements[at].namespace_),
            AS_ATTRIBUTE if tree.elements[at].role == R_ATTRIBUTE else AS_ELEMENT)


cdef class MrmXmlDomain(Domain):
    """One message of a model in XML."""

    cdef XmlPart root
    cdef bint declaration

    def __init__(self, name, XmlPart root not None, *, declaration=False, namespaces=False, ccsid=0):
        super().__init__(name, namespaces=namespaces, family=name, ccsid=ccsid)
        self.root = root
        self.valued = root.codec is not None
        self.declaration = declaration

    cdef int scan(self, Arena tree, int32_t folder) except -1:
        cdef int32_t at, made = tree.count
        scan_xml(tree, folder, True)
        forget_tidiness(tree, made)
        at = tree.elements[folder].first
        while at and tree.elements[at].role != R_ELEMENT:
            at = tree.elements[at].next
        if at == NONE or shared(tree, tree.elements[at].name) != self.root.xml_name \
                or shared(tree, tree.elements[at].namespace_) != self.root.xml_namespace:
            found = <object>tree.entry(tree.elements[at].name).text
            raise error(mq.PSRC_PARSE_ERROR, f"the root of the document is {found}, not {self.root.name} as the model says", offset=0)
        if self.root.codec is not None:
            fit_text(tree, at, at, self.root)
            move_value(tree, at, folder)
        elif is_nil(tree, at):
            tree.put_value(folder, None)
        lift(tree, folder, at)
        return fit_children(tree, folder, self.root)

    cdef int write(self, Arena tree, int32_t folder, OutputBuffer out) except -1:
        if self.declaration:
            put_all(out, f'<?xml version="1.0" encoding="{xml_name(tree.output_charset or "utf-8")}"?>'.encode())
        put_all(out, self.root.opening)
        return write_content(tree, folder, self.root, out, 1)


cdef uint32_t shared(Arena tree, uint32_t name) noexcept:
    """Return the number of a name in the shared table; a private name of this tree is in no model."""
    return 0 if name & LOCAL else name


cdef int forget_tidiness(Arena tree, int32_t made) noexcept:
    """Prevent elements from one on from being written as they arrived: the model gives them other names and
    values.
    """
    while made < tree.count:
        tree.elements[made].flags &= ~<uint16_t>F_TIDY
        made += 1
    return 0


cdef int move_value(Arena tree, int32_t root, int32_t folder) except -1:
    """Move the value of the root element to the folder."""
    tree.elements[folder].type = T_NAME_VALUE
    if tree.elements[root].kind == K_OBJECT:
        return tree.put_value(folder, tree.value(root))
    return tree.put_raw(folder, tree.elements[root].raw, tree.elements[root].raw_length, tree.elements[root].kind,
                        tree.elements[root].flags)


cdef int lift(Arena tree, int32_t folder, int32_t root) noexcept:
    """Move the contents of the root element directly into the folder."""
    cdef int32_t at = tree.elements[root].first
    tree.elements[folder].first = at
    tree.elements[folder].last = tree.elements[root].last
    while at:
        tree.elements[at].parent = folder
        at = tree.elements[at].next
    tree.elements[root].first = tree.elements[root].last = tree.elements[root].next = NONE
    tree.elements[root].previous = NONE
    tree.elements[root].parent = DETACHED
    tree.elements[root].flags |= F_DELETED
    tree.elements[root].kind = K_NONE
    return 0


cdef int fit_children(Arena tree, int32_t above, XmlPart group) except -1:
    """Turn the children of an element into the fields of a group, and record the new order of names."""
    cdef int32_t at = tree.elements[above].first
    cdef int32_t after, kept = NONE
    cdef uint32_t shape = EMPTY
    cdef Py_ssize_t expected = 0
    cdef Matching matching = matching_of(tree, above, group, True)
    cdef Element *element
    tree.elements[above].first = NONE
    while at:
        after = tree.elements[at].next
        if fit(tree, at, group, &expected, matching):
            element = &tree.elements[at]
            element.previous = kept
            element.next = NONE
            element.before = shape
            if kept:
                tree.elements[kept].next = at
            else:
                tree.elements[above].first = at
            if not kept or tree.elements[kept].name != element.name \
                    or tree.elements[kept].namespace_ != element.namespace_:
                shape = UNKNOWN if (element.name | element.namespace_) & LOCAL \
                    else next_shape(shape, element.name, element.namespace_)
            kept = at
        else:
            tree.elements[at].flags |= F_DELETED
            tree.elements[at].parent = DETACHED
            tree.elements[at].kind = K_NONE
        at = after
    tree.elements[above].last = kept
    tree.elements[above].shape = shape
    return 0


cdef bint fit(Arena tree, int32_t at, XmlPart group, Py_ssize_t *expected, Matching matching) except -1:
    """Turn one element or attribute into a field of the model; False if it is none and is dropped."""
    cdef int role = tree.elements[at].role
    cdef XmlPart part
    if role != R_ELEMENT and role != R_ATTRIBUTE:
        return False
    part = group.part_at(expected, matching, shared(tree, tree.elements[at].name),
                         shared(tree, tree.elements[at].namespace_),
                         AS_ATTRIBUTE if role == R_ATTRIBUTE else AS_ELEMENT)
    tree.elements[at].role = R_ELEMENT
    if part is None:
        tree.elements[at].type = T_NAME_VALUE if tree.elements[at].kind != K_NONE else T_NAME
        return tree.elements[at].namespace_ != XSI
    if matching is not None:
        tree.note_origin(at, part)
    tree.elements[at].name = part.name_id
    tree.elements[at].namespace_ = part.namespace_id
    if part.codec is None:
        tree.elements[at].type = T_NAME
        if tree.elements[at].kind != K_NONE and tree.elements[at].first == NONE:
            tree.elements[at].kind = K_NONE  # an empty element
        if is_nil(tree, at):
            tree.put_value(at, None)
        fit_children(tree, at, part)
        return True
    tree.elements[at].type = T_NAME_VALUE
    if part.parts:
        fit_text(tree, at, at, part)
        fit_children(tree, at, part)
    else:
        fit_value(tree, at, part)
    return True


cdef int fit_value(Arena tree, int32_t at, XmlPart part) except -1:
    """Set the value of a leaf, which has no other contents."""
    cdef int32_t child = tree.elements[at].first
    cdef int32_t holder = at
    if part.value_name:
        while child:
            if tree.elements[child].name == part.value_name:
                holder = child
            child = tree.elements[child].next
    fit_text(tree, at, holder, part)
    return take_children(tree, at)


cdef int fit_text(Arena tree, int32_t at, int32_t holder, XmlPart part) except -1:
    """Set the codec of an element, so that its text is decoded as its type on access."""
    cdef Element *element = &tree.elements[holder]
    if is_nil(tree, at):
        return tree.put_value(at, None)
    if element.kind == K_TEXT or element.kind == K_ATTRIBUTE:
        if element.raw_length == 0 and not part.is_string:
            return tree.put_value(at, None)
        tree.elements[at].raw = element.raw
        tree.elements[at].raw_length = element.raw_length
        tree.elements[at].kind = part.codec.kind
        tree.elements[at].flags = <uint16_t>((tree.elements[at].flags & ~<uint16_t>F_CODEC) | part.codec.flags)
        return 0
    text = tree.value(holder) or ""
    data = text.encode("utf-8")
    return tree.put_value(at, text if part.is_string else _decoded(part.codec, data) if data else None)


cdef bint is_nil(Arena tree, int32_t at) except -1:
    """Return whether xsi:nil marks an element as NULL."""
    cdef int32_t child = tree.elements[at].first
    while child and tree.elements[child].role in (R_ATTRIBUTE, R_NAMESPACE):  # these come first
        if tree.elements[child].name == NIL and tree.elements[child].namespace_ == XSI \
                and tree.value(child) in ("true", "1"):
            return True
        child = tree.elements[child].next
    return False


cdef int take_children(Arena tree, int32_t at) except -1:
    """Drop the attributes of a leaf: the model allows only a value."""
    cdef int32_t child = tree.elements[at].first
    while child:
        tree.elements[child].flags |= F_DELETED
        tree.elements[child].parent = DETACHED
        tree.elements[child].kind = K_NONE
        child = tree.elements[child].next
    tree.elements[at].first = tree.elements[at].last = NONE
    tree.elements[at].shape = EMPTY
    return 0


# Writing


cdef inline int put_all(OutputBuffer out, bytes text) except -1:
    return put(out, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


cdef int write_content(Arena tree, int32_t above, XmlPart group, OutputBuffer out, int32_t depth) except -1:
    """Write the attributes, the end of the opening tag, the fields and the closing tag of a group."""
    cdef int32_t at = tree.elements[above].first
    cdef Py_ssize_t expected = 0
    cdef XmlPart part
    cdef bint valued = group.codec is not None and tree.elements[above].kind != K_NONE
    cdef bint empty = not valued
    cdef Matching matching = matching_of(tree, above, group, False)
    cdef set named = None
    put_all(out, group.id_text)
    while at:
        part = group.part_named(&expected, matching, tree, at)
        if part is not None and part.render == AS_ATTRIBUTE:
            if tree.elements[at].kind != K_NONE and tree.value(at) is not None:
                named = once(part, named)
                put_byte(out, c' ')
                put_all(out, part.opening)
                put_value(tree, at, part, out, True)
        else:
            empty = False
        at = tree.elements[at].next
    if empty and group.codec is None and tree.elements[above].kind == K_OBJECT and tree.value(above) is None:
        return put_all(out, NIL_TEXT)
    if empty:
        return put(out, b"/>", 2)
    if valued and tree.elements[above].kind == K_OBJECT and tree.value(above) is None:
        return put_all(out, NIL_TEXT)
    put_byte(out, c'>')
    if valued:
        put_value(tree, above, group, out, False)
    at = tree.elements[above].first
    expected = 0
    matching = matching_of(tree, above, group, False)
    while at:
        part = group.part_named(&expected, matching, tree, at)
        if part is None:
            write_unknown(tree, at, out)
        elif part.render != AS_ATTRIBUTE:
            write_field(tree, at, part, out, depth + 1)
        at = tree.elements[at].next
    return put_all(out, group.closing)


cdef set once(XmlPart attribute, set named):
    """Return the attributes of an element, plus one; a duplicate is not allowed in XML."""
    key = written_key(attribute)
    if named is None:
        return {key}
    if key in named:
        raise error(mq.PSRC_SERIALISE_ERROR, f"field {attribute.name} is an attribute, of which an element has one", field=attribute.name)
    named.add(key)
    return named


cdef int write_field(Arena tree, int32_t at, XmlPart part, OutputBuffer out, int32_t depth) except -1:
    if depth > tree.limits.depth_max:
        raise error(mq.PSRC_TREE_DEPTH, f"fields are nested more than {tree.limits.depth_max} deep, the most that is read",
                    depth_max=tree.limits.depth_max)
    put_all(out, part.opening)
    if part.codec is None or part.parts:
        return write_content(tree, at, part, out, depth)
    put_all(out, part.id_text)
    if tree.elements[at].kind == K_OBJECT and tree.value(at) is None:
        return put_all(out, NIL_TEXT)
    if part.value_name:
        put_byte(out, c' ')
        put_all(out, part.value_text)
        put_value(tree, at, part, out, True)
        return put(out, b"/>", 2)
    put_byte(out, c'>')
    put_value(tree, at, part, out, False)
    return put_all(out, part.closing)


cdef int put_value(Arena tree, int32_t at, XmlPart part, OutputBuffer out, bint attribute) except -1:
    cdef bytes data
    cdef Element *element = &tree.elements[at]
    if not attribute:
        if is_raw(tree, at, part.codec) or (part.is_string and element.kind == K_TEXT):
            return put(out, element.raw, element.raw_length)
        if put_clear(tree, at, part, out):
            return 0
        data = encoded_field(tree, at, part, -1)
        return put_text(out, data.decode("utf-8"))
    data = encoded_field(tree, at, part, -1)
    return put_attribute(out, data.decode("utf-8"))


cdef bint put_clear(Arena tree, int32_t at, XmlPart part, OutputBuffer out) except -1:
    """Write a simple value without markup; False, with nothing written, for any other."""
    cdef Py_ssize_t begin = written(out)
    if not put_scalar(tree, at, part.codec, out, -1):
        return False
    if not ps_escape_look(out.at - (written(out) - begin), written(out) - begin) & (ESCAPE_MARKUP | ESCAPE_CONTROL):
        return True
    cut_back(out, begin)
    return False


cdef int write_unknown(Arena tree, int32_t at, OutputBuffer out) except -1:
    """Write an unknown field under its own name; its contents follow no model."""
    cdef int32_t top = at
    while True:
        put_tag(tree, at, b"<", out)
        if tree.elements[at].kind != K_NONE and tree.value(at) is not None:
            put_text(out, characters(tree.as_written(at)))
        if tree.elements[at].first:
            at = tree.elements[at].first
            continue
        put_tag(tree, at, b"</", out)
        while at != top and not tree.elements[at].next:
            at = tree.elements[at].parent
            put_tag(tree, at, b"</", out)
        if at == top:
            return 0
        at = tree.elements[at].next


cdef int put_tag(Arena tree, int32_t at, bytes opening, OutputBuffer out) except -1:
    name = <object>tree.entry(tree.elements[at].name).text
    if not name.isidentifier() and not name.replace("-", "_").replace(".", "_").isidentifier():
        raise error(mq.PSRC_SERIALISE_ERROR, f"{name!r} is no name of XML")
    put_all(out, opening)
    put_all(out, name.encode("utf-8"))
    return put_byte(out, c'>')
