# cython: language_level=3, boundscheck=False, wraparound=False
"""Counts the values in packed data and their nesting, before the data is decoded.

MessagePack from an untrusted client may contain an empty list in each byte: decoding it takes a hundred times
its size in memory, and blocks everybody else meanwhile. The count is one pass over the heads, which skips the
content of texts and bytes, and ends as soon as there are too many. Every decoder of external data calls it.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE

cdef enum:
    DEEPEST = 64  # with more the decoder would run out of stack


cdef unsigned long long big_endian(Bytes at, int size) noexcept nogil:
    cdef unsigned long long value = 0
    cdef int index
    for index in range(size):
        value = value << 8 | at[index]
    return value


cdef int head_of(unsigned char first, bint *holds, int *pairs, int *size) noexcept nogil:
    """Find out what follows a first byte: how many bytes contain the length (`size`), and the length of what.

    `holds`: the length counts values, `pairs` of them each time; otherwise bytes. Return the length that the
    first byte itself contains; -1 for an invalid first byte.
    """
    holds[0] = False
    pairs[0] = 1
    size[0] = 0
    if first <= 0x7F or first >= 0xE0 or first in (0xC0, 0xC2, 0xC3):
        return 0  # small numbers, nil, false, true
    if first <= 0x9F:
        holds[0] = True
        pairs[0] = 2 if first <= 0x8F else 1
        return first & 0x0F
    if first <= 0xBF:
        return first & 0x1F
    if first <= 0xC6 and first >= 0xC4:
        size[0] = 1 << (first - 0xC4)  # bytes
    elif first <= 0xC9 and first >= 0xC7:
        size[0] = 1 << (first - 0xC7)  # an extension: its type counts below
        return 1
    elif first in (0xCA, 0xCE, 0xD2):
        return 4
    elif first in (0xCB, 0xCF, 0xD3):
        return 8
    elif first in (0xCC, 0xD0):
        return 1
    elif first in (0xCD, 0xD1):
        return 2
    elif first >= 0xD4 and first <= 0xD8:
        return 1 + (1 << (first - 0xD4))
    elif first >= 0xD9 and first <= 0xDB:
        size[0] = 1 << (first - 0xD9)  # a text
    elif first >= 0xDC:
        holds[0] = True
        pairs[0] = 2 if first >= 0xDE else 1
        size[0] = 2 << (first & 1)
    else:
        return -1
    return 0


cdef Py_ssize_t count(Bytes data, Py_ssize_t length, Py_ssize_t most, int nesting_max) noexcept nogil:
    """Return the number of values, `most` + 1 when there are more or they nest too deep, -1 for nonsense."""
    cdef unsigned long long left[DEEPEST + 1]  # values that are still to come, for each level
    cdef unsigned long long told
    cdef Py_ssize_t at = 0, found = 0
    cdef int depth = 0, size = 0, pairs = 1, own
    cdef bint holds = False
    left[0] = 1
    while True:
        while left[depth] == 0:
            if depth == 0:
                return found if at == length else -1
            depth -= 1
        left[depth] -= 1
        found += 1
        if found > most:
            return most + 1
        if at >= length:
            return -1
        own = head_of(data[at], &holds, &pairs, &size)
        at += 1
        if own < 0 or size > length - at:
            return -1
        told = own + (big_endian(data + at, size) if size else 0)
        at += size
        if not holds:
            if told > <unsigned long long>(length - at):
                return -1
            at += <Py_ssize_t>told
        elif told * pairs > <unsigned long long>(length - at):
            return -1  # each value takes a byte at least
        else:
            depth += 1
            if depth > nesting_max:
                return most + 1
            left[depth] = told * pairs


def values_in(bytes data not None, Py_ssize_t most, int nesting_max=16) -> int:
    """Return how many values packed data hold; `most` + 1 when they are more, or nest deeper than allowed.

    ValueError for data that are not packed values. The work ends with value `most` + 1.
    """
    if not 0 < nesting_max <= DEEPEST:
        raise ValueError(f"values nest 1 to {DEEPEST} levels deep, not {nesting_max}")
    found = count(<Bytes>PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data), most, nesting_max)
    if found < 0:
        raise ValueError("the data are cut off, or not packed values")
    return found
