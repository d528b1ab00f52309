# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The writer of fixed structures: elements in the order of the plan, unchanged values as bytes.

Unknown elements are left out, as MRM does. A missing field is written as its default or as NULL; without
either it is an error, because everything after it would be misplaced. Fields that hold a count or a length
are set to the values actually written.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t
from libc.string cimport memcpy, memset

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model._codec cimport encode_coded
from penstock.tree.records._domain cimport CwfPart, FIXED, PREFIXED, REFERRED, TERMINATED
from penstock.tree.core._element cimport NONE
from penstock.tree.core._output cimport put, written
from penstock.tree.model._part cimport CHOICE, SHARED, UNSHARED, absent_field, encoded_field, is_raw, put_scalar
from penstock.tree.model._sibling_run cimport (
    SiblingRun, belongs, children_of, first_of, group_follows, has_too_many, holds_any, is_next, next_field, next_group, nothing,
)

cdef class Writing:
    """One record being written."""

    cdef OutputBuffer out
    cdef Arena tree
    cdef Py_ssize_t start  # of the record in the output
    cdef list slots  # of fields that a count or a length is patched into: (offset, part)
    cdef str omitted  # an optional field that was left out: nothing may follow it


cdef Py_ssize_t offset_of(Writing x) noexcept:
    return written(x.out) - x.start


cdef int write_cwf(CwfPlan plan, Arena tree, int32_t folder, OutputBuffer out) except -1:
    """Write the contents of a folder."""
    cdef Writing x = Writing.__new__(Writing)
    cdef SiblingRun siblings = children_of(tree, folder)
    x.out = out
    x.tree = tree
    x.start = written(out)
    x.slots = [None] * plan.slots if plan.slots else None
    return write_group(x, &siblings, plan.root)


cdef int fill(Writing x, Py_ssize_t length, int byte) except -1:
    if x.out.end - x.out.at < length:
        x.out.make_room(length)
    memset(x.out.at, byte, length)
    x.out.at += length
    return 0


cdef int write_group(Writing x, SiblingRun *siblings, CwfPart group) except -1:
    cdef CwfPart part
    cdef Py_ssize_t start = offset_of(x)
    if group.compose != CHOICE:
        for part in group.parts:
            if part.plain and x.omitted is None and is_next(x.tree, siblings, part):
                write_plain(x, siblings.at, part)
                siblings.at = x.tree.elements[siblings.at].next
            else:
                write_part(x, siblings, part)
        return 0
    write_part(x, siblings, chosen(x.tree, siblings, group))
    cdef Py_ssize_t length = offset_of(x) - start
    if group.length and length < group.length:
        fill(x, group.length - length, group.fill)
    return 0


cdef inline int write_plain(Writing x, int32_t at, CwfPart part) except -1:
    """Write a field that is only a value of fixed length."""
    cdef bytes data
    if is_raw(x.tree, at, part.codec) and x.tree.elements[at].raw_length == <unsigned int>part.length:
        return put(x.out, x.tree.elements[at].raw, part.length)
    if put_scalar(x.tree, at, part.codec, x.out, part.length):
        return 0
    data = encoded_field(x.tree, at, part, part.length)
    return put(x.out, PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


cdef CwfPart chosen(Arena tree, SiblingRun *siblings, CwfPart group):
    """Return the alternative that the tree has; the first if it has none."""
    cdef CwfPart part
    cdef int32_t at = first_of(tree, siblings, group) if group.sharing == SHARED else NONE
    for part in group.parts:
        if group.sharing != SHARED and holds_any(tree, siblings, part):
            return part
        if at and belongs(tree, at, part):
            return part
    return group.parts[0]


cdef int write_part(Writing x, SiblingRun *siblings, CwfPart part) except -1:
    """Write every occurrence of a part."""
    cdef int64_t done = 0
    cdef Py_ssize_t before
    if part.codec is None and not part.named and part.repeat_kind == FIXED and part.count == 1:
        return write_anonymous(x, siblings, part)
    while (part.repeat_kind != FIXED or done < part.count) and write_next(x, siblings, part, done > 0):
        done += 1
    if part.repeat_kind == FIXED:
        if done == part.count and part.count > 1 and has_too_many(x.tree, siblings, part):
            raise error(mq.PSRC_SERIALISE_ERROR, f"{said(part)} occurs more than {part.count} times", field=part.name)
        while done < part.count and not (part.uncertain and done >= part.least):
            before = offset_of(x)
            write_absent(x, part)
            if offset_of(x) == before:
                break  # it has no representation, nor have the others
            done += 1
        return 0
    if done < part.least or done > part.most >= 0:
        raise error(mq.PSRC_SERIALISE_ERROR, f"{said(part)} occurs {done} times, not {part.least} to {part.most}", field=part.name)
    if part.repeat_kind == REFERRED:
        patch(x, part, part.count_slot, done)
    return 0


cdef str said(CwfPart part):
    """Return the name of a part in errors."""
    return f"field {part.name}" if part.named else "a group" if part.codec is None else "the value of an element"


cdef bint write_next(Writing x, SiblingRun *siblings, CwfPart part, bint again) except -1:
    """Write the next occurrence; False if there is none."""
    cdef int32_t at
    cdef SiblingRun inner
    if part.codec is None and not part.named:
        if not group_follows(x.tree, siblings, part, again):
            return False
        inner = next_group(x.tree, siblings, part)
        write_anonymous(x, &inner, part)
        return True
    at = next_field(x.tree, siblings, part, again)
    if at == NONE:
        return False
    write_once(x, at, part)
    return True


cdef int write_anonymous(Writing x, SiblingRun *siblings, CwfPart part) except -1:
    """Write an unnamed group, whose elements are among those of the enclosing group."""
    begin_field(x, part)
    write_group(x, siblings, part)
    return fill(x, part.trail, part.fill) if part.trail else 0


cdef int begin_field(Writing x, CwfPart part) except -1:
    if x.omitted is not None:
        raise error(mq.PSRC_SERIALISE_ERROR, f"field {x.omitted} is missing, has no default, and {part.name or 'a group'} follows it",
                    field=x.omitted)
    cdef Py_ssize_t offset = offset_of(x)
    if part.align > 1 and offset % part.align:
        fill(x, part.align - offset % part.align, part.fill)
    return fill(x, part.lead, part.fill) if part.lead else 0


cdef int write_once(Writing x, int32_t at, CwfPart part) except -1:
    cdef bytes data
    cdef SiblingRun inner
    begin_field(x, part)
    if part.codec is None:
        inner = children_of(x.tree, at)
        write_group(x, &inner, part)
    elif not part.bits and is_raw(x.tree, at, part.codec) and (part.length_kind != FIXED
                                             or x.tree.elements[at].raw_length == <unsigned int>part.length):
        put_field(x, part, x.tree.elements[at].raw, x.tree.elements[at].raw_length)
    else:
        data = encoded_field(x.tree, at, part, part.length if part.length_kind == FIXED else -1)
        put_field(x, part, PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))
    return fill(x, part.trail, part.fill) if part.trail else 0


cdef int write_absent(Writing x, CwfPart part) except -1:
    cdef bytes data
    cdef SiblingRun none = nothing()
    if part.codec is None:
        if part.least == 0 and not can_default(part):
            x.omitted = x.omitted or part.name or "(group)"
            return 0
        begin_field(x, part)
        write_group(x, &none, part)
    else:
        data = absent_field(part, part.length if part.length_kind == FIXED else -1)
        if data is None:
            if part.least == 0:
                x.omitted = x.omitted or part.name or "(group)"
                return 0
            raise error(mq.PSRC_SERIALISE_ERROR, f"{said(part)} is missing and has no default", field=part.name)
        begin_field(x, part)
        put_field(x, part, PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))
    return fill(x, part.trail, part.fill) if part.trail else 0


cdef bint can_default(CwfPart group):
    """Return whether everything in a missing group has a default."""
    cdef CwfPart part
    if group.compose == CHOICE:
        return can_default(group.parts[0]) if group.parts[0].codec is None else group.parts[0].has_default
    for part in group.parts:
        if not (can_default(part) if part.codec is None else part.has_default or part.codec.null_kind):
            return False
    return True


cdef int put_field(Writing x, CwfPart part, const char *raw, Py_ssize_t length) except -1:
    """Write a value with its length prefix."""
    cdef int i
    cdef Py_ssize_t units = length // part.unit
    if part.slot >= 0:
        x.slots[part.slot] = (offset_of(x), part)
    if part.bits:
        return put_bits(x, part, raw, length)
    if part.length_kind == PREFIXED and part.zero:
        put_digits(x, part, units)
    elif part.length_kind == PREFIXED:
        if units >> (8 * part.prefix):
            raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name}: {length} bytes are too long for a length in {part.prefix} bytes",
                        field=part.name)
        if x.out.end - x.out.at < part.prefix:
            x.out.make_room(part.prefix)
        for i in range(part.prefix):
            x.out.at[i if part.little else part.prefix - 1 - i] = <char>(units >> (8 * i) & 0xFF)
        x.out.at += part.prefix
    put(x.out, raw, length)
    if part.length_kind == TERMINATED:
        return fill(x, part.unit, 0)
    if part.length_kind == REFERRED:
        patch(x, part, part.length_slot, units)
    return 0


cdef int put_digits(Writing x, CwfPart part, Py_ssize_t units) except -1:
    """Write a length as digits."""
    cdef int i
    if units >= 10 ** part.prefix:
        raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name}: {units} is too long for a length of {part.prefix} digits",
                    field=part.name)
    if x.out.end - x.out.at < part.prefix:
        x.out.make_room(part.prefix)
    for i in range(part.prefix - 1, -1, -1):
        x.out.at[i] = <char>(part.zero + units % 10)
        units //= 10
    x.out.at += part.prefix
    return 0


cdef int put_bits(Writing x, CwfPart part, const char *raw, Py_ssize_t length) except -1:
    """Write bits behind those of the field before, which began the byte."""
    if part.bit_at:
        x.out.at[-1] |= raw[0]
        return put(x.out, raw + 1, length - 1) if length > 1 else 0
    return put(x.out, raw, length)


cdef int patch(Writing x, CwfPart part, int slot, int64_t number) except -1:
    """Set the field that holds a count or a length to what was written."""
    cdef CwfPart counter
    cdef Py_ssize_t offset
    cdef bytes data
    if x.slots[slot] is None:
        raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name} depends on a field that was not written before it", field=part.name)
    offset, counter = x.slots[slot]
    data = encode_coded(counter.codec, number, counter.length)
    memcpy(x.out.at - offset_of(x) + offset, PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))
    return 0
