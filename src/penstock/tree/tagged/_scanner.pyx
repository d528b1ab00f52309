# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The scanner of tagged and delimited text: from a plan and a text to elements, without decoding values.

Each separation kind has its function. A tag is first expected in the order of the model, then searched among
the others. Recursion follows the model, whose depth is limited, never the input; the time is linear in the
length of the text.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memchr, memcmp

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.model._codec cimport NULL_LITERAL
from penstock.tree.core._element cimport Element
from penstock.tree.model._part cimport CHOICE, Mark, add_folder, add_leaf, is_alternative, mark_of, roll_back
from penstock.tree.model._sibling_run cimport note_shared_origin
from penstock.tree.model._scanned_element cimport new_scanned_element
from penstock.tree.core._shapes cimport EMPTY
from penstock.tree.tagged._domain cimport (
    ALL_DELIMITED, DATA_PATTERN, FIXED_LENGTH, TAGGED_DELIMITED, TAGGED_ENCODED, TAGGED_FIXED, Stops, TdsPart,
    VARIABLE_DELIMITED, plain_end,
)
from penstock.tree.core._template cimport template_of
from penstock.tree.core._text cimport ps_ascii, ps_utf8_bad
from penstock.tree.core._text_source cimport utf8_source

from penstock.tree.core.parse_error import parse_error

cdef enum:
    LENGTH_DIGITS_MAX = 9
    LOOK_AHEAD = 4096  # no tag, separator or pattern at an end is longer

cdef class Text:
    """The text being scanned."""

    cdef Arena tree
    cdef bytes data
    cdef const char *start
    cdef const char *end
    cdef bint ascii
    cdef list slots
    cdef object checking  # the tests of this message, or None
    cdef int32_t folder
    cdef bint short  # something did not match, and might if the text continued


cdef int fail(Text x, str what, const char *at) except -1:
    raise parse_error(8101, what, x.data, at - x.start)


cdef int scan_tds(TdsPlan plan, Arena tree, int32_t folder) except -1:
    """Scan the source of a tree below its folder."""
    cdef Text x = Text.__new__(Text)
    cdef Py_ssize_t bad
    x.tree = tree
    x.data = utf8_source(tree)
    x.start = PyBytes_AS_STRING(x.data)
    x.end = x.start + PyBytes_GET_SIZE(x.data)
    x.ascii = ps_ascii(x.start, x.end - x.start)
    x.slots = [None] * plan.slots if plan.slots else None
    x.folder = folder
    x.checking = plan.checker() if plan.checker is not None else None
    if not x.ascii:
        bad = ps_utf8_bad(x.start, x.end - x.start, 0)
        if bad >= 0:
            fail(x, "not UTF-8; say the CCSID of the message", x.start + bad)
    cdef const char *p = scan_root(x, folder, plan.root)
    if p != x.end and not (starts(p, x.end, plan.root.delimiter)
                           and p + PyBytes_GET_SIZE(plan.root.delimiter) == x.end):
        raise parse_error(8101, f"the model allows nothing here{untaken(x)}", x.data, p - x.start,
                          left_over=x.end - p, sure=not x.short and x.end - p >= LOOK_AHEAD)
    return 0


cdef bint ran_short(Text x, object failure) except -1:
    """Return whether a failure may be due to the end of the text."""
    return failure.fields.get("offset", 0) >= x.end - x.start - LOOK_AHEAD


cdef const char *scan_root(Text x, int32_t folder, TdsPart root) except NULL:
    cdef const char *p
    if root.checks is None:
        return scan_group(x, folder, root, x.start)
    x.checking.enter(root.checks, new_scanned_element(x.tree, folder, folder), x.data, 0)
    p = scan_group(x, folder, root, x.start)
    x.checking.leave(root.checks, new_scanned_element(x.tree, folder, folder), x.data, 0)
    return p


cdef str untaken(Text x):
    """Return why the last optional occurrence was not taken."""
    return "" if x.checking is None else x.checking.untaken()


cdef inline bint starts(const char *p, const char *end, bytes text) noexcept:
    """Return whether a non-empty text is at this position."""
    cdef Py_ssize_t length = PyBytes_GET_SIZE(text)
    return length > 0 and end - p >= length and p[0] == PyBytes_AS_STRING(text)[0] \
        and memcmp(p, PyBytes_AS_STRING(text), length) == 0


cdef const char *expect(Text x, const char *p, bytes text, TdsPart group) except NULL:
    if PyBytes_GET_SIZE(text) == 0:
        return p
    if not starts(p, x.end, text):
        fail(x, f"{text.decode('utf-8', 'replace')!r} of {group.name or 'the message'} is missing", p)
    return p + PyBytes_GET_SIZE(text)


cdef const char *scan_group(Text x, int32_t above, TdsPart group, const char *p) except NULL:
    p = expect(x, p, group.indicator, group)
    if group.separation <= TAGGED_ENCODED:
        p = scan_tagged(x, above, group, p)
    elif group.compose == CHOICE:
        p = scan_choice(x, above, group, p)
    elif group.separation == FIXED_LENGTH:
        p = scan_fixed(x, above, group, p)
    elif group.separation == DATA_PATTERN:
        p = scan_patterns(x, above, group, p)
    else:
        p = scan_delimited(x, above, group, p)
    if PyBytes_GET_SIZE(group.terminator) and starts(p, x.end, group.delimiter) and \
            starts(p + PyBytes_GET_SIZE(group.delimiter), x.end, group.terminator):
        p += PyBytes_GET_SIZE(group.delimiter)
    return expect(x, p, group.terminator, group)


# Values


cdef const char *characters_on(Text x, const char *p, int64_t count, TdsPart part) except NULL:
    """Return the position a number of characters further on."""
    cdef const char *start = p
    if x.ascii:
        if x.end - p >= count:
            return p + count
    else:
        while count and p < x.end:
            p += 1
            while p < x.end and <uint8_t>p[0] & 0xC0 == 0x80:
                p += 1
            count -= 1
        if count == 0:
            return p
    x.short = True
    fail(x, f"field {part.name} takes more characters than are left", start)


cdef const char *value_end(Text x, TdsPart part, const char *p, bint *special) except NULL:
    """Return the end of a value that lasts until a separator."""
    cdef Stops stops = part.stops
    special[0] = False
    if part.quote >= 0 and p < x.end and <uint8_t>p[0] == part.quote:
        special[0] = True
        return quoted_end(x, part, p)
    if part.escape < 0:
        return plain_end(stops, p, x.end)
    while p < x.end:
        if <uint8_t>p[0] == part.escape:
            special[0] = True
            p += 2
            if p > x.end:
                fail(x, "an escape character with nothing behind it", p - 2)
            continue
        if stops.first[<uint8_t>p[0]] and stops.match(p, x.end):
            return p
        p += 1
    return p


cdef const char *quoted_end(Text x, TdsPart part, const char *p) except NULL:
    cdef const char *q = p + 1
    while True:
        q = <const char *>memchr(q, part.quote, x.end - q) if q < x.end else NULL
        if q == NULL:
            x.short = True
            fail(x, f"field {part.name}: the quotation mark is not closed", p)
        if q + 1 < x.end and <uint8_t>q[1] == part.quote:
            q += 2
            continue
        return q + 1


cdef int32_t leaf(Text x, int32_t above, TdsPart part, const char *p, const char *end, bint special) except -1:
    """Append a field; 0 for one that is absent because its text is empty."""
    cdef int32_t at
    if p == end and (part.least == 0 and part.most == 1 or not part.is_string) and not (
            part.codec.null_kind == NULL_LITERAL and PyBytes_GET_SIZE(part.codec.null_bytes) == 0):
        return 0
    at = add_leaf(x.tree, above, part, p, end - p)
    note_tag(x, at, part)
    if special and part.escaped is not None:
        x.tree.elements[at].kind = part.escaped.kind
        x.tree.elements[at].flags = (x.tree.elements[at].flags & 0xFF) | part.escaped.flags
    if part.slot >= 0:
        x.slots[part.slot] = x.tree.value(at)
    return at


cdef inline int note_tag(Text x, int32_t at, TdsPart part) except -1:
    """Record the part that a tag determined for an element, if names alone do not."""
    return note_shared_origin(x.tree, at, part) if part.telling else 0


cdef const char *scan_data(Text x, int32_t above, TdsPart part, const char *p, bint by_length) except NULL:
    """Scan one value or one group, and run its tests."""
    cdef const char *end
    cdef int32_t before = x.tree.count
    if part.checks is None:
        return scan_untested(x, above, part, p, by_length)
    x.checking.enter(part.checks, new_scanned_element(x.tree, above, x.folder), x.data, p - x.start)
    end = scan_untested(x, above, part, p, by_length)
    test(x, above, part, p, before)
    return end


cdef int test(Text x, int32_t above, TdsPart part, const char *p, int32_t before) except -1:
    """Test a part that was scanned from here; elements from `before` on belong to it."""
    cdef object place = None
    if not part.named:
        place = new_scanned_element(x.tree, above, x.folder)
    elif x.tree.count > before:
        place = new_scanned_element(x.tree, before, x.folder)
    x.checking.leave(part.checks, place, x.data, p - x.start)
    return 0


cdef const char *attempt(Text x, int32_t above, TdsPart part, const char *p, bint by_length) except? NULL:
    """Scan an optional occurrence; NULL if it fails before a discriminator has decided."""
    cdef Mark mark = mark_of(x.tree, above)
    cdef object outer = x.checking.begin()
    cdef int64_t done = 0
    try:
        return scan_repeats(x, above, part, p, by_length, &done)
    except MQError as failure:
        if not x.checking.may_return(failure, outer):
            raise
        x.short = x.short or ran_short(x, failure)
        roll_back(x.tree, above, mark)
        return NULL
    finally:
        x.checking.end(outer)


cdef const char *scan_untested(Text x, int32_t above, TdsPart part, const char *p, bint by_length) except NULL:
    """Scan one value or one group: to its length if that applies here, else to a separator."""
    cdef const char *end
    cdef bint special = False
    cdef int32_t at = above
    if part.codec is None:
        if part.named:
            at = add_folder(x.tree, above, part)
            note_tag(x, at, part)
        return scan_group(x, at, part, p)
    if part.length_slot >= 0:
        end = characters_on(x, p, referred(x, part, p), part)
    elif by_length and part.length >= 0:
        end = characters_on(x, p, part.length, part)
    else:
        end = value_end(x, part, p, &special)
    leaf(x, above, part, p, end, special)
    return end


cdef int64_t referred(Text x, TdsPart part, const char *p) except -1:
    number = x.slots[part.length_slot]
    if type(number) is not int or not 0 <= number <= 0x7FFFFFFF:
        fail(x, f"field {part.name} depends on a field whose value is {number!r}", p)
    return number


cdef const char *scan_repeats(Text x, int32_t above, TdsPart part, const char *p, bint by_length,
                              int64_t *done) except NULL:
    """Scan a field and its repetitions after its own delimiter; count them."""
    p = scan_data(x, above, part, p, by_length)
    done[0] += 1
    while starts(p, x.end, part.repeat_delimiter):
        if 0 <= part.limit <= done[0]:
            fail(x, f"field {part.name} occurs more than {part.limit} times", p)
        p = scan_data(x, above, part, p + PyBytes_GET_SIZE(part.repeat_delimiter), by_length)
        done[0] += 1
    return p


# Separation kinds


cdef const char *scan_tagged(Text x, int32_t above, TdsPart group, const char *p) except NULL:
    cdef TdsPart part
    cdef const char *q
    cdef Py_ssize_t expected = 0, found
    cdef TdsPart chosen = None
    cdef bint delimited = group.separation == TAGGED_DELIMITED
    cdef bint first = True
    cdef int64_t done
    cdef list counts
    if group.plain and x.tree.elements[above].shape == EMPTY:
        expected = scan_plain(x, above, group, &p)
        first = expected == 0
    counts = [1] * expected + [0] * (len(group.parts) - expected) if p < x.end else None
    while p < x.end and not starts(p, x.end, group.terminator):
        q = p
        if delimited and not first:
            if not starts(p, x.end, group.delimiter):
                return p
            q = p + PyBytes_GET_SIZE(group.delimiter)
        found = tagged_part(x, group, q, expected)
        part = <TdsPart>group.parts[found] if found >= 0 else None
        if part is None or is_full(part, counts):
            if q == x.end or starts(q, x.end, group.terminator) or group.stops.match(p, x.end) or not delimited:
                return p
            fail(x, f"no tag of {group.name or 'the message'}" if part is None
                 else f"field {part.name} occurs more than {part.limit} times", q)
        if chosen is not None and not is_alternative(part, chosen):
            return p
        p = q + PyBytes_GET_SIZE(part.lead_in)
        done = counts[part.namesake]
        if group.separation == TAGGED_ENCODED and part.codec is not None:
            p = scan_encoded(x, above, group, part, p)
            done += 1
        else:
            p = scan_repeats(x, above, part, p, group.observe_length or not delimited, &done)
        counts[part.namesake] = done
        first = False
        if group.compose == CHOICE:
            if part.alternative == 0:
                return p
            chosen = part
        expected = found if part.most != 1 else found + 1
    return p


cdef inline bint is_full(TdsPart part, list counts):
    """Return whether a part has occurred the maximum number of times."""
    return part.limit >= 0 and <int>counts[part.namesake] >= part.limit


cdef Py_ssize_t scan_plain(Text x, int32_t above, TdsPart group, const char **at) except -1:
    """Scan plain parts as long as they are in the order of the model; return how many."""
    cdef TdsPart part
    cdef Py_ssize_t found = 0, length
    cdef const char *p = at[0]
    cdef const char *start
    cdef Element *elements
    cdef int32_t base
    if group.template is None:
        learn(x.tree, above, group)
    if group.template is None or not group.template.fits(x.tree, above):
        return 0
    base = group.template.stamp(x.tree, above)
    elements = x.tree.elements
    for part in group.parts:
        if found == group.template.count or starts(p, x.end, group.terminator):
            break
        start = p + PyBytes_GET_SIZE(part.opening)
        if found == 0:
            if not starts(p, x.end, part.lead_in):
                break
            start = p + PyBytes_GET_SIZE(part.lead_in)
        elif not starts(p, x.end, part.opening):
            break
        p = plain_end(part.stops, start, x.end)
        if p == start:
            break
        elements[base + found].raw = start
        elements[base + found].raw_length = <uint32_t>(p - start)
        found += 1
        at[0] = p
    group.template.cut(x.tree, above, <int32_t>found)
    return found


cdef int learn(Arena tree, int32_t above, TdsPart group) except -1:
    """Make the template of a group's plain parts."""
    cdef int32_t base = tree.count
    cdef Py_ssize_t i
    cdef Mark mark = mark_of(tree, above)
    if tree.limits.elements_max - base < group.plain:
        return 0
    for i in range(group.plain):
        add_leaf(tree, above, <TdsPart>group.parts[i], NULL, 0)
    group.template = template_of(tree, above, base)
    return roll_back(tree, above, mark)


cdef Py_ssize_t tagged_part(Text x, TdsPart group, const char *p, Py_ssize_t expected) noexcept:
    """Return which part's tag is at this position, -1 if none is; the expected one is tried first."""
    cdef Py_ssize_t count = len(group.parts)
    cdef Py_ssize_t i, at = expected if expected < count else 0
    for i in range(count):
        if starts(p, x.end, (<TdsPart>group.parts[at]).lead_in):
            return at
        at = at + 1 if at + 1 < count else 0
    return -1


cdef const char *scan_encoded(Text x, int32_t above, TdsPart group, TdsPart part, const char *p) except NULL:
    """Scan a value that is preceded by its length in digits."""
    cdef int64_t length = 0
    cdef const char *end = characters_on(x, p, group.encoded_digits, part)
    while p < end:
        if not c'0' <= p[0] <= c'9':
            fail(x, f"the length of {part.name} is no number", p)
        length = length * 10 + (p[0] - 48)
        p += 1
    length -= group.encoded_extra
    if length < 0:
        fail(x, f"the length of {part.name} is negative", p)
    end = characters_on(x, p, length, part)
    leaf(x, above, part, p, end, False)
    return end


cdef const char *scan_delimited(Text x, int32_t above, TdsPart group, const char *p) except NULL:
    cdef TdsPart part
    cdef bint first = True, wanted = False
    cdef bint variable = group.separation == VARIABLE_DELIMITED
    cdef const char *before
    cdef const char *end
    cdef int64_t done, together
    for part in group.parts:
        done = 0
        if part.hollow:
            scan_data(x, above, part, p, False)
            continue
        while part.most < 0 or done < part.most:
            before = p
            if wanted:
                if not starts(p, x.end, group.delimiter):
                    return p
                p += PyBytes_GET_SIZE(group.delimiter)
            elif variable and not first and at_end(x, group, p):
                return p
            if done and p == x.end:
                return p
            if part.uncertain and done >= part.least:
                end = attempt(x, above, part, p, group.observe_length or variable)
                if end == NULL:
                    p = before
                    break
                p = end
            else:
                together = 0
                p = scan_repeats(x, above, part, p, group.observe_length or variable, &together)
            first = False
            wanted = not (variable and part.length >= 0)
            done += 1
            if PyBytes_GET_SIZE(part.repeat_delimiter):
                break
            if done >= part.least and part.most != done and not more_follow(x, group, p, wanted):
                break
    return p


cdef bint at_end(Text x, TdsPart group, const char *p) noexcept:
    return p == x.end or starts(p, x.end, group.terminator) or group.stops.match(p, x.end) > 0


cdef bint more_follow(Text x, TdsPart group, const char *p, bint wanted) noexcept:
    return starts(p, x.end, group.delimiter) if wanted else not at_end(x, group, p)


cdef const char *scan_fixed(Text x, int32_t above, TdsPart group, const char *p) except NULL:
    cdef TdsPart part
    cdef const char *before
    cdef int64_t done
    for part in group.parts:
        done = 0
        while part.most < 0 or done < part.most:
            if (part.most < 0 or done >= part.least) and at_end(x, group, p):
                break
            if done >= part.least and not part.named and PyBytes_GET_SIZE(part.indicator) \
                    and not starts(p, x.end, part.indicator):
                break
            before = p
            if part.uncertain and done >= part.least:
                p = attempt(x, above, part, p, True)
                if p == NULL:
                    p = before
                    break
            else:
                p = scan_data(x, above, part, p, True)
            if p == before and part.most < 0:
                fail(x, f"field {part.name} repeats without end, but takes no characters", p)
            done += 1
    return p


cdef const char *scan_patterns(Text x, int32_t above, TdsPart group, const char *p) except NULL:
    cdef TdsPart part
    cdef const char *end
    cdef int64_t done
    for part in group.parts:
        done = 0
        while part.most < 0 or done < part.most:
            end = pattern_end(x, part, p)
            if end == NULL or (end == p and done >= part.least):
                break
            scan_region(x, above, part, p, end)
            p = end
            done += 1
        if done < part.least:
            fail(x, f"the pattern of {part.name or 'a group'} does not match", p)
    return p


cdef const char *pattern_end(Text x, TdsPart part, const char *p) except? NULL:
    """Return the end of the text that a pattern matches here, NULL if it does not match."""
    if part.pattern is None:
        return x.end
    found = part.pattern.match(x.data, p - x.start, x.end - x.start)
    return NULL if found is None else x.start + <Py_ssize_t>found.end()


cdef int scan_region(Text x, int32_t above, TdsPart part, const char *p, const char *end) except -1:
    """Scan the match of a pattern: all of it is one value or one group."""
    cdef const char *outer = x.end
    cdef const char *start = p
    cdef int32_t before = x.tree.count
    if part.checks is not None:
        x.checking.enter(part.checks, new_scanned_element(x.tree, above, x.folder), x.data, p - x.start)
    if part.codec is not None:
        leaf(x, above, part, p, end, False)
    else:
        x.end = end
        try:
            p = scan_group(x, add_folder(x.tree, above, part) if part.named else above, part, p)
        finally:
            x.end = outer
        if p != end:
            fail(x, f"the pattern of {part.name or 'a group'} matches more than its fields take", p)
    return test(x, above, part, start, before) if part.checks is not None else 0


cdef const char *scan_choice(Text x, int32_t above, TdsPart group, const char *p) except NULL:
    """Scan the first alternative that matches."""
    cdef TdsPart part
    cdef Mark mark
    cdef const char *end
    cdef object problem = None
    cdef object outer = None
    cdef bint by_length = group.observe_length or group.separation != ALL_DELIMITED
    cdef int64_t done
    for part in group.parts:
        done = 0
        mark = mark_of(x.tree, above)
        if x.checking is not None:
            outer = x.checking.begin()
        try:
            if group.separation == DATA_PATTERN:
                end = pattern_end(x, part, p)
                if end != NULL:
                    scan_region(x, above, part, p, end)
                    return end
            else:
                return scan_repeats(x, above, part, p, by_length, &done)
        except MQError as failure:
            if failure.reason != mq.PSRC_PARSE_ERROR or (outer is not None and not x.checking.may_return(failure, outer)):
                raise
            problem = problem or failure
            x.short = x.short or ran_short(x, failure)
            roll_back(x.tree, above, mark)
        finally:
            if outer is not None:
                x.checking.end(outer)
    if problem is not None:
        raise problem
    fail(x, f"none of {', '.join([each.name for each in group.parts])} fits", p)
