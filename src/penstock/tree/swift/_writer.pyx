# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The SWIFT writer: elements into a FIN message, untouched sequences and undecoded values as slices.

A value that would end its field or its block, by a brace or by a line that begins with : or -, is refused
with 8130, and so are names that no field can have: a value cannot inject anything. Lines end as in the
source, with CRLF in new messages. Iterative along the links.
"""

import datetime
import decimal

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint32_t
from libc.string cimport memchr, memcmp, memcpy

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._element cimport F_CHANGED, F_TIDY, K_NONE, K_NUMBER, K_PLAIN, NONE
from penstock.tree.core._names cimport LOCAL, NameEntry, NameTable, shared_id, shared_names
from penstock.tree.core._output cimport put, put_byte
from penstock.tree.core._values cimport characters, decimal_text

cdef extern from "Python.h":
    const char *PyUnicode_AsUTF8AndSize(object text, Py_ssize_t *length) except NULL

cdef uint32_t N_SCHEME = shared_id("DataSourceScheme")
cdef NameTable SHARED = shared_names()


cdef inline NameEntry *entry_of(Arena tree, int32_t at) noexcept:
    """Return the name of an element without a call."""
    cdef uint32_t name = tree.elements[at].name
    return tree.entry(name) if name & LOCAL else &SHARED.entries[name]


cdef int write_swift(Arena tree, int32_t folder, OutputBuffer out) except -1:
    """Write every block of a folder."""
    cdef int32_t at = tree.elements[folder].first
    cdef NameEntry *name
    cdef bint bare = is_bare(tree, folder)
    while at:
        name = tree.entry(tree.elements[at].name)
        if name.length != 6 or memcmp(name.utf8, b"Block", 5) != 0:
            raise error(mq.PSRC_SERIALISE_ERROR, f"SWIFT has Block1 to Block5, not {<object>name.text!r}")
        put_byte(out, c'{')
        put_byte(out, name.utf8[5])
        put_byte(out, c':')
        if name.utf8[5] == c'4' and not holds_tags(tree, at):
            write_text_block(tree, at, out, bare)
        elif name.utf8[5] == c'1' or name.utf8[5] == c'2':
            write_parts(tree, at, out)
        elif tree.elements[at].kind != K_NONE:
            write_value(tree, at, out, bare)
        else:
            write_tags(tree, at, out)
        put_byte(out, c'}')
        at = tree.elements[at].next
    return 0


cdef bint is_bare(Arena tree, int32_t folder) noexcept:
    """Return whether lines of the source end without a carriage return."""
    cdef const char *p
    cdef const char *line
    if tree.source is None or folder != tree.folder:
        return False
    p = PyBytes_AS_STRING(tree.source)
    line = <const char *>memchr(p, 10, PyBytes_GET_SIZE(tree.source))
    return line != NULL and (line == p or line[-1] != 13)


cdef bint holds_tags(Arena tree, int32_t block) noexcept:
    """Return whether block 4 is that of a system message: names of three digits in braces."""
    cdef int32_t first = tree.elements[block].first
    cdef NameEntry *name
    if first == NONE:
        return False
    name = tree.entry(tree.elements[first].name)
    return name.length == 3 and c'0' <= name.utf8[2] <= c'9'


cdef int write_parts(Arena tree, int32_t block, OutputBuffer out) except -1:
    """Write a header block: its parts one after the other, or its value."""
    cdef int32_t at = tree.elements[block].first
    if at == NONE:
        return write_value(tree, block, out, False)
    while at:
        write_value(tree, at, out, False)
        at = tree.elements[at].next
    return 0


cdef int write_tags(Arena tree, int32_t block, OutputBuffer out) except -1:
    cdef int32_t at = tree.elements[block].first
    cdef NameEntry *name
    while at:
        name = tree.entry(tree.elements[at].name)
        if memchr(name.utf8, c'{', name.length) or memchr(name.utf8, c'}', name.length) or memchr(name.utf8, c':', name.length):
            raise error(mq.PSRC_SERIALISE_ERROR, f"no name of a tag: {<object>name.text!r}")
        put_byte(out, c'{')
        put(out, name.utf8, name.length)
        put_byte(out, c':')
        write_value(tree, at, out, False)
        put_byte(out, c'}')
        at = tree.elements[at].next
    return 0


cdef inline bint is_field(NameEntry *name) noexcept:
    """Return whether a name is 20, 20C or 20C::SEME."""
    cdef const char *p = name.utf8
    cdef uint32_t tag
    if name.length < 2 or not (c'0' <= p[0] <= c'9' and c'0' <= p[1] <= c'9'):
        return False
    tag = 3 if name.length > 2 and (c'A' <= p[2] <= c'Z' or c'a' <= p[2] <= c'z') else 2
    return name.length == tag or (name.length == tag + 6 and p[tag] == c':' and p[tag + 1] == c':')


cdef int write_text_block(Arena tree, int32_t block, OutputBuffer out, bint bare) except -1:
    """Write the fields and sequences of block 4."""
    cdef int32_t at = tree.elements[block].first
    new_line(out, bare)
    while at:
        if is_field(entry_of(tree, at)):
            write_field(tree, at, out, bare)
        elif is_as_it_came(tree, at):
            put(out, tree.elements[at].raw, tree.elements[at].raw_length)
        else:
            write_mark(tree, at, c'R', out, bare)
            if tree.elements[at].first:
                at = tree.elements[at].first
                continue
            write_mark(tree, at, c'S', out, bare)
        while at != block and not tree.elements[at].next:
            at = tree.elements[at].parent
            if at != block:
                write_mark(tree, at, c'S', out, bare)
        if at == block:
            break
        at = tree.elements[at].next
    return put_byte(out, c'-')


cdef inline bint is_as_it_came(Arena tree, int32_t at) noexcept:
    """Return whether the bytes of a sequence are available and unchanged; bytes of XML that was moved here begin
    with <.
    """
    return tree.elements[at].flags & (F_TIDY | F_CHANGED) == F_TIDY and tree.elements[at].raw[0] == c':'


cdef inline int new_line(OutputBuffer out, bint bare) except -1:
    if not bare:
        put_byte(out, 13)
    return put_byte(out, 10)


cdef int write_mark(Arena tree, int32_t at, char which, OutputBuffer out, bint bare) except -1:
    """Write the 16R or 16S of a sequence."""
    cdef NameEntry *name = entry_of(tree, at)
    cdef uint32_t i
    for i in range(name.length):
        if not (c'A' <= name.utf8[i] <= c'Z' or c'0' <= name.utf8[i] <= c'9'):
            raise error(mq.PSRC_SERIALISE_ERROR, f"neither a field nor a sequence of block 4: {<object>name.text!r}")
    if name.length == 0 or tree.elements[at].kind != K_NONE:
        raise error(mq.PSRC_SERIALISE_ERROR, f"a sequence has fields, no value: {<object>name.text!r}")
    put(out, b":16", 3)
    put_byte(out, which)
    put_byte(out, c':')
    put(out, name.utf8, name.length)
    return new_line(out, bare)


cdef inline bint is_safe(const char *text, Py_ssize_t length) noexcept:
    cdef Py_ssize_t i
    for i in range(length):
        if text[i] == c'{' or text[i] == c'}':
            return False
        if text[i] == 10 and i + 1 < length and (text[i + 1] == c':' or text[i + 1] == c'-'):
            return False
    return True


cdef int write_field(Arena tree, int32_t at, OutputBuffer out, bint bare) except -1:
    cdef NameEntry *name = entry_of(tree, at)
    cdef int32_t scheme = tree.elements[at].first
    cdef Py_ssize_t length = tree.elements[at].raw_length
    if tree.elements[at].kind == K_PLAIN and not scheme and is_safe(tree.elements[at].raw, length):
        return put_field(out, name, tree.elements[at].raw, length, bare)
    put_byte(out, c':')
    put(out, name.utf8, name.length)
    if name.length > 6:  # with a qualifier
        put_byte(out, c'/')
        if scheme:
            if tree.elements[scheme].name != tree.own_id(N_SCHEME) or tree.elements[scheme].next:
                raise error(mq.PSRC_SERIALISE_ERROR, f"below field {<object>name.text!r} only DataSourceScheme is allowed")
            write_value(tree, scheme, out, bare)
        put_byte(out, c'/')
    else:
        put_byte(out, c':')
        if scheme:
            raise error(mq.PSRC_SERIALISE_ERROR, f"below field {<object>name.text!r} nothing is allowed")
    write_value(tree, at, out, bare)
    return new_line(out, bare)


cdef int put_field(OutputBuffer out, NameEntry *name, const char *value, Py_ssize_t length, bint bare) except -1:
    """Write a field with one check of the space; most of a changed message is written this way."""
    cdef char *p
    if out.end - out.at < name.length + length + 5:
        out.make_room(name.length + length + 5)
    p = out.at
    p[0] = c':'
    memcpy(p + 1, name.utf8, name.length)
    p += name.length + 1
    if name.length > 6:
        p[0] = p[1] = c'/'
        p += 2
    else:
        p[0] = c':'
        p += 1
    memcpy(p, value, length)
    p += length
    if not bare:
        p[0] = 13
        p += 1
    p[0] = 10
    out.at = p + 1
    return 0


cdef int write_value(Arena tree, int32_t at, OutputBuffer out, bint bare) except -1:
    """Write a value that cannot end its field."""
    cdef Py_ssize_t length
    cdef const char *utf8
    cdef object text
    if tree.elements[at].kind == K_PLAIN:
        utf8 = tree.elements[at].raw
        length = tree.elements[at].raw_length
        if is_safe(utf8, length):
            return put(out, utf8, length)
    value = tree.as_written(at)
    text = value_text(decimal.Decimal(value) if tree.elements[at].kind == K_NUMBER else value, bare)
    try:
        utf8 = PyUnicode_AsUTF8AndSize(text, &length)
    except UnicodeEncodeError as problem:
        raise error(mq.PSRC_SERIALISE_ERROR, f"a lone surrogate (character {problem.start + 1} of a value)") from problem
    if not is_safe(utf8, length):
        raise error(mq.PSRC_SERIALISE_ERROR, f"a brace, or a line that begins with : or -, in a value: {text[:60]!r}")
    return put(out, utf8, length)


cdef str value_text(object value, bint bare):
    """Return a value in SWIFT's forms: a decimal has a comma, a date is YYYYMMDD."""
    if isinstance(value, decimal.Decimal) or type(value) is float:
        text = decimal_text(decimal.Decimal(str(value))).replace(".", ",")
        if not text.lstrip("-").replace(",", "").isdecimal():
            raise error(mq.PSRC_SERIALISE_ERROR, f"SWIFT has no {value}")
        return text
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y%m%d%H%M%S")
    if isinstance(value, datetime.date):
        return value.strftime("%Y%m%d")
    text = characters(value).replace("\r\n", "\n")
    return text if bare else text.replace("\n", "\r\n")
