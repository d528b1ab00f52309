# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""The SWIFT scanner: a FIN message into elements, without decoding values.

Blocks are folders, the fields of block 4 have the names of the handbook (20C::SEME), and the part between 16R
and 16S is a folder of that name. `swift.validation` checks which fields a type has, and in which order. One
pass, no recursion.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from libc.stdint cimport uint16_t, uint32_t
from libc.string cimport memchr, memcmp

from penstock.tree.core._arena cimport append
from penstock.tree.core._element cimport F_ASCII, F_TIDY, K_PLAIN, R_ELEMENT
from penstock.tree.core._names cimport shared_id
from penstock.tree.core._text cimport ps_ascii, ps_utf8_bad
from penstock.tree.core._text_source cimport utf8_source
from penstock.tree.core._types cimport T_NAME, T_NAME_VALUE

from penstock.tree.core.parse_error import parse_error

cdef enum:
    SCHEME_MAX = 8
    SEQUENCE_NAME_MAX = 16
    BLOCK_1_LENGTH = 25
    INPUT_LENGTH = 16  # of block 2 without priority
    OUTPUT_LENGTH = 46

cdef uint32_t N_SCHEME = shared_id("DataSourceScheme")
cdef uint32_t N_BLOCKS[128]
for _i in range(128):
    N_BLOCKS[_i] = shared_id("Block" + chr(_i)) if chr(_i).isalnum() else 0

# Parts of the headers: name and length, in order; the last of block 2 may be missing.
cdef uint32_t BASIC[5]
cdef uint32_t INPUT[6]
cdef uint32_t OUTPUT[7]
cdef int BASIC_LENGTHS[5]
cdef int INPUT_LENGTHS[6]
cdef int OUTPUT_LENGTHS[7]
BASIC[:] = [shared_id(_n) for _n in ("ApplicationId", "ServiceId", "LogicalTerminal", "SessionNumber", "SequenceNumber")]
BASIC_LENGTHS[:] = [1, 2, 12, 4, 6]
INPUT[:] = [shared_id(_n) for _n in ("Direction", "MessageType", "Receiver", "Priority", "DeliveryMonitoring",
                                     "ObsolescencePeriod")]
INPUT_LENGTHS[:] = [1, 3, 12, 1, 1, 3]
OUTPUT[:] = [shared_id(_n) for _n in ("Direction", "MessageType", "InputTime", "InputReference", "OutputDate",
                                      "OutputTime", "Priority")]
OUTPUT_LENGTHS[:] = [1, 3, 4, 28, 6, 4, 1]

cdef struct Scanner:
    const char *start
    const char *end
    int ascii
    int32_t depth
    int32_t depth_max


cdef int fail(Scanner *x, str what, const char *at, int code=8101) except -1:
    raise parse_error(code, what, x.start[:x.end - x.start], at - x.start)


cdef int scan_swift(Arena tree, int32_t folder) except -1:
    """Scan the source of a tree into a folder."""
    cdef bytes text = utf8_source(tree)
    cdef Scanner x
    cdef Py_ssize_t bad
    x.start = PyBytes_AS_STRING(text)
    x.end = x.start + PyBytes_GET_SIZE(text)
    x.ascii = F_ASCII if ps_ascii(x.start, x.end - x.start) else 0
    x.depth = 0
    x.depth_max = tree.limits.depth_max
    if not x.ascii:
        bad = ps_utf8_bad(x.start, x.end - x.start, 0)
        if bad >= 0:
            fail(&x, "not UTF-8", x.start + bad)
    cdef const char *p = skip_between(x.start)
    if p == x.end:
        fail(&x, "there is no SWIFT message here", p)
    while p != x.end:
        p = skip_between(scan_block(&x, tree, folder, p))
    return 0


cdef inline const char *skip_between(const char *p) noexcept:
    """Skip white space, and the SOH and ETX of the printable form, between blocks."""
    while p[0] == 32 or p[0] == 10 or p[0] == 13 or p[0] == 1 or p[0] == 3:
        p += 1
    return p


cdef const char *scan_block(Scanner *x, Arena tree, int32_t folder, const char *p) except NULL:
    """Scan a block from its { to its }."""
    cdef uint32_t name = 0
    cdef int32_t at
    if p[0] == c'{' and x.end - p > 3 and p[2] == c':' and 0 < p[1] < 127:
        name = N_BLOCKS[p[1]]
    if name == 0:
        fail(x, "a block begins with {, one letter or digit, and a colon", p)
    at = append(tree, folder, tree.own_id(name), 0, T_NAME, R_ELEMENT)
    if p[1] == c'4' and p[3] != c'{':
        return scan_text_block(x, tree, at, p + 3)
    if p[3] == c'{':
        return scan_tags(x, tree, at, p + 3)
    return scan_header(x, tree, at, p[1], p + 3)


cdef const char *scan_header(Scanner *x, Arena tree, int32_t at, char block, const char *p) except NULL:
    """Scan a block that is one value; those of the two headers are split by position."""
    cdef const char *end = <const char *>memchr(p, c'}', x.end - p)
    cdef Py_ssize_t length
    if end == NULL:
        fail(x, "a block does not end", p)
    length = end - p
    if memchr(p, c'{', length) != NULL:
        fail(x, "{ in the middle of a value", <const char *>memchr(p, c'{', length))
    if block == c'1' and length == BLOCK_1_LENGTH:
        add_parts(x, tree, at, p, length, BASIC, BASIC_LENGTHS, 5)
    elif block == c'2' and p[0] == c'I' and (INPUT_LENGTH <= length <= INPUT_LENGTH + 2 or length == INPUT_LENGTH + 5):
        add_parts(x, tree, at, p, length, INPUT, INPUT_LENGTHS, 6)
    elif block == c'2' and p[0] == c'O' and (length == OUTPUT_LENGTH or length == OUTPUT_LENGTH + 1):
        add_parts(x, tree, at, p, length, OUTPUT, OUTPUT_LENGTHS, 7)
    else:
        tree.elements[at].type = T_NAME_VALUE
        tree.put_raw(at, p, length, K_PLAIN, x.ascii)
    return end + 1


cdef int add_parts(Scanner *x, Arena tree, int32_t at, const char *p, Py_ssize_t length, uint32_t *names,
                   int *lengths, int count) except -1:
    cdef int i
    cdef int32_t made
    for i in range(count):
        if length < lengths[i]:
            break
        made = append(tree, at, tree.own_id(names[i]), 0, T_NAME_VALUE, R_ELEMENT)
        tree.put_raw(made, p, lengths[i], K_PLAIN, x.ascii)
        p += lengths[i]
        length -= lengths[i]
    return 0


cdef const char *scan_tags(Scanner *x, Arena tree, int32_t at, const char *p) except NULL:
    """Scan {tag:value}{tag:value} to the } of their block."""
    cdef const char *colon
    cdef const char *end
    cdef int32_t made
    while p[0] == c'{':
        p += 1
        end = <const char *>memchr(p, c'}', x.end - p)
        if end == NULL:
            fail(x, "a tag does not end", p)
        colon = <const char *>memchr(p, c':', end - p)
        if colon == NULL or colon == p:
            fail(x, "a tag is {name:value}", p)
        if memchr(p, c'{', end - p) != NULL:
            fail(x, "{ inside a tag", <const char *>memchr(p, c'{', end - p))
        made = append(tree, at, tree.name_below(at, p, colon - p), 0, T_NAME_VALUE, R_ELEMENT)
        tree.put_raw(made, colon + 1, end - colon - 1, K_PLAIN, x.ascii)
        p = end + 1
    if p[0] != c'}':
        fail(x, "a block of tags ends with }", p)
    return p + 1


cdef const char *scan_text_block(Scanner *x, Arena tree, int32_t block, const char *p) except NULL:
    """Scan the lines of block 4 to -}."""
    cdef int32_t above = block
    if p[0] == 13:
        p += 1
    if p[0] != 10:
        fail(x, "block 4 begins with a new line", p)
    p += 1
    while not (p[0] == c'-' and p[1] == c'}'):
        if p[0] != c':' or not is_tag(p + 1):
            fail(x, "block 4 does not end with -}" if p == x.end else "a line that begins no field, as in :20C:", p)
        if p[1] == c'1' and p[2] == c'6' and (p[3] == c'R' or p[3] == c'S'):
            p = scan_sequence(x, tree, &above, p)
        else:
            p = scan_field(x, tree, above, p)
    if above != block:
        fail(x, f"sequence {<object>tree.entry(tree.elements[above].name).text} has no 16S", p)
    return p + 2


cdef inline bint is_tag(const char *p) noexcept:
    """Return whether two digits, optionally a letter, and a colon follow."""
    return c'0' <= p[0] <= c'9' and c'0' <= p[1] <= c'9' and (
        p[2] == c':' or ((c'A' <= p[2] <= c'Z' or c'a' <= p[2] <= c'z') and p[3] == c':'))


cdef inline const char *line_end(Scanner *x, const char *p) except NULL:
    cdef const char *end = <const char *>memchr(p, 10, x.end - p)
    if end == NULL:
        fail(x, "block 4 does not end with -}", x.end)
    return end


cdef const char *scan_sequence(Scanner *x, Arena tree, int32_t *above, const char *p) except NULL:
    """Open or close a sequence; return the next line."""
    cdef const char *value = p + 5
    cdef const char *line = line_end(x, value)
    cdef const char *end = line - 1 if line > value and line[-1] == 13 else line
    cdef uint32_t name
    if end == value or end - value > SEQUENCE_NAME_MAX:
        fail(x, f"a sequence has a name of at most {SEQUENCE_NAME_MAX} characters", value)
    if p[3] == c'R':
        if x.depth == x.depth_max:
            fail(x, f"sequences are nested more than {x.depth_max} deep", p, 8110)
        x.depth += 1
        above[0] = append(tree, above[0], tree.name_below(above[0], value, end - value), 0, T_NAME, R_ELEMENT)
        tree.elements[above[0]].raw = p
        return line + 1
    name = tree.name_id(value, end - value)
    if x.depth == 0 or tree.elements[above[0]].name != name:
        fail(x, "16S closes another sequence than the one that is open", value)
    x.depth -= 1
    tree.elements[above[0]].raw_length = <uint32_t>(line + 1 - tree.elements[above[0]].raw)
    tree.elements[above[0]].flags |= F_TIDY
    above[0] = tree.elements[above[0]].parent
    return line + 1


cdef const char *scan_field(Scanner *x, Arena tree, int32_t above, const char *p) except NULL:
    """Add one field; return the next line."""
    cdef const char *name = p + 1
    cdef const char *name_end = p + 3 if p[3] == c':' else p + 4
    cdef const char *value = name_end + 1
    cdef const char *scheme = NULL
    cdef const char *slash
    cdef const char *line
    cdef const char *end
    cdef int32_t at, made
    if value[0] == c':' and x.end - value > 6 and value[5] == c'/' and is_qualifier(value + 1):
        slash = value + 6
        while is_capital_or_digit(slash[0]) and slash - value - 6 < SCHEME_MAX:
            slash += 1
        if slash[0] == c'/':
            scheme = value + 6
            name_end = value + 5
            value = slash + 1
    line = line_end(x, value)
    while line[1] != c':' and not (line[1] == c'-' and line[2] == c'}'):
        line = line_end(x, line + 1)
    end = line - 1 if line > value and line[-1] == 13 else line
    at = append(tree, above, tree.name_below(above, name, name_end - name), 0, T_NAME_VALUE, R_ELEMENT)
    tree.elements[at].raw = value
    tree.elements[at].raw_length = <uint32_t>(end - value)
    tree.elements[at].kind = K_PLAIN
    tree.elements[at].flags |= <uint16_t>x.ascii
    if scheme != NULL and value - scheme > 1:
        made = append(tree, at, tree.own_id(N_SCHEME), 0, T_NAME_VALUE, R_ELEMENT)
        tree.put_raw(made, scheme, value - scheme - 1, K_PLAIN, x.ascii)
    return line + 1


cdef inline bint is_qualifier(const char *p) noexcept:
    return (is_capital_or_digit(p[0]) and is_capital_or_digit(p[1]) and is_capital_or_digit(p[2])
            and is_capital_or_digit(p[3]))


cdef inline bint is_capital_or_digit(char c) noexcept:
    return c'A' <= c <= c'Z' or c'0' <= c <= c'9'
