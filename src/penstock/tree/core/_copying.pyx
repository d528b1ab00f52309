# cython: language_level=3, boundscheck=False, wraparound=False
"""Copies of subtrees, within a tree or between two, without decoding values.

Slices are copied as slices; the target also keeps their buffers. Between two domains only names and values
are copied (ESQL: a copy between unlike parsers): text beside elements, comments and declarations are dropped,
attributes become plain fields. Iterative, never recursive.
"""

from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport uint32_t

from penstock.tree.core._arena cimport Domain, append
from penstock.tree.core._element cimport (
    DETACHED, Element, F_ASCII, F_CHANGED, F_CODEC, F_UNPARSED, F_VERBOSE, K_NONE, K_OBJECT, NONE, R_ARRAY, R_ATTRIBUTE, R_CDATA,
    R_ELEMENT, R_TEXT,
)
from penstock.tree.core._types cimport T_NAME, T_NAME_VALUE


cdef bint is_within(Arena tree, int32_t at, int32_t above) noexcept:
    """Return whether an element is another one or below it."""
    while at > 0 and at != above:
        at = tree.elements[at].parent
    return at == above


cdef int assign_field(Arena tree, int32_t target, Arena source, int32_t origin) except -1:
    """Give a field the value and the children of another; its name, namespace and type stay."""
    cdef Domain here, there
    cdef bint like
    cdef int32_t made, child, after
    if source is tree and target == origin:
        return 0
    here = tree.domain_of(target)
    there = source.domain_of(origin)
    if here is not there and is_same_folder(tree, target, source, origin):
        tree.own(target, there)
        here = there
    like = there is None if here is None else here.like(there)
    if take_unparsed(tree, target, source, origin, like):
        return 0
    if source.elements[origin].flags & F_UNPARSED:
        source.parse_folder(origin)
    if tree.elements[target].flags & F_UNPARSED:
        tree.elements[target].flags &= ~<uint32_t>F_UNPARSED
    if source is not tree or not (is_within(tree, origin, target) or is_within(tree, target, origin)):
        if tree.elements[target].first:
            tree.remove_children(target)
        fill(tree, target, source, origin, like, here)
        return tree.mark(target)
    # one contains the other: make a separate copy first
    made = tree.new_element(0, 0, tree.elements[origin].type, tree.elements[origin].role)
    tree.elements[made].flags |= tree.elements[target].flags & F_VERBOSE
    fill(tree, made, source, origin, like, here)
    tree.remove_children(target)
    copy_value(tree, target, tree, made)
    tree.elements[target].flags |= tree.elements[made].flags & ~<uint32_t>F_CHANGED  # `mark` decides that
    child = tree.elements[made].first
    while child:
        after = tree.elements[child].next
        tree.unlink(child)
        tree.link(child, target, NONE)
        child = after
    tree.remove(made)
    return tree.mark(target)


cdef int become(Arena tree, Arena source, int32_t origin) except -1:
    """Make a tree a copy of a field of another; a whole tree into an empty one is one block copied."""
    cdef int32_t child, made
    if source is tree and origin == 0:
        return 0
    if origin == 0 and tree.count == 1 and tree.buffers is None:
        return tree.become_copy(source)
    if source is tree:  # what is copied may be part of this tree
        made = tree.new_element(0, 0, T_NAME, R_ELEMENT)
        fill(tree, made, source, origin, False, None)
    else:
        made = NONE
    tree.remove_children(0)
    if made:
        child = tree.elements[made].first
        while child:
            tree.unlink(child)
            tree.link(child, 0, NONE)
            child = tree.elements[made].first
        return tree.remove(made)
    if source.elements[origin].flags & F_UNPARSED:
        source.parse_folder(origin)
    child = source.elements[origin].first
    while child:
        made = append(tree, 0, tree.adopt_id(source, source.elements[child].name),
                      tree.adopt_id(source, source.elements[child].namespace_), source.elements[child].type,
                      source.elements[child].role)
        tree.elements[made].flags |= source.elements[child].flags & F_VERBOSE
        assign_field(tree, made, source, child)
        child = source.elements[child].next
    return tree.mark(0)


cdef bint take_unparsed(Arena tree, int32_t target, Arena source, int32_t origin, bint like) except -1:
    """Take over an untouched body, if the target is a folder for it and has none itself.

    For other folders it is enough that they are unchanged: their payload recreates them.
    """
    cdef object payload = None
    if not like or source is tree or tree.elements[target].first != NONE:
        return False
    if origin != source.folder and not source.elements[origin].flags & F_CHANGED:
        payload = source.payload_of(origin)
    if payload is not None:
        tree.give_payload(target, payload)
        tree.elements[target].flags = source.elements[origin].flags | F_UNPARSED
        return True
    if not source.elements[origin].flags & F_UNPARSED or origin != source.folder:
        return False
    if tree.folder or tree.elements[target].parent != 0 or tree.domain_of(target) is not source.form:
        return False
    tree.form = source.form
    tree.source = source.source
    tree.folder = target
    tree.ccsid = source.ccsid
    tree.encoding = source.encoding
    tree.options = source.options
    tree.charset = source.charset
    tree.elements[target].flags = source.elements[origin].flags
    return True


cdef bint is_like(Arena tree, int32_t target, Arena source, int32_t origin) except -1:
    """Return whether a copy keeps everything: both belong to one domain, or to one family of domains."""
    cdef Domain here = tree.domain_of(target)
    cdef Domain there = source.domain_of(origin)
    return there is None if here is None else here.like(there)


cdef bint is_same_folder(Arena tree, int32_t target, Arena source, int32_t origin) except -1:
    """Return whether a folder below the root accepts one of the same name, so of the same domain and model."""
    return (tree.elements[target].parent == 0 and origin > 0 and source.elements[origin].parent == 0 and target > 0
            and source.domain_of(origin) is not None
            and tree.adopt_id(source, source.elements[origin].name) == tree.elements[target].name)


cdef int32_t copy_detached(Arena tree, Arena source, int32_t origin, bint like) except -1:
    """Return a copy of an element of another tree that has no parent yet."""
    cdef int32_t made = tree.new_element(tree.adopt_id(source, source.elements[origin].name),
                                         tree.adopt_id(source, source.elements[origin].namespace_),
                                         source.elements[origin].type, source.elements[origin].role)
    tree.elements[made].flags |= source.elements[origin].flags & F_VERBOSE
    if not like:
        tree.elements[made].type = T_NAME_VALUE if source.elements[origin].kind != K_NONE else T_NAME
        tree.elements[made].role = R_ELEMENT
    else:
        tree.note_origin(made, source.origin_of(origin))
    fill(tree, made, source, origin, like, None)
    return made


cdef int keep_buffers(Arena tree, Arena source) except -1:
    if tree is source:
        return 0
    tree.keep(source.source)
    if source.buffers is not None:
        for buffer in source.buffers:
            tree.keep(buffer)
    return 0


cdef int fill(Arena tree, int32_t target, Arena source, int32_t origin, bint like, Domain here) except -1:
    """Copy the value and the subtree of `origin` to `target`, which has no children."""
    cdef int32_t at = source.elements[origin].first
    cdef int32_t above = target
    cdef int32_t made
    keep_buffers(tree, source)
    tree.appends += 1
    copy_field_value(tree, target, source, origin, like)
    while at:
        if source.elements[at].flags & F_UNPARSED:
            source.parse_folder(at)
        made = NONE
        if like or source.elements[at].role <= R_ATTRIBUTE or source.elements[at].role == R_ARRAY:
            made = copy_one(tree, above, source, at, like, here)
        if made and source.elements[at].first:
            above = made
            at = source.elements[at].first
            continue
        while not source.elements[at].next:
            at = source.elements[at].parent
            if at == origin:
                return 0
            above = tree.elements[above].parent
        at = source.elements[at].next
    return 0


cdef int32_t copy_one(Arena tree, int32_t above, Arena source, int32_t at, bint like, Domain here) except -1:
    """Copy one element without its children."""
    if tree.names is None and source.names is None and source.origins is None and is_plain(&source.elements[at]):
        return copy_plain(tree, above, source, at, like, like or here is None or here.namespaces)
    cdef uint32_t name = tree.adopt_id(source, source.elements[at].name)
    cdef uint32_t namespace_ = 0
    cdef uint32_t type_ = source.elements[at].type
    cdef int role = source.elements[at].role
    cdef int32_t made
    if like or here is None or here.namespaces:
        namespace_ = tree.adopt_id(source, source.elements[at].namespace_)
    if not like and not keeps_attribute(here, source, at):
        role = R_ELEMENT
        type_ = T_NAME
    made = append(tree, above, name, namespace_, type_, role)
    if like and source.origins is not None:
        tree.note_origin(made, source.origin_of(at))
    copy_field_value(tree, made, source, at, like)
    if role == R_ELEMENT and not like and tree.elements[made].kind != K_NONE and not tree.elements[made].flags & F_VERBOSE:
        tree.elements[made].type = T_NAME_VALUE
    return made


cdef inline bint is_plain(Element *element) noexcept:
    """Return whether an element is a field with an undecoded value, as most are."""
    return element.kind != K_NONE and element.value == NULL and element.role == R_ELEMENT


cdef inline int32_t copy_plain(Arena tree, int32_t above, Arena source, int32_t at, bint like, bint namespaces) except -1:
    """Copy one such field from a tree with the same numbers of names."""
    cdef Element *element = &source.elements[at]
    cdef uint32_t type_ = element.type
    if not like:
        type_ = T_NAME if tree.elements[above].flags & F_VERBOSE else T_NAME_VALUE
    cdef int32_t made = append(tree, above, element.name, element.namespace_ if namespaces else 0, type_, R_ELEMENT)
    element = &source.elements[at]
    tree.elements[made].raw = element.raw
    tree.elements[made].raw_length = element.raw_length
    tree.elements[made].kind = element.kind
    tree.elements[made].flags |= element.flags & (F_ASCII | F_CODEC)
    return made


cdef bint keeps_attribute(Domain here, Arena source, int32_t at) except -1:
    """Return whether XML keeps an attribute from another domain: if it is from a tree without a domain, or a
    row.
    """
    if source.elements[at].role != R_ATTRIBUTE or here is None or not (here.verbose or here.family == "XMLNSC"):
        return False
    while source.elements[at].parent > 0:
        at = source.elements[at].parent
    return source.domain_of(at) is None


cdef int copy_field_value(Arena tree, int32_t target, Arena source, int32_t origin, bint like) except -1:
    """Copy a value; between different domains the text in an element without elements is its value."""
    cdef int32_t child
    cdef int32_t text = origin
    if not like and source.elements[origin].kind == K_NONE:
        child = source.elements[origin].first
        while child:
            if source.elements[child].role == R_ELEMENT or source.elements[child].role == R_ARRAY:
                text = origin
                break
            if text == origin and (source.elements[child].role == R_TEXT or source.elements[child].role == R_CDATA):
                text = child
            child = source.elements[child].next
    return copy_value(tree, target, source, text)


cdef int copy_value(Arena tree, int32_t target, Arena source, int32_t origin) except -1:
    """Copy a value in its stored form: a slice, an object or both."""
    cdef Element *to = &tree.elements[target]
    cdef Element *origin_element = &source.elements[origin]
    cdef PyObject *old = to.value
    cdef PyObject *value = origin_element.value
    to.raw = origin_element.raw
    to.raw_length = origin_element.raw_length
    to.kind = origin_element.kind
    to.flags = (to.flags & ~<uint32_t>(F_ASCII | F_CODEC)) | (origin_element.flags & (F_ASCII | F_CODEC))
    to.value = value
    if value != NULL:
        Py_INCREF(<object>value)
        tree.objects += 1
    if old != NULL:
        tree.objects -= 1
        Py_DECREF(<object>old)
    return 0
