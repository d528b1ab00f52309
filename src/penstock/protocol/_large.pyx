# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Large frames, read a slice at a time, so that the reader can do other work in between.

`Values` makes the arguments of a call (MessagePack), `Bodies` the messages of a PUT_MANY. `step` reads about so
many bytes and says whether that was all. A long text comes as `LongText`: nobody wants it in one piece.
Every length is checked before it is used; ValueError for what makes no sense.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint32_t
from libc.string cimport memcpy

from penstock.protocol._frames cimport Frame
from penstock.store._packed cimport big_endian, count, head_of

from penstock.protocol import numbers as protocol

cdef enum:
    DEEPEST = 16  # as deep as values nest
    VALUE_COST = 64  # bytes that could be copied in the time that a small value takes
    TEXT_BYTES_MAX = 64 << 10  # of a text in one piece

cdef uint32_t MESSAGES_MAX = protocol.FRAME_MESSAGES_MAX
cdef object UNKNOWN = object()  # the key that comes next


class LongText:
    """A text in pieces, each of which ends where a character ends."""

    def __init__(self):
        self.pieces = []


cdef class Copy:
    """Bytes of a frame that are copied a slice at a time."""

    cdef bytes made
    cdef Py_ssize_t done

    cdef Py_ssize_t step(self, const unsigned char *start, Py_ssize_t budget) noexcept:
        """Copy at most so many bytes of what begins at `start`; return how many are missing."""
        cdef Py_ssize_t length = len(self.made)
        cdef Py_ssize_t part = min(budget, length - self.done)
        memcpy(PyBytes_AS_STRING(self.made) + self.done, start + self.done, part)
        self.done += part
        return length - self.done


cdef class Values:
    """The packed values of a frame."""

    cdef Frame frame
    cdef Py_ssize_t at
    cdef int depth
    cdef unsigned long long left[DEEPEST + 1]  # values that are still to come, for each level
    cdef list holders  # lists and dicts that are being filled, outermost first
    cdef list keys  # of the dicts among them
    cdef Copy copy
    cdef object text
    cdef Py_ssize_t text_end
    cdef bint done
    cdef readonly int steps
    cdef readonly object value

    def __cinit__(self, Frame frame not None, Py_ssize_t values_max):
        cdef Py_ssize_t found
        self.frame = frame
        found = count(frame.at, frame.size, values_max, DEEPEST)
        if found < 0:
            raise ValueError("the data are cut off, or not packed values")
        if found > values_max:
            raise OverflowError(f"more than {values_max} values, or nested too deep")
        self.holders = []
        self.keys = []

    cpdef bint step(self, Py_ssize_t budget) except -1:
        """Read about so many bytes; True when `value` is there."""
        cdef Py_ssize_t before
        self.steps += 1
        while budget > 0:
            before = self.at
            if self.copy is not None:
                budget -= self.go_on_copying(budget)
            elif self.text is not None:
                budget -= self.go_on_with_text()
            else:
                self.read()
                budget -= self.at - before + VALUE_COST
            if self.done:
                return True
        return False

    cdef bint read(self) except -1:
        """Read one value, or the beginning of one; `count` has seen that all of it is there."""
        cdef const unsigned char *data = self.frame.at
        cdef unsigned char first = data[self.at]
        cdef bint holds = False
        cdef int pairs = 1, size = 0
        cdef int own = head_of(first, &holds, &pairs, &size)
        cdef unsigned long long told = own + (big_endian(data + self.at + 1, size) if size else 0)
        self.at += 1 + size
        if holds:
            self.open({} if pairs == 2 else [], told * pairs)
        elif 0xC4 <= first <= 0xC6:
            self.copy = Copy()
            self.copy.made = PyBytes_FromStringAndSize(NULL, <Py_ssize_t>told)
        elif 0xA0 <= first <= 0xBF or 0xD9 <= first <= 0xDB:
            self.read_text(<Py_ssize_t>told)
        elif size or 0xD4 <= first <= 0xD8:
            raise ValueError("an extension is no value of ours")
        else:
            self.keep(scalar(first, data + self.at))
            self.at += <Py_ssize_t>told
        return 0

    cdef bint read_text(self, Py_ssize_t length) except -1:
        if length > TEXT_BYTES_MAX:
            self.text = LongText()
            self.text_end = self.at + length
            return 0
        text = PyUnicode_DecodeUTF8(<const char *>self.frame.at + self.at, length, NULL)
        self.at += length
        self.keep(text)
        return 0

    cdef Py_ssize_t go_on_copying(self, Py_ssize_t budget) except -1:
        cdef Py_ssize_t before = self.copy.done
        if self.copy.step(self.frame.at + self.at, budget):
            return self.copy.done - before
        made, copied = self.copy.made, self.copy.done - before
        self.at += len(made)
        self.copy = None
        self.keep(made)
        return copied

    cdef Py_ssize_t go_on_with_text(self) except -1:
        cdef const unsigned char *start = self.frame.at + self.at
        cdef Py_ssize_t length = min(<Py_ssize_t>TEXT_BYTES_MAX, self.text_end - self.at)
        cdef int back = 0
        if self.at + length < self.text_end:
            while back < 3 and start[length - back] & 0xC0 == 0x80:
                back += 1  # the next piece would begin in the middle of a character
            length -= back
        self.text.pieces.append(PyUnicode_DecodeUTF8(<const char *>start, length, NULL))
        self.at += length
        if self.at == self.text_end:
            text, self.text = self.text, None
            self.keep(text)
        return length

    cdef bint open(self, holder, unsigned long long values) except -1:
        self.holders.append(holder)
        self.keys.append(UNKNOWN)
        self.depth += 1
        self.left[self.depth] = values
        if not values:
            self.close()
        return 0

    cdef bint close(self) except -1:
        self.keys.pop()
        self.depth -= 1
        self.keep(self.holders.pop())
        return 0

    cdef bint keep(self, value) except -1:
        """Put a whole value where it belongs."""
        if self.depth == 0:
            self.value, self.done = value, True
            return 0
        holder = self.holders[self.depth - 1]
        if type(holder) is list:
            (<list>holder).append(value)
        elif self.keys[self.depth - 1] is UNKNOWN:
            self.keys[self.depth - 1] = value
        else:
            (<dict>holder)[self.keys[self.depth - 1]] = value
            self.keys[self.depth - 1] = UNKNOWN
        self.left[self.depth] -= 1
        if self.left[self.depth] == 0:
            self.close()
        return 0


cdef object scalar(unsigned char first, const unsigned char *data):
    cdef float single
    cdef double value
    cdef uint32_t bits32
    cdef unsigned long long bits64
    if first <= 0x7F:
        return first
    if first >= 0xE0:
        return <int>first - 256
    if first == 0xC0:
        return None
    if first <= 0xC3:
        return first == 0xC3
    if first == 0xCA:
        bits32 = <uint32_t>big_endian(data, 4)
        memcpy(&single, &bits32, 4)
        return <double>single
    if first == 0xCB:
        bits64 = big_endian(data, 8)
        memcpy(&value, &bits64, 8)
        return value
    if first <= 0xCF:
        return big_endian(data, 1 << (first - 0xCC))
    if first == 0xD0:
        return <int8_t>data[0]
    if first == 0xD1:
        return <int16_t>big_endian(data, 2)
    if first == 0xD2:
        return <int32_t>big_endian(data, 4)
    return <int64_t>big_endian(data, 8)


cdef class Bodies:
    """The bodies that a PUT_MANY frame carries; its target and persistence are the frame's after the first step."""

    cdef Frame frame
    cdef Py_ssize_t at
    cdef uint32_t missing
    cdef Copy copy
    cdef readonly int steps
    cdef readonly list value

    def __cinit__(self, Frame frame not None):
        self.frame = frame
        self.missing = frame.read_many_head()
        self.at = 12
        self.value = []

    cpdef bint step(self, Py_ssize_t budget) except -1:
        """Read about so many bytes; True when `value` has all bodies."""
        cdef const unsigned char *data = self.frame.at
        cdef Py_ssize_t length, before
        self.steps += 1
        while budget > 0 and self.missing:
            if self.copy is None:
                self.frame.need(self.at + 4)
                length = data[self.at] | data[self.at + 1] << 8 | data[self.at + 2] << 16 | <Py_ssize_t>data[self.at + 3] << 24
                self.at += 4
                self.frame.need(self.at + length)
                self.copy = Copy()
                self.copy.made = PyBytes_FromStringAndSize(NULL, length)
            before = self.copy.done
            if self.copy.step(data + self.at, budget) == 0:
                self.at += len(self.copy.made)
                self.value.append(self.copy.made)
                self.missing -= 1
                budget -= self.copy.done - before + VALUE_COST
                self.copy = None
            else:
                budget = 0
        return self.missing == 0
