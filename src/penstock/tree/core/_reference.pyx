# cython: language_level=3, boundscheck=False, wraparound=False
"""References: a movable position in a tree, like ESQL's REFERENCE variables.

A reference keeps its tree alive, and raises 8122 once its element was deleted. Moves return whether they
moved; a move that finds nothing leaves the reference where it was.
"""

cimport cython
from libc.stdint cimport uint16_t, uint32_t

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._element cimport (
    DETACHED, Element, F_ATTRIBUTES, F_CHANGED, F_DELETED, F_UNPARSED, F_VERBOSE, K_NONE, NONE, R_ATTRIBUTE,
    R_ELEMENT, R_NAMESPACE, R_TEXT,
)
from penstock.tree.core._arena cimport Domain
from penstock.tree.core._domains cimport domain_for
from penstock.tree.core._copying cimport assign_field, become, copy_detached, is_like, is_within
from penstock.tree.core._names cimport shared_id
from penstock.tree.core._path cimport ONLY_ATTRIBUTE, Path, StepRule
from penstock.tree.core._search cimport (
    cardinality, create, find, first_child, last_child, make, make_like, matches, own_rule, sibling, walk,
    walk_from,
)
from penstock.tree.core._field_changes cimport change_name, change_type, change_value, replace
from penstock.tree.core._types cimport T_NAME, T_NAME_VALUE, role_of
from penstock.tree.core._values cimport float_in, plain

from penstock.tree.core.missing import MISSING

cdef object _MISSING = MISSING

cdef enum:
    WRITTEN_MAX = 1000  # digits of a number that a cast reads


cdef bint MAKING = False  # a reference without a tree would crash: only this module can make one


cdef Reference new_reference(Arena tree, int32_t at):
    global MAKING
    cdef Reference made
    MAKING = True
    try:
        made = Reference.__new__(Reference)
    finally:
        MAKING = False
    made.tree = tree
    made.at = at
    return made


def reference_to(Arena tree not None, int32_t at):
    """Return a Reference to an element by its number; for domains written in Python."""
    if not 0 <= at < tree.count:
        raise error(mq.PSRC_REFERENCE_LOST, "no such element")
    return new_reference(tree, at)


cdef int32_t child_of(Arena tree, int32_t at) except -1:
    """Return an element's first child, parsed if necessary."""
    if tree.elements[at].flags & F_UNPARSED:
        tree.parse_folder(at)
    return tree.elements[at].first


cdef bint is_step(Element *element, StepRule *rule) noexcept:
    """Return whether an element matches a step of XPath: attributes are separate from the other children."""
    cdef bint attribute = element.role == R_ATTRIBUTE or element.role == R_NAMESPACE
    return matches(element, rule) and attribute == (rule.match & ONLY_ATTRIBUTE != 0)


cdef StepRule rule_of(Arena tree, Path path) except *:
    if path.count != 1 or path.rules[0].index:
        raise error(mq.PSRC_PATH_ERROR, f"a move takes a path of one step without an index, not {path!r}")
    return own_rule(tree, &path.rules[0])


cdef inline int needs_path(Path path) except -1:
    """Refuse None where `not None` is impossible, in methods that C calls too."""
    if path is None:
        raise TypeError("a path is needed, not None")
    return 0


@cython.final
@cython.no_gc
@cython.freelist(64)
cdef class Reference:
    """A field of a message, and the moves from it."""

    def __cinit__(self):
        if not MAKING:
            raise TypeError("references come from Message.reference, Message.create and iteration")

    cdef int check(self) except -1:
        if self.at >= self.tree.count or self.tree.elements[self.at].flags & F_DELETED:
            raise error(mq.PSRC_REFERENCE_LOST, "the field that this reference stood on was deleted")
        return 0

    cdef bint go(self, int32_t at) noexcept:
        if at:
            self.at = at
        return at != 0

    # What it is

    @property
    def message(self):
        """The message that the field belongs to."""
        return self.tree

    @property
    def name(self):
        """The field's name."""
        self.check()
        return <object>self.tree.entry(self.tree.elements[self.at].name).text if self.at else "Root"

    @name.setter
    def name(self, str name not None):
        self.check()
        change_name(self.tree, self.at, self.tree.own_id(shared_id(name)), self.tree.elements[self.at].namespace_)

    @property
    def namespace(self):
        """The field's namespace, "" if none."""
        self.check()
        return <object>self.tree.entry(self.tree.elements[self.at].namespace_).text

    @namespace.setter
    def namespace(self, str namespace not None):
        self.check()
        change_name(self.tree, self.at, self.tree.elements[self.at].name, self.tree.own_id(shared_id(namespace)))

    @property
    def type(self):
        """The field type, a number as in ESQL."""
        self.check()
        return self.tree.elements[self.at].type

    @type.setter
    def type(self, uint32_t type_):
        self.check()
        change_type(self.tree, self.at, type_)

    @property
    def value(self):
        """The field's value, None for NULL and for folders; setting it keeps the children."""
        self.check()
        return self.tree.value(self.at)

    @value.setter
    def value(self, value):
        self.check()
        change_value(self.tree, self.at, plain(value))

    @property
    def domain(self):
        """The name of the domain that the field belongs to, "" if none."""
        self.check()
        cdef Domain domain = self.tree.domain_of(self.at)
        return "" if domain is None else domain.name

    @domain.setter
    def domain(self, domain):
        """Put the field, which must not have children, into a domain: a name, or a `Domain`.

        None removes the domain that was set; then it belongs to the domain of its parent.
        """
        self.check()
        if self.at == 0 or self.tree.elements[self.at].first:
            raise error(mq.PSRC_TREE_STRUCTURE, "only a field without children can be given a domain, and not the root")
        if domain is None:
            if self.tree.owners is not None and self.tree.owners.pop(self.at, None) is not None:
                self.tree.elements[self.at].flags &= ~<uint16_t>F_VERBOSE
            return
        self.tree.own(self.at, domain if isinstance(domain, Domain) else domain_for(domain, None, None, None))

    @property
    def form(self):
        """The `Domain` that the field belongs to, or None."""
        self.check()
        return self.tree.domain_of(self.at)

    @property
    def is_domain_folder(self):
        """Whether a domain begins at the field: a folder below the root, or one that was given a domain."""
        self.check()
        if self.at == 0 or self.tree.domain_of(self.at) is None:
            return False
        return self.tree.elements[self.at].parent == 0 or (
            self.tree.owners is not None and self.at in self.tree.owners)

    @property
    def is_changed(self):
        """Whether the field or one below it differs from what was parsed."""
        self.check()
        return bool(self.tree.elements[self.at].flags & F_CHANGED)

    @property
    def is_parsed(self):
        """Whether the subtree has been accessed; until then it is bytes."""
        self.check()
        return not self.tree.elements[self.at].flags & F_UNPARSED

    @property
    def source(self):
        """The bytes of an unchanged body, if this is its folder; else None."""
        self.check()
        cdef bint untouched = self.at != 0 and self.at == self.tree.folder and not self.is_changed
        return self.tree.source if untouched else None

    @property
    def ccsid(self):
        """The CCSID that the message's body was parsed with, 0 if none was given."""
        return self.tree.ccsid

    @property
    def encoding(self):
        """The encoding that the message's body was parsed with."""
        return self.tree.encoding

    @property
    def payload(self):
        """The payload of a header's folder; None for everything else."""
        self.check()
        return self.tree.payload_of(self.at)

    @property
    def has_value(self):
        """Whether the field has a value of its own, possibly NULL."""
        self.check()
        return self.tree.elements[self.at].kind != K_NONE

    @property
    def is_attribute(self):
        """Whether the field is an attribute or a namespace declaration."""
        self.check()
        return self.tree.elements[self.at].role in (R_ATTRIBUTE, R_NAMESPACE)

    @property
    def is_leaf(self):
        """Whether the field has no children."""
        self.check()
        return child_of(self.tree, self.at) == 0

    cpdef object leaf_value(self):
        """Return the value of a field without children; MISSING for one that has some."""
        self.check()
        return _MISSING if child_of(self.tree, self.at) else self.tree.value(self.at)

    @property
    def is_root(self):
        return self.at == 0

    @property
    def is_deleted(self):
        return bool(self.tree.elements[self.at].flags & F_DELETED)

    @property
    def is_detached(self):
        return self.at != 0 and self.tree.elements[self.at].parent == DETACHED

    # Moves

    def to_parent(self):
        """Move to the parent; False at the root and at a detached field."""
        self.check()
        if self.at == 0 or self.tree.elements[self.at].parent == DETACHED:
            return False
        self.at = self.tree.elements[self.at].parent
        return True

    def to_first_child(self, Path step=None):
        """Move to the first child, or to the first that matches a path of one step."""
        self.open()
        if step is None:
            return self.go(self.tree.elements[self.at].first)
        cdef StepRule rule = rule_of(self.tree, step)
        return self.go(first_child(self.tree, self.at, &rule))

    def to_last_child(self, Path step=None):
        """Move to the last child, or to the last that matches."""
        self.open()
        if step is None:
            return self.go(self.tree.elements[self.at].last)
        cdef StepRule rule = rule_of(self.tree, step)
        return self.go(last_child(self.tree, self.at, &rule))

    def to_next(self, Path step=None):
        """Move to the next sibling, or to the next that matches."""
        self.check()
        if step is None:
            return self.go(self.tree.elements[self.at].next)
        cdef StepRule rule = rule_of(self.tree, step)
        return self.go(sibling(self.tree, self.at, &rule, True))

    def to_previous(self, Path step=None):
        """Move to the previous sibling, or to the one that matches."""
        self.check()
        if step is None:
            return self.go(self.tree.elements[self.at].previous)
        cdef StepRule rule = rule_of(self.tree, step)
        return self.go(sibling(self.tree, self.at, &rule, False))

    def to_next_same(self):
        """Move to the next sibling of the same name and namespace (REPEAT NAME)."""
        self.check()
        cdef StepRule rule = self.own_name()
        return self.go(sibling(self.tree, self.at, &rule, True))

    def to_previous_same(self):
        """Move to the previous sibling of the same name and namespace."""
        self.check()
        cdef StepRule rule = self.own_name()
        return self.go(sibling(self.tree, self.at, &rule, False))

    def to(self, Path path not None, indexes=None):
        """Move to the first field at a path from here."""
        self.check()
        return self.go(find(self.tree, self.at, path, indexes))

    def copy(self):
        """Return another reference to the same field."""
        return new_reference(self.tree, self.at)

    cdef int open(self) except -1:
        self.check()
        if self.tree.elements[self.at].flags & F_UNPARSED:
            self.tree.parse_folder(self.at)
        return 0

    cdef StepRule own_name(self) noexcept:
        cdef StepRule rule
        rule.name = self.tree.elements[self.at].name
        rule.namespace_ = self.tree.elements[self.at].namespace_
        rule.match = 0
        rule.type = 0
        rule.index = 0
        return rule

    # Fields below

    def get(self, Path path not None):
        """Return the value of the first field at a path from here; MISSING if there is none."""
        self.check()
        cdef int32_t at = walk(self.tree, self.at, path)
        return self.tree.value(at) if at else _MISSING

    def get_at(self, Path path not None, indexes):
        """Do what `get` does, for a path with open indexes."""
        self.check()
        cdef int32_t at = walk_from(self.tree, self.at, path, path.count, indexes)
        return self.tree.value(at) if at else _MISSING

    def set(self, Path path not None, value):
        """Set the field at a path from here to a value, without children."""
        value = plain(value)
        self.check()
        replace(self.tree, make(self.tree, self.at, path, None), value)

    def set_at(self, Path path not None, indexes, value):
        """Do what `set` does, for a path with open indexes."""
        value = plain(value)
        self.check()
        replace(self.tree, make(self.tree, self.at, path, indexes), value)

    cpdef set_value(self, Path path, value, indexes=None):
        """Change the value of the field at a path from here and keep its children (SET .. VALUE)."""
        needs_path(path)
        value = plain(value)
        self.check()
        change_value(self.tree, make(self.tree, self.at, path, indexes), value)

    def read(self, Path path not None):
        """Return the value of the first field at a path from here; None for NULL and if there is none."""
        self.check()
        cdef int32_t at = walk(self.tree, self.at, path)
        return self.tree.value(at) if at else None

    def read_at(self, Path path not None, indexes):
        """Do what `read` does, for a path with open indexes."""
        self.check()
        cdef int32_t at = walk_from(self.tree, self.at, path, path.count, indexes)
        return self.tree.value(at) if at else None

    cpdef read_float(self, Path path):
        """Return the field at a path as a float if its text is one, read from its slice; else like `read`."""
        needs_path(path)
        self.check()
        cdef int32_t at = walk(self.tree, self.at, path)
        cdef int32_t text = at
        cdef object found = None
        if at == 0:
            return None
        if self.tree.elements[at].kind == K_NONE and self.tree.elements[at].first:
            text = self.tree.elements[at].first
            if self.tree.elements[text].role != R_TEXT or self.tree.elements[text].next:
                return self.tree.value(at)
        if self.tree.elements[text].value == NULL:
            found = float_in(&self.tree.elements[text])
        return self.tree.value(at) if found is None else found

    cpdef read_written(self, Path path, indexes=None):
        """Do what `read` does, but return a number of a JSON message as its text, so that a cast loses no
        digits.
        """
        needs_path(path)
        self.check()
        cdef int32_t at = walk(self.tree, self.at, path) if indexes is None else walk_from(self.tree, self.at, path, path.count, indexes)
        if at == 0:
            return None
        if self.tree.elements[at].raw_length > WRITTEN_MAX:
            return self.tree.value(at)
        return self.tree.as_written(at)

    cdef int32_t found(self, Path path, object indexes) except -1:
        """Return the element at the end of a path from here, or 0."""
        self.check()
        return find(self.tree, self.at, path, indexes)

    def exists(self, Path path not None, indexes=None):
        """Return whether there is a field at a path from here; no value is decoded."""
        return self.found(path, indexes) != 0 or path.count == 0

    def cardinality(self, Path path not None, indexes=None):
        """Return how many fields match the last step of a path from here."""
        self.check()
        return cardinality(self.tree, self.at, path, indexes)

    def each(self, Path path not None, indexes=None):
        """Iterate over References to the fields that match the last step, which has no index.

        Fields that are created meanwhile are not visited; the last one returned may be deleted.
        """
        cdef Matches matches_ = Matches.__new__(Matches)
        cdef int32_t parent = self.parent_of(path, indexes)
        matches_.tree = self.tree
        matches_.limit = self.tree.count
        if parent >= 0:
            matches_.rule = own_rule(self.tree, &path.rules[path.count - 1])
            matches_.after = first_child(self.tree, parent, &matches_.rule)
            matches_.limit = self.tree.count
        return matches_

    cpdef tuple every(self, Path path, int32_t most):
        """Return References to all fields at a path of names, through every field of each step.

        This is the result of an XPath location path, while `each` follows only first fields. A step matches
        attributes only if the step names them; indexes are ignored. Returns them with the rest of `most` after the
        visited fields: less than 0 if that was not enough.
        """
        cdef list found = []
        cdef Arena tree = self.tree
        cdef int32_t at = self.at, child
        cdef int depth = 0
        cdef StepRule rule
        self.check()
        if path is None or path.count == 0:
            raise error(mq.PSRC_PATH_ERROR, "a path without steps leads nowhere")
        rule = own_rule(tree, &path.rules[0])
        child = child_of(tree, at)
        while child or depth:
            if child == 0:  # back to the step before
                child = tree.elements[at].next
                at = tree.elements[at].parent
                depth -= 1
                rule = own_rule(tree, &path.rules[depth])
                continue
            most -= 1
            if most < 0:
                break
            if not is_step(&tree.elements[child], &rule):
                child = tree.elements[child].next
            elif depth == path.count - 1:
                found.append(new_reference(tree, child))
                child = tree.elements[child].next
            else:
                at = child
                depth += 1
                rule = own_rule(tree, &path.rules[depth])
                child = child_of(tree, at)
        return found, most

    cdef int32_t parent_of(self, Path path, object indexes) except -2:
        """Return the element whose children the last step of a path matches; -1 if there is none."""
        cdef int32_t at = self.at
        self.check()
        if path.count == 0 or path.rules[path.count - 1].index:
            raise error(mq.PSRC_PATH_ERROR, f"the last step of {path!r} has an index; a list has none")
        if path.count > 1:
            at = walk_from(self.tree, at, path, path.count - 1, indexes)
            if at == 0:
                return -1
        if self.tree.elements[at].flags & F_UNPARSED:
            self.tree.parse_folder(at)
        return at

    def reference(self, Path path not None, indexes=None):
        """Return a Reference to the first field at a path from here, or None."""
        cdef int32_t at = self.found(path, indexes)
        return new_reference(self.tree, at) if at or path.count == 0 else None

    def create(self, Path path not None, indexes=None):
        """Return a Reference to the field at a path from here; missing fields are created."""
        self.check()
        return new_reference(self.tree, make(self.tree, self.at, path, indexes))

    def append(self, Path step not None):
        """Add the field that a path of one step names as the last child; return a Reference to it."""
        self.open()
        if step.count != 1:
            raise error(mq.PSRC_PATH_ERROR, f"append takes a path of one step, not {step!r}")
        return new_reference(self.tree, create(self.tree, self.at, step, 0))

    def copy_from(self, Path path not None, Reference source not None, Path origin not None, indexes=None,
                  origin_indexes=None):
        """Copy a field with its subtree to a path from here, without decoding (SET field = field).

        If the origin is missing the target is deleted, as by SET to NULL; returns whether the origin exists.
        """
        cdef int32_t found = source.found(origin, origin_indexes)
        cdef int32_t at
        if found == 0 and origin.count:
            at = self.found(path, indexes)
            if at:
                self.tree.remove(at)
            return False
        self.check()
        at = make_like(self.tree, self.at, path, indexes, source.tree, found)
        if at == 0:
            become(self.tree, source.tree, found)
        else:
            assign_field(self.tree, at, source.tree, found)
        return True

    def put(self, Path path not None, value, indexes=None):
        """Implement SET field = value: NULL deletes the field at a path from here, any other value is set."""
        cdef int32_t at
        if value is None:
            at = self.found(path, indexes)
            if at:
                self.tree.remove(at)
            return
        value = plain(value)
        self.check()
        replace(self.tree, make(self.tree, self.at, path, indexes), value)

    @property
    def newest(self):
        """The number of elements that the tree has created, for `delete_older`."""
        return self.tree.count

    def delete_older(self, Path step not None, int32_t than):
        """Delete the children that match a path of one step and are older than `newest`."""
        self.open()
        cdef StepRule rule = rule_of(self.tree, step)
        cdef int32_t after
        cdef int32_t at = first_child(self.tree, self.at, &rule)
        while at:
            after = sibling(self.tree, at, &rule, True)
            if at < than:
                self.tree.remove(at)
            at = after

    def become(self, Reference source not None):
        """Make a whole tree a copy of another tree or a field; this has to be a root."""
        self.check()
        source.check()
        if self.at:
            raise error(mq.PSRC_TREE_STRUCTURE, "only a root can become another tree; assign to a field")
        become(self.tree, source.tree, source.at)

    def clear(self):
        """Empty a whole tree; References into it become invalid, those to its root stay valid."""
        if self.at:
            raise error(mq.PSRC_TREE_STRUCTURE, "only a root can be cleared; delete a field")
        self.tree.forget_all()

    def delete(self, Path path=None, indexes=None):
        """Delete the field at a path from here, or this field itself; return whether there was one."""
        self.check()
        cdef int32_t at = self.at if path is None else self.found(path, indexes)
        if at == 0:
            if path is None:
                raise error(mq.PSRC_TREE_STRUCTURE, "the root cannot be deleted")
            return False
        self.tree.remove(at)
        return True

    def delete_children(self):
        """Delete everything below this field."""
        self.open()
        self.tree.remove_children(self.at)

    def __iter__(self):
        """Iterate over References to the children, as they are at each step."""
        self.open()
        return Children(self)

    # Growth

    def add_first_child(self, name, value=None, *, namespace="", type=None):
        """Add a field as the first child; return a Reference to it."""
        self.open()
        cdef int32_t at = self.made(name, value, namespace, type)
        self.tree.link(at, self.at, self.tree.elements[self.at].first)
        return new_reference(self.tree, at)

    def add_last_child(self, name, value=None, *, namespace="", type=None):
        """Add a field as the last child; return a Reference to it."""
        self.open()
        cdef int32_t at = self.made(name, value, namespace, type)
        self.tree.link(at, self.at, NONE)
        return new_reference(self.tree, at)

    def add_values(self, tuple steps not None, values):
        """Add a field with a value, possibly NULL, for each path of one step, as the last children."""
        self.open()
        cdef Path step
        cdef int32_t at
        for step, value in zip(steps, values, strict=True):
            at = self.tree.new_element(self.tree.own_id(step.rules[0].name), 0, T_NAME_VALUE, R_ELEMENT)
            self.tree.put_value(at, plain(value))
            self.tree.link(at, self.at, NONE)

    def changed_children(self, int32_t count):
        """Return the children that were changed, if they still are the `count` that were built first; else
        None.
        """
        self.open()
        cdef int32_t i, first = self.tree.elements[self.at].first
        cdef int32_t at = first
        cdef list found = []
        for i in range(count):
            if at == 0 or at != first + i:
                return None
            if self.tree.elements[at].flags & F_CHANGED:
                found.append(new_reference(self.tree, at))
            at = self.tree.elements[at].next
        return found if at == 0 else None

    def add_unread_child(self, name, payload):
        """Add a field whose children the domain makes from a payload on access; for domains in Python."""
        self.open()
        cdef int32_t at = self.made(name, None, "", None)
        self.tree.link(at, self.at, NONE)
        self.tree.give_payload(at, payload)
        return new_reference(self.tree, at)

    def add_next(self, name, value=None, *, namespace="", type=None):
        """Add a field as the next sibling; return a Reference to it."""
        self.needs_parent()
        cdef int32_t at = self.made(name, value, namespace, type)
        self.tree.link(at, self.tree.elements[self.at].parent, self.tree.elements[self.at].next)
        return new_reference(self.tree, at)

    def add_previous(self, name, value=None, *, namespace="", type=None):
        """Add a field as the previous sibling; return a Reference to it."""
        self.needs_parent()
        cdef int32_t at = self.made(name, value, namespace, type)
        self.tree.link(at, self.tree.elements[self.at].parent, self.at)
        return new_reference(self.tree, at)

    cdef int needs_parent(self) except -1:
        self.check()
        if self.at == 0 or self.tree.elements[self.at].parent == DETACHED:
            raise error(mq.PSRC_TREE_STRUCTURE, "the root and detached fields have no siblings")
        return 0

    cdef int32_t made(self, object name, object value, object namespace, object type_) except -1:
        """Make an element; without a type it is a folder, or a field when it has a value."""
        value = plain(value)
        cdef bint verbose = self.tree.elements[self.at].flags & F_VERBOSE
        cdef uint32_t kind
        if type_ is None:
            kind = T_NAME if value is None or verbose else T_NAME_VALUE
        else:
            kind = type_
        cdef int32_t at = self.tree.new_element(self.tree.own_id(shared_id(name)),
                                                self.tree.own_id(shared_id(namespace)), kind,
                                                role_of(kind, verbose))
        self.tree.elements[at].flags |= self.tree.elements[self.at].flags & F_VERBOSE
        if value is not None or kind == T_NAME_VALUE:
            self.tree.put_value(at, value)
        return at

    # Moving and copying subtrees

    def detach(self):
        """Remove this field with its subtree from its parent; the reference stays on it."""
        self.needs_parent()
        self.tree.unlink(self.at)

    def attach_first_child(self, Reference other not None):
        """Make a field, removed from its parent, the first child of this one."""
        self.open()
        cdef int32_t at = self.brought(other)
        self.tree.link(at, self.at, self.tree.elements[self.at].first)

    def attach_last_child(self, Reference other not None):
        """Make a field the last child; one of another tree is copied here and deleted there."""
        self.open()
        cdef int32_t at = self.brought(other)
        self.tree.link(at, self.at, NONE)

    def attach_next(self, Reference other not None):
        """Make a field the next sibling of this one."""
        self.needs_parent()
        cdef int32_t at = self.brought(other)
        self.tree.link(at, self.tree.elements[self.at].parent, self.tree.elements[self.at].next)

    def attach_previous(self, Reference other not None):
        """Make a field the previous sibling of this one."""
        self.needs_parent()
        cdef int32_t at = self.brought(other)
        self.tree.link(at, self.tree.elements[self.at].parent, self.at)

    cdef int32_t brought(self, Reference other) except -1:
        """Return an element of this tree without a parent: the other's, moved or copied."""
        cdef int32_t at
        other.check()
        if other.at == 0:
            raise error(mq.PSRC_TREE_STRUCTURE, "the root cannot be attached")
        if other.tree is self.tree:
            if is_within(self.tree, self.at, other.at):
                raise error(mq.PSRC_TREE_STRUCTURE, "a field cannot be attached below itself")
            if self.tree.elements[other.at].parent != DETACHED:
                self.tree.unlink(other.at)
            return other.at
        if other.tree.elements[other.at].flags & F_UNPARSED:
            other.tree.parse_folder(other.at)
        at = copy_detached(self.tree, other.tree, other.at, is_like(self.tree, self.at, other.tree, other.at))
        other.tree.remove(other.at)
        other.tree = self.tree
        other.at = at
        return at

    def assign(self, Reference source not None):
        """Copy the value and the children of another field here, without decoding."""
        self.check()
        source.check()
        if self.at == 0:
            raise error(mq.PSRC_TREE_STRUCTURE, "the root cannot be assigned to; copy the message")
        assign_field(self.tree, self.at, source.tree, source.at)

    def __eq__(self, other):
        if not isinstance(other, Reference):
            return NotImplemented
        return self.tree is (<Reference>other).tree and self.at == (<Reference>other).at

    def __hash__(self):
        return hash((id(self.tree), self.at))

    def __repr__(self):
        return "<Reference to a deleted field>" if self.is_deleted else f"<Reference {self.name}>"


@cython.final
cdef class Children:
    """Iterates over children; the last one returned may be deleted or detached meanwhile."""

    cdef Reference after

    def __init__(self, Reference parent not None):
        self.after = new_reference(parent.tree, parent.tree.elements[parent.at].first)

    def __iter__(self):
        return self

    def __next__(self):
        if self.after is None or self.after.at == 0:
            raise StopIteration
        cdef int32_t at = self.after.at
        self.after.check()
        self.after.at = self.after.tree.elements[at].next
        return new_reference(self.after.tree, at)


@cython.final
cdef class Matches:
    """Iterates over the fields that match a step; fields created after it began are left out."""

    cdef Arena tree
    cdef StepRule rule
    cdef int32_t after
    cdef int32_t limit

    def __iter__(self):
        return self

    def __next__(self):
        cdef int32_t at = self.after
        if at == 0 or at >= self.limit or at >= self.tree.count or self.tree.elements[at].flags & F_DELETED:
            raise StopIteration
        self.after = sibling(self.tree, at, &self.rule, True)
        return new_reference(self.tree, at)
