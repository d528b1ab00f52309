# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The search: from a path to the number of an element, and the creation of missing elements.

First matches use the hint in the path and the shapes of folders; indexes use the tree's cursors, so that a
loop over [1], [2] ... is linear as a whole, forwards and backwards. Hints and cursors are verified before
use. Returns 0 for "not found"; raises only what the first access to a body or a creation can raise.
"""

from libc.stdint cimport int64_t, uint32_t

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._arena cimport CURSORS, Cursor, Domain, append
from penstock.tree.core._domains cimport domain_named
from penstock.tree.core._element cimport F_UNPARSED, F_VERBOSE, NONE
from penstock.tree.core._path cimport OPEN_INDEX
from penstock.tree.core._names cimport LOCAL, shared_id
from penstock.tree.core._shapes cimport UNKNOWN
from penstock.tree.core._types cimport T_ATTRIBUTE, T_NAME, T_NAME_VALUE, T_VALUE, role_of
from penstock.tree.core._types import NAMES_BY_TYPE

cdef object INDEX_MAX = 2**31 - 1


cdef StepRule own_rule(Arena tree, StepRule *rule) noexcept:
    """Return a rule with the name numbers of a tree that has its own names."""
    cdef StepRule own = rule[0]
    own.name = tree.own_id(rule.name)
    own.namespace_ = tree.own_id(rule.namespace_)
    return own


cdef int32_t first_child(Arena tree, int32_t at, StepRule *rule) noexcept:
    cdef Element *elements = tree.elements
    cdef int32_t child = elements[at].first
    while child and not matches(&elements[child], rule):
        child = elements[child].next
    return child


cdef int32_t last_child(Arena tree, int32_t at, StepRule *rule) noexcept:
    cdef Element *elements = tree.elements
    cdef int32_t child = elements[at].last
    while child and not matches(&elements[child], rule):
        child = elements[child].previous
    return child


cdef int32_t sibling(Arena tree, int32_t at, StepRule *rule, bint forward) noexcept:
    """Return the next or previous sibling that matches; the root and detached elements have none."""
    cdef Element *elements = tree.elements
    at = elements[at].next if forward else elements[at].previous
    while at and not matches(&elements[at], rule):
        at = elements[at].next if forward else elements[at].previous
    return at


cdef int32_t hinted_child(Arena tree, int32_t at, StepRule *rule) noexcept:
    """Return the first match, by the hint if the elements before it are the same as then."""
    cdef Element *elements = tree.elements
    cdef uint32_t shape = elements[at].shape
    cdef int32_t child = at + rule.distance
    if rule.match & ONLY_TYPE:  # shapes do not include types
        return first_child(tree, at, rule)
    if shape != UNKNOWN:
        if (0 < child < tree.count and elements[child].parent == at and elements[child].before == rule.before
                and rule.before != UNKNOWN and matches(&elements[child], rule)):
            return child
        if shape == rule.missing:
            return NONE
    child = first_child(tree, at, rule)
    if shape != UNKNOWN:
        if child:
            rule.distance = child - at
            rule.before = elements[child].before
        else:
            rule.missing = shape
    return child


cdef int32_t indexed_child(Arena tree, int32_t at, StepRule *rule, int32_t index, int32_t *there) noexcept:
    """Return match number `index`; if there are too few, 0 and their number in `there`."""
    cdef Element *elements = tree.elements
    cdef Cursor *cursor = &tree.cursors[(<uint32_t>at ^ rule.name ^ (<uint32_t>at >> 3)) & (CURSORS - 1)]
    cdef int32_t child, count
    if index < 0:
        return child_from_end(tree, at, rule, -index, there)
    if (cursor.index and cursor.parent == at and cursor.name == rule.name and cursor.match == rule.match
            and cursor.namespace_ == rule.namespace_ and cursor.type == rule.type and cursor.generation == tree.generation
            and cursor.index - index < index):
        child = cursor.element
        count = cursor.index
    else:
        child = first_child(tree, at, rule)
        count = 1 if child else 0
    while count > index:
        child = elements[child].previous
        count -= matches(&elements[child], rule)
    cdef int32_t found = child
    while child and count < index:
        child = elements[child].next
        if child and matches(&elements[child], rule):
            count += 1
            found = child
    if found:
        cursor.parent = at
        cursor.element = found
        cursor.index = count
        cursor.name = rule.name
        cursor.namespace_ = rule.namespace_
        cursor.match = rule.match
        cursor.type = rule.type
        cursor.generation = tree.generation
    there[0] = count
    return found if count == index else NONE


cdef int32_t child_from_end(Arena tree, int32_t at, StepRule *rule, int32_t index, int32_t *there) noexcept:
    cdef int32_t child = last_child(tree, at, rule)
    cdef int32_t count = 1 if child else 0
    while child and count < index:
        child = sibling(tree, child, rule, False)
        count += 1 if child else 0
    there[0] = count
    return child


cdef inline int32_t step(Arena tree, int32_t at, StepRule *given, int32_t index, int32_t *there) except -1:
    """Return the child at one step."""
    cdef StepRule own
    cdef StepRule *rule = given
    if tree.elements[at].flags & F_UNPARSED:
        tree.parse_folder(at)
    if tree.names is not None:
        own = own_rule(tree, given)
        rule = &own
        if index == 0:
            return first_child(tree, at, rule)
    if index == 0:
        return hinted_child(tree, at, rule)
    return indexed_child(tree, at, rule, index, there)


cdef int32_t walk(Arena tree, int32_t at, Path path) except -1:
    """Return the element at the end of a path without open indexes, or 0."""
    cdef int i
    cdef int32_t there = 0
    if path.open_count:
        raise error(mq.PSRC_PATH_ERROR, f"{path!r} has an open index; say which with the calls that end in _at")
    for i in range(path.count):
        at = step(tree, at, &path.rules[i], path.rules[i].index, &there)
        if at == 0:
            return NONE
    return at


cdef inline int32_t given_index(Path path, object indexes, int used) except? 0:
    """Return the caller's value for open index number `used`."""
    cdef int64_t index
    if type(indexes) is tuple and len(indexes) == path.open_count:
        indexes = indexes[used]
    elif path.open_count != 1:
        raise error(mq.PSRC_PATH_ERROR, f"{path!r} has {path.open_count} open indexes, not {indexes!r}")
    if type(indexes) is not int:
        raise error(mq.PSRC_PATH_ERROR, f"an index is an int, not {indexes!r}")
    if not -INDEX_MAX <= indexes <= INDEX_MAX or indexes == 0:
        raise error(mq.PSRC_ARRAY_SUBSCRIPT, f"no index: {indexes}")
    index = indexes
    return <int32_t>index


cdef int32_t find(Arena tree, int32_t at, Path path, object indexes) except -1:
    """Return the element at the end of a path with or without open indexes, or 0."""
    return walk(tree, at, path) if indexes is None else walk_from(tree, at, path, path.count, indexes)


cdef int32_t make(Arena tree, int32_t at, Path path, object indexes) except -1:
    """Return the element at the end of a path; missing ones are created, as the last child."""
    return make_like(tree, at, path, indexes, None, NONE)


cdef int32_t make_like(Arena tree, int32_t at, Path path, object indexes, Arena source, int32_t origin) except -1:
    """Do what `make` does; if the last step has any name, a new element gets the names of another element."""
    cdef int i
    cdef int used = 0
    cdef int32_t index, child, there
    if (indexes is None) != (path.open_count == 0):
        raise error(mq.PSRC_PATH_ERROR, f"{path!r} has {path.open_count} open indexes")
    for i in range(path.count):
        index = path.rules[i].index
        if index == OPEN_INDEX:
            index = given_index(path, indexes, used)
            used += 1
        there = 0
        child = step(tree, at, &path.rules[i], index, &there)
        if child == 0:
            if index and index != there + 1 and not (there == 0 and index == -1):
                raise error(mq.PSRC_ARRAY_SUBSCRIPT, f"step {i + 1} of {path!r}: index {index}, but there are {there}", there=there)
            if source is not None and i == path.count - 1 and path.rules[i].match & ANY_NAME:
                child = create_like(tree, at, source, origin)
            else:
                child = create(tree, at, path, i)
        at = child
    return at


cdef int32_t create(Arena tree, int32_t parent, Path path, int i) except -1:
    """Add the element that a step names: Properties as the first child of the root, others as the last."""
    cdef StepRule *rule = &path.rules[i]
    cdef bint attribute = rule.match & ONLY_ATTRIBUTE
    cdef bint verbose = tree.elements[parent].flags & F_VERBOSE
    cdef uint32_t type_ = T_ATTRIBUTE if attribute else T_NAME
    cdef int32_t at
    cdef uint32_t name = tree.own_id(rule.name)
    if rule.match & ANY_NAME and rule.type in NAMES_BY_TYPE:
        name = tree.own_id(shared_id(NAMES_BY_TYPE[rule.type]))
    elif rule.match & (ANY_NAME | ANY_NAMESPACE) and rule.type & <uint32_t>0xFF000000 != T_VALUE:
        raise error(mq.PSRC_PATH_ERROR, f"step {i + 1} of {path!r} names no field that could be created")
    if attribute and verbose:
        type_ = T_NAME_VALUE
    elif rule.type:
        type_ = rule.type
    at = tree.new_element(name, tree.own_id(rule.namespace_), type_, role_of(type_, verbose))
    tree.elements[at].flags |= tree.elements[parent].flags & F_VERBOSE
    if parent == 0:
        return link_folder(tree, at, path.steps[i].name)
    tree.link(at, parent, NONE)
    return at


cdef int32_t create_like(Arena tree, int32_t parent, Arena source, int32_t origin) except -1:
    """Add an element of the same name, namespace and type as another."""
    cdef uint32_t type_ = source.elements[origin].type
    cdef uint32_t name = tree.adopt_id(source, source.elements[origin].name)
    cdef bint verbose = tree.elements[parent].flags & F_VERBOSE
    cdef int32_t at = tree.new_element(name, tree.adopt_id(source, source.elements[origin].namespace_), type_,
                                       role_of(type_, verbose))
    tree.elements[at].flags |= tree.elements[parent].flags & F_VERBOSE
    if parent == 0:
        return link_folder(tree, at, <object>tree.entry(name).text)
    tree.link(at, parent, NONE)
    return at


cdef int32_t link_folder(Arena tree, int32_t at, str name) except -1:
    """Link a folder below the root; its name determines its domain."""
    cdef Domain domain = domain_named(name)
    if domain is not None and domain.verbose:
        tree.elements[at].flags |= F_VERBOSE
    tree.link(at, 0, tree.elements[0].first if name == "Properties" else NONE)
    return at


cdef int32_t walk_from(Arena tree, int32_t at, Path path, int count, object indexes) except -1:
    """Return the element at the first `count` steps of a path, or 0."""
    cdef int i
    cdef int used = 0
    cdef int32_t index, there = 0
    if (indexes is None) != (path.open_count == 0):
        raise error(mq.PSRC_PATH_ERROR, f"{path!r} has {path.open_count} open indexes")
    for i in range(count):
        index = path.rules[i].index
        if index == OPEN_INDEX:
            index = given_index(path, indexes, used)
            used += 1
        at = step(tree, at, &path.rules[i], index, &there)
        if at == 0:
            return NONE
    return at


cdef int32_t cardinality(Arena tree, int32_t at, Path path, object indexes) except -1:
    """Return how many fields match the last step; the last count of an unchanged folder is cached."""
    cdef StepRule rule
    cdef Cursor *counted = &tree.counted
    if path.count > 1:
        at = walk_from(tree, at, path, path.count - 1, indexes)
        if at == 0:
            return 0
    elif (indexes is None) != (path.open_count == 0):
        raise error(mq.PSRC_PATH_ERROR, f"{path!r} has {path.open_count} open indexes")
    if path.count == 0:
        return 1
    if tree.elements[at].flags & F_UNPARSED:
        tree.parse_folder(at)
    rule = own_rule(tree, &path.rules[path.count - 1])
    if rule.index:
        raise error(mq.PSRC_PATH_ERROR, f"the last step of {path!r} has an index; a cardinality counts all")
    if not (counted.index and counted.parent == at and counted.name == rule.name and counted.match == rule.match
            and counted.namespace_ == rule.namespace_ and counted.type == rule.type and counted.generation == tree.generation
            and <uint32_t>counted.element == tree.appends):
        counted.index = count_matches(tree, at, &rule)
        counted.parent = at
        counted.element = <int32_t>tree.appends
        counted.name = rule.name
        counted.namespace_ = rule.namespace_
        counted.match = rule.match
        counted.type = rule.type
        counted.generation = tree.generation
    return counted.index


cdef int32_t count_matches(Arena tree, int32_t at, StepRule *rule) noexcept:
    cdef int32_t count = 0
    cdef int32_t child = tree.elements[at].first
    while child:
        count += matches(&tree.elements[child], rule)
        child = tree.elements[child].next
    return count
