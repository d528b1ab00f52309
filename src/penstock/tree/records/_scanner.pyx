# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The scanner of fixed structures: from a plan and a record to elements, without decoding values.

Only fields that a length, a count or a choice depends on are decoded at once. Recursion follows the model,
whose depth is limited when it is compiled, never the input. Every length is checked before it is used; an
error names the field and the offset.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr

from decimal import Decimal

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.records._domain cimport COMPUTED, CwfPart, FIXED, PREFIXED, REFERRED, TERMINATED, TO_END
from penstock.tree.model._part cimport CHOICE, Mark, add_folder, add_leaf, mark_of, roll_back
from penstock.tree.model._scanned_element cimport new_scanned_element
from penstock.tree.core._template cimport Template, template_of

cdef struct Record:
    const char *start
    const char *end
    PyObject *checking  # the tests of this message, borrowed; NULL if the model has none
    int32_t folder


cdef int fail(Record *x, str what, const char *at) except -1:
    raise error(mq.PSRC_PARSE_ERROR, f"offset {at - x.start}: {what}", offset=at - x.start)


cdef int scan_cwf(CwfPlan plan, Arena tree, int32_t folder) except -1:
    """Scan the source of a tree below its folder."""
    cdef Record x
    cdef list slots = [None] * plan.slots if plan.slots else None
    cdef int32_t base = tree.count
    cdef Py_ssize_t length = PyBytes_GET_SIZE(tree.source)
    x.start = PyBytes_AS_STRING(tree.source)
    x.end = x.start + length
    if plan.template is not None and length == plan.template_length and plan.template.fits(tree, folder):
        return stamp_record(plan.template, tree, folder, x.start)
    cdef object checking = plan.checker() if plan.checker is not None else None
    x.checking = NULL if checking is None else <PyObject *>checking
    x.folder = folder
    if plan.root.checks is not None:
        checking.enter(plan.root.checks, new_scanned_element(tree, folder, folder), tree.source, 0)
    cdef const char *p = scan_group(&x, tree, folder, plan.root, x.start, slots)
    if plan.root.checks is not None:
        checking.leave(plan.root.checks, new_scanned_element(tree, folder, folder), tree.source, 0)
    if p != x.end:
        why = "" if checking is None else checking.untaken()
        raise error(mq.PSRC_PARSE_ERROR, f"offset {p - x.start}: {x.end - p} bytes are left over after the last field{why}",
                    offset=p - x.start, left_over=x.end - p)
    if plan.same:
        keep_template(plan, tree, folder, base)
    return 0


cdef int keep_template(CwfPlan plan, Arena tree, int32_t folder, int32_t base) except -1:
    """Use the elements of this message as the template for messages of this length; only the last length is
    kept.
    """
    cdef int32_t i
    plan.template = template_of(tree, folder, base)
    plan.template_length = PyBytes_GET_SIZE(tree.source)
    if plan.template is None:
        return 0
    for i in range(plan.template.count):
        if plan.template.elements[i].kind:
            plan.template.elements[i].raw -= <Py_ssize_t>PyBytes_AS_STRING(tree.source)
    return 0


cdef int stamp_record(Template template, Arena tree, int32_t folder, const char *start) except -1:
    """Copy the template, with the values of this record."""
    cdef int32_t at = template.stamp(tree, folder)
    while at < tree.count:
        if tree.elements[at].kind:
            tree.elements[at].raw = start + <Py_ssize_t>tree.elements[at].raw
        at += 1
    return 0


cdef const char *scan_group(Record *x, Arena tree, int32_t above, CwfPart group, const char *p,
                            list slots) except NULL:
    cdef CwfPart part
    cdef const char *start = p
    if group.compose == CHOICE:
        p = scan_choice(x, tree, above, group, p, slots)
        if group.length:
            p = passed(x, group, start, group.length)
        return p
    for part in group.parts:
        if part.repeat_kind == FIXED and part.count == 1:
            if p == x.end and part.least == 0:
                continue
            if part.uncertain and part.least == 0:
                p = attempt(x, tree, above, part, p, slots)
                continue
            p = scan_once(x, tree, above, part, p, slots)
        else:
            p = scan_repeated(x, tree, above, part, p, slots)
    return p


cdef const char *scan_repeated(Record *x, Arena tree, int32_t above, CwfPart part, const char *p,
                               list slots) except NULL:
    cdef int64_t done = 0
    cdef int64_t count = part.count
    cdef const char *before
    cdef int32_t made
    cdef bint is_told = part.repeat_kind == REFERRED or part.repeat_kind == COMPUTED
    if is_told:
        count = (referred(x, part, part.count_slot, p, slots) if part.repeat_kind == REFERRED
                 else computed(x, tree, above, part, p))
        if part.most >= 0 and count > part.most or count < part.least:
            fail(x, f"field {part.name} occurs {part.least} to {part.most} times, not {count}", p)
    elif part.repeat_kind == TO_END:
        count = part.most
    while count < 0 or done < count:
        if p == x.end and (part.repeat_kind == TO_END or done >= part.least) and not is_told:
            break
        before, made = p, tree.count
        if part.uncertain and done >= part.least and not is_told:
            p = attempt(x, tree, above, part, p, slots)
            if p == before:
                break
        else:
            p = scan_once(x, tree, above, part, p, slots)
        if p == before and count < 0:
            fail(x, f"field {part.name} repeats to the end, but takes no bytes", p)
        if p == before and tree.count == made:
            break  # no bytes of this group exist, nor of the following occurrences, whatever their count
        done += 1
    return p


cdef int64_t referred(Record *x, CwfPart part, int slot, const char *p, list slots) except -1:
    """Return the number in the field that a length or a count depends on."""
    number = slots[slot]
    if type(number) is not int:
        number = int(number) if isinstance(number, (float, Decimal)) and number % 1 == 0 else -1
    if not 0 <= number <= 0x7FFFFFFF:
        fail(x, f"field {part.name} depends on a field whose value is {slots[slot]!r}", p)
    return number


cdef int64_t computed(Record *x, Arena tree, int32_t above, CwfPart part, const char *p) except -1:
    """Return the number of occurrences that an expression over earlier fields gives."""
    cdef object checking = <object>x.checking
    return checking.occurrences(part.counted, new_scanned_element(tree, above, x.folder), tree.source, p - x.start)


cdef const char *passed(Record *x, CwfPart part, const char *p, int64_t length) except NULL:
    if x.end - p < length:
        fail(x, f"field {part.name or '(group)'} takes {length} bytes, but {x.end - p} are left", p)
    return p + length


cdef const char *attempt(Record *x, Arena tree, int32_t above, CwfPart part, const char *p, list slots) except NULL:
    """Scan an optional occurrence; stay here if it fails before a discriminator has decided."""
    cdef Mark mark = mark_of(tree, above)
    cdef object checking = <object>x.checking
    cdef object outer = checking.begin()
    try:
        return scan_once(x, tree, above, part, p, slots)
    except MQError as failure:
        if not checking.may_return(failure, outer):
            raise
        roll_back(tree, above, mark)
        return p
    finally:
        checking.end(outer)


cdef const char *scan_once(Record *x, Arena tree, int32_t above, CwfPart part, const char *p,
                           list slots) except NULL:
    """Scan one occurrence, and run its tests."""
    cdef const char *end
    cdef int32_t before = tree.count
    cdef object checking
    if part.checks is None:
        return scan_untested(x, tree, above, part, p, slots)
    checking = <object>x.checking
    checking.enter(part.checks, new_scanned_element(tree, above, x.folder), tree.source, p - x.start)
    end = scan_untested(x, tree, above, part, p, slots)
    checking.leave(part.checks, new_scanned_element(tree, before if part.named else above, x.folder), tree.source, p - x.start)
    return end


cdef const char *scan_untested(Record *x, Arena tree, int32_t above, CwfPart part, const char *p,
                               list slots) except NULL:
    cdef int32_t at
    cdef int64_t length
    if part.align > 1 and (p - x.start) % part.align:
        p = passed(x, part, p, part.align - (p - x.start) % part.align)
    if part.lead:
        p = passed(x, part, p, part.lead)
    if part.codec is None:
        p = scan_group(x, tree, add_folder(tree, above, part) if part.named else above, part, p, slots)
    elif part.length_kind == FIXED:
        length = part.length
        if x.end - p < length:
            passed(x, part, p, length)
        at = add_leaf(tree, above, part, p, length)
        p += part.whole if part.bits else length
        if part.slot >= 0:
            slots[part.slot] = tree.value(at)
    else:
        p = scan_variable(x, tree, above, part, p, slots)
    return passed(x, part, p, part.trail) if part.trail else p


cdef const char *scan_variable(Record *x, Arena tree, int32_t above, CwfPart part, const char *p,
                               list slots) except NULL:
    """Scan a field whose length is in the record."""
    cdef int64_t length = 0
    cdef const char *after = NULL
    cdef const char *data
    cdef int i
    cdef int32_t at
    if part.length_kind == PREFIXED:
        data = p
        p = passed(x, part, p, part.prefix)
        for i in range(part.prefix):
            if part.zero:
                if not part.zero <= <uint8_t>data[i] <= part.zero + 9:
                    fail(x, f"field {part.name}: its length is not {part.prefix} digits", data)
                length = 10 * length + <uint8_t>data[i] - part.zero
                continue
            length = length << 8 | <uint8_t>data[part.prefix - 1 - i if part.little else i]
        length *= part.unit
    elif part.length_kind == REFERRED:
        length = referred(x, part, part.length_slot, p, slots) * part.unit
    elif part.length_kind == TERMINATED:
        after = zero_after(p, x.end, part.unit)
        if after == NULL:
            fail(x, f"field {part.name} has no zero byte at its end", p)
        length = after - p
    else:
        length = x.end - p
    after = passed(x, part, p, length)
    at = add_leaf(tree, above, part, p, length)
    if part.slot >= 0:
        slots[part.slot] = tree.value(at)
    return after + part.unit if part.length_kind == TERMINATED else after


cdef const char *zero_after(const char *p, const char *end, int unit) noexcept:
    """Return the position of the zero character at the end of a string, of one or two bytes."""
    if unit == 1:
        return <const char *>memchr(p, 0, end - p)
    while end - p >= unit:
        if p[0] == 0 and p[1] == 0:
            return p
        p += unit
    return NULL


cdef const char *scan_choice(Record *x, Arena tree, int32_t above, CwfPart group, const char *p,
                             list slots) except NULL:
    """Scan the alternative that an earlier field selects; without one the first that fits."""
    cdef CwfPart part
    cdef Mark mark
    cdef object problem = None
    cdef object checking = None if x.checking == NULL else <object>x.checking
    cdef object outer = None
    for part in group.parts:
        if part.when is not None:
            if slots[part.when_slot] in part.when:
                return scan_repeated(x, tree, above, part, p, slots)
            continue
        mark = mark_of(tree, above)
        if checking is not None:
            outer = checking.begin()
        try:
            return scan_repeated(x, tree, above, part, p, slots)
        except MQError as failure:
            if failure.reason != mq.PSRC_PARSE_ERROR or (checking is not None and not checking.may_return(failure, outer)):
                raise
            problem = problem or failure
            roll_back(tree, above, mark)
        finally:
            if checking is not None:
                checking.end(outer)
    if problem is not None:
        raise problem
    fail(x, f"none of {', '.join([each.name for each in group.parts])} is chosen by the fields before", p)
