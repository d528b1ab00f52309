# cython: language_level=3, boundscheck=False, wraparound=False
"""Runs of siblings: the siblings of a tree that a group of a model is written from, and which part each
belongs to.

The search for a field starts after the last one, so that a tree in the order of the model is passed once. If
several parts have the same name, they share the elements of that name in the order of the model: a part
leaves the elements after one of a later part, and the minimum that later parts need. An element keeps its
part only if its tag determined it. Writers of records and of tagged text use this; nothing here writes.
"""

from libc.stdint cimport INT32_MAX, int64_t, uint32_t

from penstock.tree.core._element cimport NONE
from penstock.tree.model._part cimport ALL, BESIDE_SHARED, CHOICE, SEQUENCE, SHARED, is_alternative


cdef int note_sharing(Part owner) except -1:
    """Record which parts of one level have the same name, recursively."""
    cdef Part part
    cdef dict named = {}
    cdef list level = []
    collect(owner, level, named)
    for fields in named.values():
        if len(fields) > 1 and not is_one_of(fields):
            for part in level:
                part.sharing = part.sharing or BESIDE_SHARED
            note_shared(owner, fields)
    for part in level:
        if part.named and part.codec is None:
            note_sharing(part)
    return 0


cdef int collect(Part group, list level, dict named) except -1:
    """Collect the parts of one level: those of a group, and of unnamed groups in it."""
    cdef Part part
    for part in group.parts:
        level.append(part)
        if part.named:
            named.setdefault(part.name_id, []).append(part)
        elif part.codec is None:
            collect(part, level, named)
    return 0


cdef bint is_one_of(list fields):
    """Return whether at most one of these fields of the same name can occur: the others are in other alternatives."""
    cdef Part first, second
    for i, first in enumerate(fields):
        for second in fields[i + 1:]:
            if not are_alternatives(first, second):
                return False
    return True


cdef bint are_alternatives(Part first, Part second):
    cdef Part part = second
    around = set()
    while first is not None:
        around.add(first)
        first = first.around
    while part.around not in around:
        part = part.around
    return part.around.compose == CHOICE and part.around.most == 1


cdef int note_shared(Part owner, list fields) except -1:
    """Mark fields of one name, and the groups that hold some but not all of them."""
    cdef Part part, group
    cdef dict held = {}
    for part in fields:
        part.sharing = SHARED
        group = part.around
        while group is not owner:
            held[group] = held.get(group, 0) + 1
            group = group.around
    for group, count in held.items():
        if count < len(fields):
            group.sharing = SHARED
    return 0


cdef SiblingRun sibling_run(int32_t above, int32_t first, int32_t end) noexcept:
    """Return the siblings from one up to, but not including, another."""
    cdef SiblingRun siblings
    siblings.above = above
    siblings.first = siblings.at = first
    siblings.end = siblings.stop = end
    siblings.ahead = -1
    return siblings


cdef SiblingRun children_of(Arena tree, int32_t above) noexcept:
    """Return all children of an element."""
    return sibling_run(above, tree.elements[above].first, NONE)


cdef SiblingRun nothing() noexcept:
    """Return an empty run, for a missing group."""
    return sibling_run(-1, NONE, NONE)


cdef int32_t next_field(Arena tree, SiblingRun *siblings, Part part, bint again) noexcept:
    """Return the element that a field is written from, and skip it; 0 if there is none.

    It is the next one of its name, or the first if none follows, or if it repeats; if other parts have the
    same name, only the next. `again` looks for a further occurrence. A field without a name is the value of
    its parent.
    """
    cdef int32_t at = NONE
    cdef bint anywhere = not again and (part.sharing != SHARED or is_told_apart(tree, siblings, part))
    if not part.named:
        return siblings.above if not again and siblings.above > 0 and tree.elements[siblings.above].kind else NONE
    if not again:
        begin_part(tree, siblings, part)
    if not anywhere or part.most == 1:
        at = find_field(tree, siblings.at, siblings.stop, part)
    if at and part.sharing == BESIDE_SHARED and passes_later(tree, siblings, part, at):
        return_later(siblings, part)
    if at == NONE and anywhere:
        at = find_field(tree, siblings.first, siblings.at, part)
        if at:
            return_later(siblings, part)
        elif part.most != 1:
            at = find_field(tree, siblings.at, siblings.stop, part)
    if at:
        siblings.at = tree.elements[at].next
    return at


cdef int32_t find_named(Arena tree, int32_t at, int32_t end, Part part) noexcept:
    """Return the first element with a part's name, starting at one; 0 if there is none before the end."""
    cdef uint32_t name = tree.own_id(part.name_id)
    while at and at != end:
        if tree.elements[at].name == name:
            return at
        at = tree.elements[at].next
    return NONE


cdef int32_t find_field(Arena tree, int32_t at, int32_t end, Part part) noexcept:
    """Return the first element that may be a part's, starting at one; 0 if there is none before the end."""
    at = find_named(tree, at, end, part)
    while at and is_others(tree, at, part):
        at = find_named(tree, tree.elements[at].next, end, part)
    return at


cdef int note_shared_origin(Arena tree, int32_t at, Part part) except -1:
    """Record the part that a tag determines for an element, if other parts have its name."""
    if part.sharing == SHARED and part.named:
        tree.note_origin(at, part)
    return 0


cdef bint is_others(Arena tree, int32_t at, Part part) noexcept:
    """Return whether an element was parsed as another part of the same level."""
    if tree.origins is None or part.sharing != SHARED:
        return False
    origin = tree.origin_of(at)
    return isinstance(origin, Part) and origin is not part and owner_of(<Part>origin) is owner_of(part)


cdef Part owner_of(Part part):
    """Return the part whose element is the parent of a part's elements."""
    part = part.around
    while part is not None and part.around is not None and not part.named:
        part = part.around
    return part


cdef bint is_told_apart(Arena tree, SiblingRun *siblings, Part part) noexcept:
    """Return whether the part is known for every element with a part's name."""
    cdef int32_t at
    if tree.origins is None:
        return False
    at = find_named(tree, siblings.first, siblings.end, part)
    while at and (tree.origin_of(at) is part or is_others(tree, at, part)):
        at = find_named(tree, tree.elements[at].next, siblings.end, part)
    return at == NONE


cdef int begin_part(Arena tree, SiblingRun *siblings, Part part) noexcept:
    """Set the range that is searched for a part: everything that follows, except what other parts of its name
    claim.
    """
    begin_loose(siblings)
    siblings.stop = siblings.end
    if part.sharing == SHARED and not (part.named and is_told_apart(tree, siblings, part)):
        siblings.stop = end_of_claim(tree, siblings, part)
    return 0


cdef inline void return_later(SiblingRun *siblings, Part part) noexcept:
    """Remember to resume here after a part that is elsewhere, if names alone do not identify parts."""
    if part.sharing and siblings.ahead < 0:
        siblings.ahead = siblings.at


cdef bint passes_later(Arena tree, SiblingRun *siblings, Part part, int32_t found) noexcept:
    """Return whether there are elements of later parts before the one found."""
    cdef int32_t at = siblings.at
    while at != found:
        if stands_behind(tree, at, part):
            return True
        at = tree.elements[at].next
    return False


cdef int32_t first_of(Arena tree, SiblingRun *siblings, Part group) noexcept:
    """Return the first element of an unnamed group that shares names with other parts; 0 if there is none."""
    begin_part(tree, siblings, group)
    return find_of(tree, siblings.at, siblings.stop, group)


cdef int32_t end_of_claim(Arena tree, SiblingRun *siblings, Part part) noexcept:
    """Return the first element that a part leaves to others of its name."""
    cdef bint wanted = is_needed(part)
    cdef int32_t at = siblings.at, found = NONE
    while at and at != siblings.end:
        if belongs(tree, at, part):
            found = at
        elif (found or not wanted) and stands_behind(tree, at, part):
            break
        at = tree.elements[at].next
    return end_of_share(tree, siblings, part, part, at)


cdef inline bint is_needed(Part part) noexcept:
    return part.least > 0 and not part.spare and part.around.compose != CHOICE


cdef bint stands_behind(Arena tree, int32_t at, Part part) noexcept:
    """Return whether an element belongs to a later part of the model."""
    cdef Part other
    cdef Part around = part.around
    cdef bint behind
    while around is not None:
        behind = False
        for other in around.parts:
            if behind and around.compose == SEQUENCE and belongs(tree, at, other):
                return True
            behind = behind or other is part
        if around.named or around.most != 1:
            break
        part, around = around, around.around
    return False


cdef int32_t end_of_share(Arena tree, SiblingRun *siblings, Part part, Part done, int32_t stop) noexcept:
    """Return the end of a part that leaves later parts the minimum of its names that they need."""
    cdef Part inner
    cdef int64_t share
    cdef int32_t at
    if not part.named:
        for inner in part.parts:
            stop = end_of_share(tree, siblings, inner, done, stop)
        return stop
    share = -least_behind(done, part)
    if share == 0:
        return stop
    at = find_named(tree, siblings.at, siblings.end, part)
    while at:
        share += 1
        at = find_named(tree, tree.elements[at].next, siblings.end, part)
    if part is done and is_needed(part):
        share = max(share, part.least)
    at = find_named(tree, siblings.at, stop, part)
    while at and share > 0:
        share -= 1
        at = find_named(tree, tree.elements[at].next, stop, part)
    return at if at else stop


cdef int64_t least_behind(Part part, Part field) noexcept:
    """Return how many elements of a field's name later parts need."""
    cdef Part other
    cdef Part around = part.around
    cdef int64_t least = 0
    cdef bint behind
    while around is not None:
        behind = False
        for other in around.parts:
            if behind and around.compose == SEQUENCE:
                least += least_in(other, field)
            behind = behind or other is part
        if around.named or around.most != 1:
            break
        part, around = around, around.around
    return least


cdef int64_t least_in(Part part, Part field) noexcept:
    cdef Part inner
    cdef int64_t least = 0
    if part.named:
        return part.least if part.name_id == field.name_id and not part.spare else 0
    if part.compose == CHOICE:
        return 0
    for inner in part.parts:
        least += least_in(inner, field)
    return min(least * part.least, INT32_MAX)


cdef bint has_too_many(Arena tree, SiblingRun *siblings, Part part) noexcept:
    """Return whether more elements of a completed part follow than later parts can take."""
    return has_too_many_of(tree, siblings, part, part)


cdef bint has_too_many_of(Arena tree, SiblingRun *siblings, Part part, Part done) noexcept:
    """The same for one field, or the fields of a group, in a completed part."""
    cdef Part inner
    cdef int64_t room
    cdef int32_t at
    if not part.named:
        for inner in part.parts:
            if has_too_many_of(tree, siblings, inner, done):
                return True
        return False
    at = find_field(tree, siblings.at, siblings.end, part)
    room = room_behind(done, part) if at else 0
    while at and room > 0:
        if tree.origin_of(at) is part:
            return True
        at = find_field(tree, tree.elements[at].next, siblings.end, part)
        room -= 1
    return at != NONE and room == 0


cdef int64_t room_behind(Part part, Part field) noexcept:
    """Return how many elements of a field's name later parts can take, -1 without a limit."""
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
        return 0 if part.name_id != field.name_id else -1 if part.loose else part.most
    for inner in part.parts:
        more = room_in(inner, field)
        if more < 0:
            return -1
        room = min(room + more, INT32_MAX)
    if part.most < 0:
        return -1 if room else 0
    return min(room * part.most, INT32_MAX)


cdef int32_t begin_loose(SiblingRun *siblings) noexcept:
    """Return the first element that other parts of its name have left."""
    if siblings.ahead >= 0:
        siblings.at = siblings.ahead
        siblings.ahead = -1
    return siblings.at


cdef Part loose_part(Arena tree, int32_t at, Part group, int loose):
    """Return the part of an element among those that repeat together; None if it is not one of them."""
    cdef Part part
    for part in group.parts:
        if part.loose == loose and belongs(tree, at, part):
            return part
    return None


cdef bint is_later(Arena tree, int32_t at, Part group, int loose) noexcept:
    """Return whether an element belongs to a part after those that repeat together."""
    cdef Part part
    cdef bint behind = False
    for part in group.parts:
        if part.loose == loose:
            behind = True
        elif behind and belongs(tree, at, part):
            return True
    return False


cdef list untold_parts(Arena tree, SiblingRun *siblings, Part group, int loose):
    """Return the parts that repeat together whose elements only their order distinguishes from others of the
    name.
    """
    cdef Part part
    cdef list found = []
    for part in group.parts:
        if part.loose == loose and has_namesake(part, group) and not is_told_apart(tree, siblings, part):
            found.append(part)
    return found


cdef bint has_namesake(Part part, Part group) noexcept:
    """Return whether a part has the name of another that does not repeat together with it."""
    cdef Part other
    if part.sharing == SHARED:
        for other in group.parts:
            if other.loose != part.loose and room_in(other, part) != 0:
                return True
    return False


cdef int32_t end_of_loose(Arena tree, SiblingRun *siblings, Part group, int loose, list untold) except -1:
    """Return the first element that parts which repeat together leave to others of their names."""
    cdef Part part
    cdef Part last = None
    cdef int32_t at = siblings.at
    cdef bint begun = False
    if not untold or group.compose != SEQUENCE:
        return siblings.end
    for part in group.parts:
        last = part if part.loose == loose else last
    while at and at != siblings.end:
        if loose_part(tree, at, group, loose) is not None:
            begun = True
        elif begun and is_later(tree, at, group, loose):
            break
        at = tree.elements[at].next
    for part in untold:
        at = end_of_share(tree, siblings, part, last, at)
    return at


cdef bint holds_any(Arena tree, SiblingRun *siblings, Part part) noexcept:
    """Return whether there is an element for a part, or for any part of an unnamed group."""
    return find_of(tree, siblings.first, siblings.end, part) != NONE


cdef int32_t find_of(Arena tree, int32_t at, int32_t end, Part part) noexcept:
    """Return the first element, starting at one, that belongs to a part or to an unnamed group."""
    while at and at != end:
        if belongs(tree, at, part):
            return at
        at = tree.elements[at].next
    return NONE


cdef bint belongs(Arena tree, int32_t at, Part part) noexcept:
    cdef Part inner
    if part.named:
        return tree.elements[at].name == tree.own_id(part.name_id) and not is_others(tree, at, part)
    for inner in part.parts:
        if belongs(tree, at, inner):
            return True
    return False


cdef bint group_follows(Arena tree, SiblingRun *siblings, Part group, bint again) noexcept:
    """Return whether a repeating unnamed group occurs again; the first occurrence may be anywhere."""
    if not again:
        begin_part(tree, siblings, group)
        if group.sharing != SHARED and find_of(tree, siblings.first, siblings.at, group):
            return_later(siblings, group)
            siblings.at = siblings.first
    return find_of(tree, siblings.at, siblings.stop, group) != NONE


cdef SiblingRun next_group(Arena tree, SiblingRun *siblings, Part group) except *:
    """Return the elements of the next occurrence of an unnamed group, and go past them.

    Elements that the group does not contain are skipped, so an occurrence ends where its first field occurs
    again.
    """
    cdef int32_t first = find_of(tree, siblings.at, siblings.stop, group)
    siblings.at = past_group(tree, first, siblings.stop, group, group)
    return sibling_run(siblings.above, first, siblings.at)


cdef int32_t past_group(Arena tree, int32_t at, int32_t end, Part group, Part outer) except -1:
    """Return the element after one occurrence of a group that begins here."""
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
    """Return the element after one occurrence of a group whose fields are in any order."""
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
    """Return the element after all occurrences of a part from here on; `done` counts them."""
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
    """Return the next element that belongs to a group; this one if none does."""
    cdef int32_t found = find_of(tree, at, end, group)
    return found if found else at
