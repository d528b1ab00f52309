# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The writer of tagged and delimited text: elements in the order of the plan, between their separators.

Unchanged values are written as they arrived, including escapes. Values that a program assigned are escaped or
quoted if they contain a separator; if the model has neither, that is an error, because the text would be read
differently. Unknown elements are left out.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport int64_t, uint8_t

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._element cimport NONE
from penstock.tree.core._output cimport cut_back, put, put_byte, written
from penstock.tree.model._part cimport CHOICE, SEQUENCE, SHARED, absent_field, encoded_field, is_alternative, is_raw, put_scalar
from penstock.tree.model._sibling_run cimport (
    SiblingRun, begin_loose, belongs, children_of, end_of_loose, first_of, group_follows, has_too_many, holds_any, is_later,
    is_next, loose_part, next_field, next_group, nothing, sibling_run, untold_parts,
)
from penstock.tree.tagged._domain cimport (
    ALL_DELIMITED, DATA_PATTERN, FIXED_LENGTH, TAGGED_DELIMITED, TAGGED_ENCODED, TAGGED_FIXED, TdsPart,
    VARIABLE_DELIMITED, plain_end,
)


cdef int write_tds(TdsPlan plan, Arena tree, int32_t folder, OutputBuffer out) except -1:
    """Write the contents of a folder."""
    cdef SiblingRun siblings = children_of(tree, folder)
    return write_group(tree, &siblings, plan.root, out)


cdef inline int put_all(OutputBuffer out, bytes text) except -1:
    return put(out, PyBytes_AS_STRING(text), PyBytes_GET_SIZE(text))


cdef int write_group(Arena tree, SiblingRun *siblings, TdsPart group, OutputBuffer out) except -1:
    put_all(out, group.indicator)
    if group.separation <= TAGGED_ENCODED:
        write_tagged(tree, siblings, group, out)
    elif group.compose == CHOICE:
        write_choice(tree, siblings, group, out)
    elif group.separation == FIXED_LENGTH or group.separation == DATA_PATTERN:
        write_packed(tree, siblings, group, out)
    else:
        write_delimited(tree, siblings, group, out)
    return put_all(out, group.terminator)


cdef bint is_group(TdsPart part) noexcept:
    """Return whether a part is an unnamed group."""
    return part.codec is None and not part.named


cdef int32_t occurrence(Arena tree, SiblingRun *siblings, TdsPart part, bint again) except -1:
    """Return the next occurrence's element and go past it, for a group its parent; 0 if there is none."""
    if not is_group(part):
        return next_field(tree, siblings, part, again)
    if part.most == 1:
        return siblings.above if not again and stands_here(tree, siblings, part) else NONE
    return siblings.above if group_follows(tree, siblings, part, again) else NONE


cdef bint stands_here(Arena tree, SiblingRun *siblings, TdsPart group) noexcept:
    """Return whether there is anything to write for an unnamed group."""
    return first_of(tree, siblings, group) != NONE if group.sharing == SHARED else holds_any(tree, siblings, group)


cdef int write_data(Arena tree, int32_t at, SiblingRun *siblings, TdsPart part, OutputBuffer out, int64_t length) except -1:
    """Write one occurrence; `length` is that of a value in characters, or -1."""
    cdef SiblingRun inner
    cdef bytes data
    if part.codec is None:
        if not part.named and part.most == 1:
            return write_group(tree, siblings, part, out)
        inner = children_of(tree, at) if part.named else next_group(tree, siblings, part)
        return write_group(tree, &inner, part, out)
    if length < 0 and part.escaped is not None and is_raw(tree, at, part.escaped):
        return put(out, tree.elements[at].raw, tree.elements[at].raw_length)
    if is_raw(tree, at, part.codec) and (length < 0 or length == characters_in(tree.elements[at].raw,
                                                                              tree.elements[at].raw_length)):
        return put(out, tree.elements[at].raw, tree.elements[at].raw_length)
    if length < 0 and put_clear(tree, at, part, out):
        return 0
    data = padded(part, encoded_field(tree, at, part, -1 if part.is_string else length), length)
    if length >= 0:
        return put_all(out, data)
    return put_protected(part, data, out)


cdef Py_ssize_t characters_in(const char *raw, Py_ssize_t length) noexcept:
    cdef Py_ssize_t i, count = 0
    for i in range(length):
        count += <uint8_t>raw[i] & 0xC0 != 0x80
    return count


cdef bytes padded(TdsPart part, bytes data, int64_t length):
    cdef Py_ssize_t missing
    if length < 0 or not part.is_string:
        return data
    missing = length - characters_in(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))
    if missing < 0:
        raise error(mq.PSRC_VALUE_RANGE, f"field {part.name}: longer than {length} characters", field=part.name)
    return part.pad * missing + data if part.pad_left else data + part.pad * missing


cdef bint put_clear(Arena tree, int32_t at, TdsPart part, OutputBuffer out) except -1:
    """Write a simple value without separators; False, with nothing written, for any other."""
    cdef Py_ssize_t begin = written(out)
    cdef const char *p
    if not put_scalar(tree, at, part.codec, out, -1):
        return False
    if part.clear:
        return True
    p = out.at - (written(out) - begin)
    if first_hidden(part, p, out.at) == out.at:
        return True
    cut_back(out, begin)
    return False


cdef const char *first_hidden(TdsPart part, const char *p, const char *end) noexcept:
    """Return the first byte that an escape or quotation marks have to hide; the end if there is none."""
    if part.escape < 0 and part.quote < 0 and PyBytes_GET_SIZE(part.reserved) == 0:
        return plain_end(part.stops, p, end)
    while p < end and not (may_hide(part, <uint8_t>p[0]) and must_hide(part, p, end)):
        p += 1
    return p


cdef int put_protected(TdsPart part, bytes data, OutputBuffer out) except -1:
    """Write a value so that no separator in it is taken for one."""
    cdef const char *p = PyBytes_AS_STRING(data)
    cdef const char *end = p + PyBytes_GET_SIZE(data)
    if first_hidden(part, p, end) == end:
        return put(out, p, end - p)
    if part.escape >= 0:
        while p < end:
            if must_hide(part, p, end):
                put_byte(out, <char>part.escape)
            put_byte(out, p[0])
            p += 1
        return 0
    if part.quote >= 0:
        mark = bytes((part.quote,))
        return put_all(out, mark + data.replace(mark, mark + mark) + mark)
    raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name}: {data.decode('utf-8', 'replace')!r} holds a separator, and the model has "
                "neither an escape nor a quote character", field=part.name)


cdef inline bint may_hide(TdsPart part, int byte) noexcept:
    """Return quickly whether a byte needs a closer look: most do not."""
    return part.stops.first[byte] or byte == part.escape or byte == part.quote or PyBytes_GET_SIZE(part.reserved) > 0


cdef bint must_hide(TdsPart part, const char *p, const char *end) noexcept:
    cdef int byte = <uint8_t>p[0]
    cdef Py_ssize_t i
    if byte == part.escape or byte == part.quote or (part.stops.first[byte] and part.stops.match(p, end)):
        return True
    for i in range(PyBytes_GET_SIZE(part.reserved)):
        if PyBytes_AS_STRING(part.reserved)[i] == p[0]:
            return True
    return False


cdef int64_t write_occurrences(Arena tree, int32_t at, SiblingRun *siblings, TdsPart part, OutputBuffer out,
                               int64_t length) except -1:
    """Write an occurrence and its repetitions after the delimiter of repeats; return how many."""
    cdef int64_t done = 1
    write_data(tree, at, siblings, part, out, length)
    if PyBytes_GET_SIZE(part.repeat_delimiter) == 0:
        return done
    while part.most < 0 or done < part.most:
        at = occurrence(tree, siblings, part, True)
        if at == NONE:
            return done
        put_all(out, part.repeat_delimiter)
        write_data(tree, at, siblings, part, out, length)
        done += 1
    if has_too_many(tree, siblings, part):
        too_many(part, part.most)
    return done


cdef int too_many(TdsPart part, int64_t most) except -1:
    raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name or '(group)'} occurs more than {most} times", field=part.name)


cdef int write_tagged(Arena tree, SiblingRun *siblings, TdsPart group, OutputBuffer out) except -1:
    cdef TdsPart part
    cdef TdsPart chosen = None
    cdef bint first = True
    cdef int loose = 0  # those up to this number are written
    cdef Py_ssize_t plain = group.plain
    for part in group.parts:
        plain -= 1
        if part.loose:
            if part.loose <= loose:
                continue
        elif plain >= 0 and not first and is_next(tree, siblings, part):
            put_all(out, part.opening)
            write_data(tree, siblings.at, siblings, part, out, -1)
            siblings.at = tree.elements[siblings.at].next
            continue
        if chosen is not None and not is_alternative(part, chosen):
            return 0
        if part.loose:
            loose = part.loose
            first = write_loose(tree, siblings, group, loose, out, first)
        else:
            first = write_each(tree, siblings, group, part, out, first)
        if group.compose == CHOICE and not first:
            chosen = part
    return 0


cdef bint write_each(Arena tree, SiblingRun *siblings, TdsPart group, TdsPart part, OutputBuffer out, bint first) except -1:
    """Write the occurrences of a part, each after its tag; return whether the group is still empty."""
    cdef bint once = part.most == 1 or group.compose == CHOICE and part.alternative == 0
    cdef int64_t done = 0
    cdef int32_t at = occurrence(tree, siblings, part, False)
    while at:
        if not first:
            put_all(out, group.delimiter)
        first = False
        done += write_behind_tag(tree, at, siblings, group, part, out)
        at = NONE if once or 0 <= part.most <= done else occurrence(tree, siblings, part, True)
    if done == part.most and (not once or part.sharing == SHARED and group.compose == SEQUENCE) \
            and has_too_many(tree, siblings, part):
        too_many(part, part.most)
    return first


cdef int64_t write_behind_tag(Arena tree, int32_t at, SiblingRun *siblings, TdsPart group, TdsPart part,
                              OutputBuffer out) except -1:
    """Write a tag and its contents; return how many occurrences that are."""
    cdef bint by_length = part.codec is not None and (group.observe_length or group.separation == TAGGED_FIXED)
    put_all(out, part.lead_in)
    if group.separation == TAGGED_ENCODED and part.codec is not None:
        write_encoded(tree, at, group, part, out)
        return 1
    return write_occurrences(tree, at, siblings, part, out, part.length if by_length else -1)


cdef bint write_loose(Arena tree, SiblingRun *siblings, TdsPart group, int loose, OutputBuffer out, bint first) except -1:
    """Write the parts that repeat together, in the order of the tree: only tags identify them."""
    cdef TdsPart part
    cdef SiblingRun run
    cdef int32_t at = siblings.first, begin = begin_loose(siblings)
    cdef list untold = untold_parts(tree, siblings, group, loose)
    cdef int32_t end = end_of_loose(tree, siblings, group, loose, untold)
    cdef bint begun = False
    cdef list counts = [0] * len(group.parts)
    while at and at != end:
        part = <TdsPart>loose_part(tree, at, group, loose)
        begun = begun or at == begin
        if part is None or not begun and part in untold:
            at = tree.elements[at].next
            continue
        if not first:
            put_all(out, group.delimiter)
        first = False
        run = run_of(tree, at, siblings.above, end, part)
        counts[part.namesake] += write_behind_tag(tree, at, &run, group, part, out)
        if 0 <= part.limit < counts[part.namesake]:
            too_many(part, part.limit)
        at = run.at
    refuse_behind(tree, end, siblings, group, loose)
    if untold:
        siblings.at = end
    return first


cdef int refuse_behind(Arena tree, int32_t at, SiblingRun *siblings, TdsPart group, int loose) except -1:
    """Refuse elements that repeat together but follow later fields, if their position would make them the
    later ones'.
    """
    cdef TdsPart part
    while at and at != siblings.end:
        part = <TdsPart>loose_part(tree, at, group, loose)
        if part is not None and not is_later(tree, at, group, loose):
            raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name} repeats in a group but follows fields that the model has after "
                        "the group: which of several fields of one name each is, that does not tell", field=part.name)
        at = tree.elements[at].next
    return 0


cdef SiblingRun run_of(Arena tree, int32_t at, int32_t above, int32_t stop, TdsPart part) noexcept:
    """Return an element with the directly following ones of its name, and go past them."""
    cdef SiblingRun run
    cdef int32_t end = tree.elements[at].next
    cdef bint more = not part.named or PyBytes_GET_SIZE(part.repeat_delimiter) > 0
    while more and end and end != stop and belongs(tree, end, part):
        end = tree.elements[end].next
    run = sibling_run(above, at, end)
    run.at = tree.elements[at].next
    return run


cdef int write_encoded(Arena tree, int32_t at, TdsPart group, TdsPart part, OutputBuffer out) except -1:
    """Write a value after its length."""
    cdef bytes data, digits
    if is_raw(tree, at, part.codec):
        data = tree.elements[at].raw[:tree.elements[at].raw_length]
    else:
        data = encoded_field(tree, at, part, -1)
    length = characters_in(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data)) + group.encoded_extra
    digits = b"%0*d" % (group.encoded_digits, length)
    if PyBytes_GET_SIZE(digits) > group.encoded_digits:
        raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name}: a length of {length} needs more than {group.encoded_digits} digits",
                    field=part.name)
    put_all(out, digits)
    return put_all(out, data)


cdef int write_delimited(Arena tree, SiblingRun *siblings, TdsPart group, OutputBuffer out) except -1:
    cdef TdsPart part
    cdef int64_t waiting = 0  # delimiters of elements that are absent so far
    cdef bint first = True, variable = group.separation == VARIABLE_DELIMITED
    cdef bint behind_variable = False
    cdef int32_t at
    cdef int64_t done, length, room
    for part in group.parts:
        if part.hollow:
            continue
        length = part.length if part.codec is not None and (group.observe_length or variable) else -1
        done = 0
        room = 1 if PyBytes_GET_SIZE(part.repeat_delimiter) else part.most
        while room < 0 or done < room:
            at = occurrence(tree, siblings, part, done > 0)
            if at == NONE and done >= part.least and (room < 0 or part.uncertain or done and part is group.parts[len(group.parts) - 1]):
                break
            if (behind_variable or not variable) and not first:
                waiting += 1
            first = False
            if at or (variable and length >= 0) or part.least and part.has_default:
                while waiting:
                    put_all(out, group.delimiter)
                    waiting -= 1
            if at:
                write_occurrences(tree, at, siblings, part, out, length)
            elif part.codec is not None and ((variable and length >= 0) or part.least and part.has_default):
                write_absent(part, out, length)
            behind_variable = length < 0
            done += 1
        if at and room > 1 and PyBytes_GET_SIZE(part.repeat_delimiter) == 0 and has_too_many(tree, siblings, part):
            too_many(part, part.most)
    while waiting and group.keep_trailing:
        put_all(out, group.delimiter)
        waiting -= 1
    return 0


cdef int write_absent(TdsPart part, OutputBuffer out, int64_t length) except -1:
    """Write the replacement of a missing value: its default, NULL, or padding."""
    cdef bytes data = absent_field(part, -1 if part.is_string else length)
    if data is None:
        if length < 0:
            raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name} is missing and has no default", field=part.name)
        data = b""
    if length >= 0 and not part.is_string and data == b"":
        return put_all(out, b" " * length)
    return put_all(out, padded(part, data, length))


cdef int write_packed(Arena tree, SiblingRun *siblings, TdsPart group, OutputBuffer out) except -1:
    """Write elements without separators: by length, or as their patterns separate them."""
    cdef TdsPart part
    cdef int64_t done, length
    cdef int32_t at
    for part in group.parts:
        length = part.length if part.codec is not None and group.separation == FIXED_LENGTH else -1
        done = 0
        while part.most < 0 or done < part.most:
            at = occurrence(tree, siblings, part, done > 0)
            if at == NONE and (group.separation == DATA_PATTERN or part.most < 0 or done >= part.least and (
                    part.uncertain or is_told(part))):
                break
            if at:
                write_plain(tree, at, siblings, part, out, length, group.separation == DATA_PATTERN)
            elif part.codec is not None:
                write_absent(part, out, length)
            else:
                write_empty(tree, part, out)
            done += 1
        if done < part.least and group.separation == DATA_PATTERN and not part.has_default:
            raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name or '(group)'} is missing", field=part.name)
    return 0


cdef inline bint is_told(TdsPart part) noexcept:
    """Return whether the text before an unnamed group shows that it is present."""
    return not part.named and PyBytes_GET_SIZE(part.indicator) > 0


cdef int write_empty(Arena tree, TdsPart part, OutputBuffer out) except -1:
    """Write the padding of a missing group."""
    cdef SiblingRun none = nothing()
    return write_group(tree, &none, part, out)


cdef int write_plain(Arena tree, int32_t at, SiblingRun *siblings, TdsPart part, OutputBuffer out, int64_t length,
                     bint matched) except -1:
    """Write one occurrence; a value with a pattern is checked against it."""
    cdef bytes data
    if not matched or part.codec is None:
        return write_data(tree, at, siblings, part, out, length)
    if is_raw(tree, at, part.codec):
        return put(out, tree.elements[at].raw, tree.elements[at].raw_length)
    data = encoded_field(tree, at, part, -1)
    if part.pattern is not None and part.pattern.fullmatch(data) is None:
        raise error(mq.PSRC_SERIALISE_ERROR, f"field {part.name}: {data.decode('utf-8', 'replace')!r} does not match its pattern",
                    field=part.name)
    return put_all(out, data)


cdef int write_choice(Arena tree, SiblingRun *siblings, TdsPart group, OutputBuffer out) except -1:
    cdef TdsPart part
    cdef int32_t at
    cdef bint by_length = group.observe_length or group.separation != ALL_DELIMITED
    for part in group.parts:
        at = occurrence(tree, siblings, part, False)
        if at:
            write_occurrences(tree, at, siblings, part, out,
                              part.length if by_length and part.codec is not None else -1)
            return 0
    return 0
