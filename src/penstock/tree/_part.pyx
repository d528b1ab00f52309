# cython: language_level=3, boundscheck=False, wraparound=False
"""Parts: what a model's element or group is to the scanner and the writer of one physical format.

A model is compiled to parts once for each format; a part holds the number of its name, its codec and
how often it occurs. Each format adds its own properties in a subclass. Nothing here reads bytes: this
is what the formats have in common about elements of the tree.
"""

from libc.stdint cimport INT32_MAX, int64_t

from penstock.model.errors import MQError, error
from penstock.tree._arena cimport append
from penstock.tree._codec cimport NULL_NEVER, encode_coded
from penstock.tree._element cimport Element, NONE, R_ELEMENT
from penstock.tree._names cimport shared_id
from penstock.tree._types cimport T_NAME, T_NAME_VALUE

globals().update(SEQUENCE=SEQUENCE, CHOICE=CHOICE, ALL=ALL)


cdef class Part:
    """An element or a group of a model in one format."""

    def __init__(self, str name not None, str namespace not None=""):
        self.name = name
        self.name_id = shared_id(name)
        self.namespace_id = shared_id(namespace)
        self.named = bool(name)
        self.parts = ()
        self.least = self.most = 1

    def __repr__(self):
        return f"<{type(self).__name__} {self.name or 'group'}>"


cdef Mark mark_of(Arena tree, int32_t above) noexcept:
    cdef Mark mark
    mark.count = tree.count
    mark.first = tree.elements[above].first
    mark.last = tree.elements[above].last
    mark.shape = tree.elements[above].shape
    return mark


cdef int roll_back(Arena tree, int32_t above, Mark mark) except -1:
    """Forget the elements that were appended below one since the mark."""
    tree.forget_from(mark.count)
    tree.elements[above].first = mark.first
    tree.elements[above].last = mark.last
    tree.elements[above].shape = mark.shape
    if mark.last:
        tree.elements[mark.last].next = NONE
    return 0


cdef int32_t add_leaf(Arena tree, int32_t above, Part part, const char *raw, Py_ssize_t length) except -1:
    """Append a field with its undecoded value; one without a name is the value of the element above."""
    cdef int32_t at = above
    cdef Element *element
    if part.named:
        at = append(tree, above, tree.own_id(part.name_id), part.namespace_id, T_NAME_VALUE, R_ELEMENT)
    element = &tree.elements[at]
    element.type = T_NAME_VALUE
    element.raw = raw
    element.raw_length = <uint32_t>length
    element.kind = part.codec.kind
    element.flags |= part.codec.flags
    return at


cdef int32_t add_folder(Arena tree, int32_t above, Part part) except -1:
    """Append a field that holds fields."""
    return append(tree, above, tree.own_id(part.name_id), part.namespace_id, T_NAME, R_ELEMENT)


cdef Stretch children_of(Arena tree, int32_t above) noexcept:
    """Return all children of an element."""
    cdef Stretch stretch
    stretch.above = above
    stretch.first = stretch.at = tree.elements[above].first
    stretch.end = NONE
    return stretch


cdef Stretch nothing() noexcept:
    """Return what a group is written from that is not there."""
    cdef Stretch stretch
    stretch.above = -1
    stretch.first = stretch.at = stretch.end = NONE
    return stretch


cdef int32_t next_field(Arena tree, Stretch *stretch, Part part, bint again) noexcept:
    """Return the element that a field is written from, and go past it; 0 if there is none.

    It is the next one of its name, or the first if none follows. `again` looks for a further occurrence,
    which only follows. A field without a name is the value of the element around it.
    """
    cdef int32_t at
    if not part.named:
        return stretch.above if not again and stretch.above > 0 and tree.elements[stretch.above].kind else NONE
    at = find_named(tree, stretch.at, stretch.end, part)
    if at == NONE and not again:
        at = find_named(tree, stretch.first, stretch.at, part)
    if at:
        stretch.at = tree.elements[at].next
    return at


cdef int32_t find_named(Arena tree, int32_t at, int32_t end, Part part) noexcept:
    """Return the first element of a part's name from one on, 0 if there is none before the end."""
    cdef uint32_t name = tree.own_id(part.name_id)
    while at and at != end:
        if tree.elements[at].name == name:
            return at
        at = tree.elements[at].next
    return NONE


cdef bint has_more(Arena tree, Stretch *stretch, Part part) noexcept:
    """Tell whether a field or a group without a name occurs once more behind what was written."""
    return find_of(tree, stretch.at, stretch.end, part) != NONE


cdef bint has_too_many(Arena tree, Stretch *stretch, Part part) noexcept:
    """Tell whether more follows of a part that has occurred as often as it may than later parts can take."""
    return has_too_many_of(tree, stretch, part, part)


cdef bint has_too_many_of(Arena tree, Stretch *stretch, Part part, Part done) noexcept:
    """Tell it of one field, or those of a group, in a part that is done."""
    cdef Part inner
    cdef int64_t room
    cdef int32_t at
    if not part.named:
        for inner in part.parts:
            if has_too_many_of(tree, stretch, inner, done):
                return True
        return False
    at = find_named(tree, stretch.at, stretch.end, part)
    room = room_behind(done, part) if at else 0
    while at and room > 0:
        at = find_named(tree, tree.elements[at].next, stretch.end, part)
        room -= 1
    return at != NONE and room == 0


cdef int64_t room_behind(Part part, Part field) noexcept:
    """Return how many elements of a field's name the parts behind one can take, -1 without a limit."""
    cdef Part other
    cdef Part around = part.around
    cdef int64_t room = 0, more
    cdef bint behind = False
    while around is not None:
        for other in around.parts:
            more = room_in(other, field) if behind and around.compose != CHOICE else 0
            if more < 0:
                return -1
            room += more
            behind = behind or other is part
        if around.named or around.most != 1:
            break
        part, around, behind = around, around.around, False
    return room


cdef int64_t room_in(Part part, Part field) noexcept:
    """Return how many elements of a field's name a part can take, -1 without a limit."""
    cdef Part inner
    cdef int64_t room = 0, more
    if part.named:
        return part.most if part.name_id == field.name_id else 0
    for inner in part.parts:
        more = room_in(inner, field)
        if more < 0:
            return -1
        room = min(room + more, INT32_MAX)
    if part.most < 0:
        return -1 if room else 0
    return min(room * part.most, INT32_MAX)


cdef bint holds_any(Arena tree, Stretch *stretch, Part part) noexcept:
    """Tell whether there is an element for a part, or for any part of a group without a name."""
    return find_of(tree, stretch.first, stretch.end, part) != NONE


cdef int32_t find_of(Arena tree, int32_t at, int32_t end, Part part) noexcept:
    """Return the first element from one on that is a part's own or stands in a group without a name."""
    while at and at != end:
        if belongs(tree, at, part):
            return at
        at = tree.elements[at].next
    return NONE


cdef bint belongs(Arena tree, int32_t at, Part part) noexcept:
    cdef Part inner
    if part.named:
        return tree.elements[at].name == tree.own_id(part.name_id)
    for inner in part.parts:
        if belongs(tree, at, inner):
            return True
    return False


cdef bint group_follows(Arena tree, Stretch *stretch, Part group, bint again) noexcept:
    """Tell whether a group without a name that repeats occurs once more; the first time it may stand anywhere."""
    if has_more(tree, stretch, group):
        return True
    if again or not holds_any(tree, stretch, group):
        return False
    stretch.at = stretch.first
    return True


cdef Stretch next_group(Arena tree, Stretch *stretch, Part group) except *:
    """Return the elements of the next occurrence of a group without a name, and go past them.

    What the model has nowhere in the group is passed over, so an occurrence ends where its first field comes again.
    """
    cdef Stretch found
    found.above = stretch.above
    found.first = found.at = find_of(tree, stretch.at, stretch.end, group)
    found.end = stretch.at = past_group(tree, found.first, stretch.end, group, group)
    return found


cdef int32_t past_group(Arena tree, int32_t at, int32_t end, Part group, Part outer) except -1:
    """Return the element behind one occurrence of a group that begins here."""
    cdef Part part
    cdef Part chosen = None
    cdef int64_t done
    if group.compose == ALL:
        return past_any_order(tree, at, end, group, outer)
    for part in group.parts:
        if group.compose == CHOICE:
            if chosen is None and at and at != end and belongs(tree, at, part):
                chosen = part
            if chosen is None or not is_alternative(part, chosen):
                continue
        done = 0
        at = past_all(tree, at, end, part, outer, &done)
    return at


cdef int32_t past_any_order(Arena tree, int32_t at, int32_t end, Part group, Part outer) except -1:
    """Return the element behind one occurrence of a group whose fields come in any order."""
    cdef list counts = [0] * len(group.parts)
    cdef int32_t before = -1
    cdef int64_t done
    cdef Py_ssize_t i
    while at != before:
        before = at
        for i in range(len(group.parts)):
            done = counts[i]
            at = past_all(tree, at, end, <Part>group.parts[i], outer, &done)
            counts[i] = done
    return at


cdef int32_t past_all(Arena tree, int32_t at, int32_t end, Part part, Part outer, int64_t *done) except -1:
    """Return the element behind all occurrences of a part from here on; so many are done."""
    cdef int32_t before
    at = next_known(tree, at, end, outer)
    while at and at != end and (part.most < 0 or done[0] < part.most) and belongs(tree, at, part):
        before = at
        at = tree.elements[at].next if part.named else past_group(tree, at, end, part, outer)
        if at == before:
            break
        at = next_known(tree, at, end, outer)
        done[0] += 1
    return at


cdef inline int32_t next_known(Arena tree, int32_t at, int32_t end, Part group) noexcept:
    """Return the next element that stands in a group; this one if none does."""
    cdef int32_t found = find_of(tree, at, end, group)
    return found if found else at


cdef bint has_value(Part root) noexcept:
    """Tell whether an element has a value beside its fields."""
    return len(root.parts) > 0 and not (<Part>root.parts[0]).named and (<Part>root.parts[0]).codec is not None


cdef bytes encoded_field(Arena tree, int32_t at, Part part, Py_ssize_t length):
    """Return the bytes of a field that a program changed or another format holds."""
    if tree.elements[at].first and tree.elements[at].kind == 0:
        raise error(8130, f"field {part.name} holds fields, but the model says a value", field=part.name)
    try:
        return encode_coded(part.codec, tree.value(at), length)
    except MQError as problem:
        raise error(problem.reason, f"field {part.name or '(value)'}: {problem.detail}", field=part.name) from problem


cdef bytes absent_field(Part part, Py_ssize_t length):
    """Return what stands for a field that is not there: its default, or NULL; None if it has neither."""
    try:
        if part.has_default:
            return encode_coded(part.codec, part.default, length)
        if part.codec.null_kind != NULL_NEVER:
            return part.codec.encode_null(length)
    except MQError as problem:
        raise error(problem.reason, f"default of field {part.name}: {problem.detail}", field=part.name) from problem
    return None
