# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The JSON scanner: a document (RFC 8259) into elements, without decoding values.

An object is a folder, an array a folder of type Array whose items are called Item; numbers keep their digits.
Duplicate names are two fields. Half a surrogate pair is refused, as is a document that is neither object nor
array. One pass, no recursion. tests/property compare it with Python's own parser.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp

from penstock.tree.core._arena cimport append
from penstock.tree.core._element cimport (
    F_ASCII, K_FALSE, K_INTEGER, K_NULL, K_NUMBER, K_STRING, K_STRING_ESCAPES, K_TRUE, R_ARRAY, R_ELEMENT,
)
from penstock.tree.core._names cimport shared_id
from penstock.tree.core._text cimport (
    LOOK_BACKSLASH, LOOK_BLANK, LOOK_CONTROL, LOOK_HIGH, LOOK_RETURN, ps_json_escape, ps_json_unescape, ps_look,
    ps_utf8_bad,
)
from penstock.tree.core._text_source cimport utf8_source
from penstock.tree.core._types cimport T_ARRAY, T_NAME, T_NAME_VALUE

from penstock.model.errors import error
from penstock.tree.core.parse_error import parse_error

cdef uint32_t N_DATA = shared_id("Data")
cdef uint32_t N_ITEM = shared_id("Item")

cdef enum:
    DEPTH_ROOM = 1000

cdef struct Open:
    int32_t element
    bint array

cdef struct Scanner:
    const char *start
    const char *end
    bint escapes  # somewhere in the text
    bint controls
    int ascii
    uint32_t data
    uint32_t item
    int32_t depth
    int32_t depth_max
    Open open[DEPTH_ROOM]


cdef int fail(Scanner *x, str what, const char *at, int code=8101) except -1:
    text = x.start[:x.end - x.start]
    raise parse_error(code, what, text, at - x.start)


cdef inline const char *skip_blank(const char *p) noexcept:
    while p[0] == 32 or p[0] == 10 or p[0] == 13 or p[0] == 9:
        p += 1
    return p


cdef int scan_json(Arena tree, int32_t folder) except -1:
    """Scan the source of a tree into the field Data of a folder."""
    cdef bytes text = utf8_source(tree)
    cdef Scanner x
    cdef const char *p = PyBytes_AS_STRING(text)
    cdef int look
    cdef Py_ssize_t bad
    x.start = p
    x.end = p + PyBytes_GET_SIZE(text)
    look = ps_look(p, x.end - p)
    x.ascii = 0 if look & LOOK_HIGH else F_ASCII
    x.escapes = look & LOOK_BACKSLASH
    x.controls = look & (LOOK_BLANK | LOOK_RETURN | LOOK_CONTROL)
    x.depth = 0
    x.depth_max = tree.limits.depth_max
    x.data = tree.own_id(N_DATA)
    x.item = tree.own_id(N_ITEM)
    if look & LOOK_HIGH:
        bad = ps_utf8_bad(p, x.end - p, 0)
        if bad >= 0:
            fail(&x, "not UTF-8", p + bad)
        if x.end - p >= 3 and <uint8_t>p[0] == 0xEF and <uint8_t>p[1] == 0xBB and <uint8_t>p[2] == 0xBF:
            p += 3
    p = skip_blank(p)
    if p[0] != c'{' and p[0] != c'[':
        fail(&x, "a JSON body is an object or an array" if p != x.end else "there is no JSON here", p)
    scan_values(&x, tree, folder, p)
    return 0


cdef int scan_values(Scanner *x, Arena tree, int32_t folder, const char *p) except -1:
    """Process value after value; the stack has the enclosing ones."""
    cdef int32_t at = append(tree, folder, x.data, 0, T_NAME, R_ELEMENT)
    cdef const char *q
    cdef Open *top
    while True:
        if p[0] == c'{' or p[0] == c'[':
            if x.depth == x.depth_max:
                fail(x, f"values are nested more than {x.depth_max} deep", p, 8110)
            top = &x.open[x.depth]
            top.element = at
            top.array = p[0] == c'['
            x.depth += 1
            tree.elements[at].type = T_ARRAY if top.array else T_NAME
            tree.elements[at].role = R_ARRAY if top.array else R_ELEMENT
            p = skip_blank(p + 1)
            if p[0] != (c']' if top.array else c'}'):
                p = scan_name(x, tree, p, &at)
                continue
        elif p[0] == c'"' and not x.escapes and not x.controls:
            q = <const char *>memchr(p + 1, c'"', x.end - p - 1)
            if q == NULL:
                fail(x, "a string does not end", p)
            tree.elements[at].raw = p + 1
            tree.elements[at].raw_length = <uint32_t>(q - p - 1)
            tree.elements[at].kind = K_STRING
            tree.elements[at].flags |= x.ascii
            p = q + 1
        else:
            p = scan_scalar(x, tree, at, p)
        # after a value, or at the end of an empty object or array
        while True:
            p = skip_blank(p)
            top = &x.open[x.depth - 1]
            if p[0] == c',':
                if tree.elements[top.element].first == 0:
                    fail(x, "a comma without a value before it", p)
                p = scan_name(x, tree, skip_blank(p + 1), &at)
                break
            if p[0] != (c']' if top.array else c'}'):
                fail(x, f"expected , or {']' if top.array else '}'}", p)
            p += 1
            x.depth -= 1
            if x.depth == 0:
                p = skip_blank(p)
                if p != x.end:
                    fail(x, "something behind the end of the JSON", p)
                return 0


cdef const char *scan_name(Scanner *x, Arena tree, const char *p, int32_t *at) except NULL:
    """Add the element of the next member or item; return the start of its value."""
    cdef Open *top = &x.open[x.depth - 1]
    cdef const char *q
    cdef bint escaped = False
    cdef uint32_t name = x.item
    if not top.array:
        if p[0] != c'"':
            fail(x, 'expected a quoted field name', p)
        q = scan_string(x, p + 1, &escaped)
        name = unescaped_name(tree, p + 1, q - p - 1) if escaped else tree.name_below(top.element, p + 1, q - p - 1)
        p = skip_blank(q + 1)
        if p[0] != c':':
            fail(x, "a name without a colon behind it", p)
        p = skip_blank(p + 1)
    at[0] = append(tree, top.element, name, 0, T_NAME_VALUE, R_ELEMENT)
    return p


cdef uint32_t unescaped_name(Arena tree, const char *p, Py_ssize_t length) except? 0:
    cdef char *room = <char *>malloc(length + 1)
    if room == NULL:
        raise MemoryError
    try:
        return tree.name_id(room, ps_json_unescape(p, length, room))
    finally:
        free(room)


cdef const char *scan_string(Scanner *x, const char *p, bint *escaped) except NULL:
    """Check a string after its opening quotation mark; return the position of the closing one."""
    cdef const char *q = <const char *>memchr(p, c'"', x.end - p)
    cdef const char *at
    cdef uint32_t value
    cdef int length
    escaped[0] = False
    if q == NULL:
        fail(x, "a string does not end", p)
    if x.escapes and memchr(p, 92, q - p) != NULL:
        escaped[0] = True
        q = p
        while q < x.end and q[0] != c'"':
            if q[0] == 92:
                length = ps_json_escape(q + 1, x.end, &value)
                if length == 0:
                    fail(x, "no escape of JSON, or half a surrogate pair", q)
                q += length
            q += 1
        if q >= x.end:
            fail(x, "a string does not end", p)
    if x.controls:
        at = p
        while at < q:
            if <uint8_t>at[0] < 32:
                fail(x, "a control character in a string; write it as an escape", at)
            at += 1
    return q


cdef const char *scan_scalar(Scanner *x, Arena tree, int32_t at, const char *p) except NULL:
    """Record a string, a number, true, false or null."""
    cdef const char *q
    cdef bint escaped = False
    if p[0] == c'"':
        q = scan_string(x, p + 1, &escaped)
        tree.put_raw(at, p + 1, q - p - 1, K_STRING_ESCAPES if escaped else K_STRING, x.ascii)
        return q + 1
    if p[0] == c't' and x.end - p >= 4 and memcmp(p, b"true", 4) == 0:
        tree.put_raw(at, p, 4, K_TRUE, F_ASCII)
        return p + 4
    if p[0] == c'f' and x.end - p >= 5 and memcmp(p, b"false", 5) == 0:
        tree.put_raw(at, p, 5, K_FALSE, F_ASCII)
        return p + 5
    if p[0] == c'n' and x.end - p >= 4 and memcmp(p, b"null", 4) == 0:
        tree.put_raw(at, p, 4, K_NULL, F_ASCII)
        return p + 4
    return scan_number(x, tree, at, p)


cdef inline const char *skip_digits(const char *p) noexcept:
    while c'0' <= p[0] <= c'9':
        p += 1
    return p


cdef const char *scan_number(Scanner *x, Arena tree, int32_t at, const char *p) except NULL:
    cdef const char *q = p
    cdef const char *digits
    cdef int kind = K_INTEGER
    if q[0] == c'-':
        q += 1
    digits = q
    q = skip_digits(q)
    if q == digits:
        fail(x, "no value of JSON", p)
    if digits[0] == c'0' and q - digits > 1:
        fail(x, "a number with a leading zero", p)
    if q[0] == c'.':
        kind = K_NUMBER
        digits = q + 1
        q = skip_digits(digits)
        if q == digits:
            fail(x, "a number without digits behind the point", p)
    if q[0] == c'e' or q[0] == c'E':
        kind = K_NUMBER
        q += 1
        if q[0] == c'+' or q[0] == c'-':
            q += 1
        digits = q
        q = skip_digits(q)
        if q == digits:
            fail(x, "a number without digits in its exponent", p)
    tree.put_raw(at, p, q - p, kind, F_ASCII)
    return q
