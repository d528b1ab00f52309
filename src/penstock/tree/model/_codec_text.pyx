# cython: language_level=3, boundscheck=False, cdivision=True
"""Codecs of text: strings in any character set with padding, numbers as text in UTF-8, and raw bytes.

Strings of fixed structures are in the message's own character set; those of tagged and XML formats are UTF-8,
because their scanners see the text as UTF-8. Padding is removed when a value is read and added when it is
written to a length.
"""

import codecs
import decimal

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from penstock.tree.model._codec cimport Codec
from penstock.tree.model._codec_numbers cimport unscaled
from penstock.tree.core._output cimport OutputBuffer, put
from penstock.tree.core._scalar cimport (
    S_FLOAT, S_INTEGER, S_TEXT, Scalar, as_integer, as_number, float_scalar, integer_scalar, put_integer, put_number, short_decimal,
    short_integer, text_scalar,
)
from penstock.tree.core._text cimport ps_ascii
from penstock.tree.core._values cimport characters

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(str text)
    Py_ssize_t PyUnicode_GET_LENGTH(str text)
    const void *PyUnicode_1BYTE_DATA(str text)
    object PyUnicode_New(Py_ssize_t length, unsigned int highest)
    void *PyUnicode_DATA(object text)
    bytes PyUnicode_AsUTF8String(str text)
    object PyUnicode_FromKindAndData(int kind, const void *data, Py_ssize_t length)
    object PyUnicode_Decode(const char *raw, Py_ssize_t length, const char *encoding, const char *errors)
    double PyOS_string_to_double(const char *text, char **end, void *overflow) except? -1.0

cdef object Decimal = decimal.Decimal

cdef enum:
    NO_CHARACTER = 0xFFFF
    STACK_CHARACTERS = 512
    QUICK_DIGITS = 18
    DIGITS_MAX = 4300

cdef enum:
    INTEGER = 0
    DECIMAL = 1
    FLOAT = 2


cdef class StringCodec(Codec):
    """Characters in a character set."""

    cdef bytes charset, pad
    cdef str name
    cdef bint left, trim, single, utf8
    cdef bint ascii  # ASCII is itself
    cdef bint narrow  # all its characters are of Latin-1
    cdef uint16_t table[256]

    def __init__(self, charset, *, pad=b" ", justify="left", trim=True, width=1):
        self.name = charset
        self.charset = charset.encode("ascii")
        self.pad = pad
        self.left = justify == "left"
        self.trim = trim and len(pad) > 0
        self.utf8 = codecs.lookup(charset).name in ("utf-8", "ascii")
        self.single = width == 1 and not self.utf8 and _single_byte(charset)
        self.ascii = bytes(range(128)).decode(charset, "replace") == "".join(map(chr, range(128)))
        if self.single:
            for i in range(256):
                character = bytes((i,)).decode(charset, "replace")
                self.table[i] = NO_CHARACTER if character == "\ufffd" else <uint16_t>ord(character)
            self.narrow = max(self.table) < 256

    cdef void strip(self, const char **raw, Py_ssize_t *length) noexcept:
        """Remove the padding."""
        cdef Py_ssize_t size = PyBytes_GET_SIZE(self.pad)
        cdef const char *pad = PyBytes_AS_STRING(self.pad)
        if not self.trim:
            return
        if self.left:
            while length[0] >= size and raw[0][length[0] - 1] == pad[size - 1] and (
                    size == 1 or memcmp(raw[0] + length[0] - size, pad, size) == 0):
                length[0] -= size
            return
        while length[0] >= size and memcmp(raw[0], pad, size) == 0:
            raw[0] += size
            length[0] -= size

    cdef bint read_scalar(self, const char *raw, Py_ssize_t length, Scalar *scalar) noexcept:
        self.strip(&raw, &length)
        return self.ascii and ps_ascii(raw, length) and text_scalar(scalar, raw, length)

    cdef bint write_scalar(self, Scalar *scalar, OutputBuffer out, Py_ssize_t length) except -1:
        if scalar.kind == S_FLOAT or not self.ascii:
            return False
        if length < 0:
            if scalar.kind == S_INTEGER:
                put_integer(out, scalar.integer)
            else:
                put(out, scalar.text, scalar.length)
            return True
        if scalar.kind != S_TEXT or scalar.length > length or not self.left or PyBytes_GET_SIZE(self.pad) != 1:
            return False
        if out.end - out.at < length:
            out.make_room(length)
        memcpy(out.at, scalar.text, scalar.length)
        memset(out.at + scalar.length, PyBytes_AS_STRING(self.pad)[0], length - scalar.length)
        out.at += length
        return True

    cdef object decode(self, const char *raw, Py_ssize_t length):
        self.strip(&raw, &length)
        try:
            if self.utf8:
                return PyUnicode_DecodeUTF8(raw, length, NULL)
            if self.ascii and ps_ascii(raw, length):
                return one_byte_text(raw, length, 127)
            if self.narrow:
                return self.translate_narrow(raw, length)
            if self.single:
                return self.translate(raw, length)
            return PyUnicode_Decode(raw, length, PyBytes_AS_STRING(self.charset), NULL)
        except UnicodeDecodeError as problem:
            raise ValueError(f"not text in {self.name}: {problem.reason} at byte {problem.start}") from problem

    cdef object translate_narrow(self, const char *raw, Py_ssize_t length):
        """Return text of a single-byte character set whose characters are all in Latin-1."""
        cdef bytes room = PyBytes_FromStringAndSize(NULL, length)
        cdef char *plain = PyBytes_AS_STRING(room)
        cdef int seen = 0
        cdef Py_ssize_t i
        for i in range(length):
            plain[i] = <char>self.table[<uint8_t>raw[i]]
            seen |= plain[i]
        return one_byte_text(plain, length, 255 if seen & 0x80 else 127)

    cdef object translate(self, const char *raw, Py_ssize_t length):
        """Return text of a single-byte character set, by table."""
        cdef uint16_t stack[STACK_CHARACTERS]
        cdef uint16_t *room = stack
        cdef uint16_t character
        cdef Py_ssize_t i
        if length > STACK_CHARACTERS:
            room = <uint16_t *>malloc(length * sizeof(uint16_t))
            if room == NULL:
                raise MemoryError
        try:
            for i in range(length):
                character = self.table[<uint8_t>raw[i]]
                if character == NO_CHARACTER:
                    raise ValueError(f"byte {<uint8_t>raw[i]:#04x} is no character of {self.name}")
                room[i] = character
            return PyUnicode_FromKindAndData(2, room, length)
        finally:
            if room != stack:
                free(room)

    cdef bytes encode(self, object value, Py_ssize_t length):
        cdef bytes data
        cdef str text = characters(value)
        if self.ascii and PyUnicode_IS_ASCII(text):
            if length < 0:
                return PyUnicode_AsUTF8String(text)
            if self.left and PyBytes_GET_SIZE(self.pad) == 1 and PyUnicode_GET_LENGTH(text) <= length:
                return padded(text, PyBytes_AS_STRING(self.pad)[0], length)
        try:
            data = text.encode(self.name)
        except UnicodeEncodeError as problem:
            raise ValueError(f"{problem.object[problem.start]!r} has no place in {self.name}") from problem
        missing = length - len(data)
        if length < 0 or missing == 0:
            return data
        size = len(self.pad)
        if missing < 0:
            raise ValueError(f"longer than {length} bytes")
        if size == 0 or missing % size:
            raise ValueError(f"{missing} bytes cannot be padded")
        return data + self.pad * (missing // size) if self.left else self.pad * (missing // size) + data


cdef object one_byte_text(const char *raw, Py_ssize_t length, unsigned int highest):
    """Return text whose characters are these bytes, with the given highest one."""
    if length <= 1:  # Python has one of each
        return PyUnicode_FromKindAndData(1, raw, length)
    text = PyUnicode_New(length, highest)
    memcpy(PyUnicode_DATA(text), raw, length)
    return text


cdef bytes padded(str text, char pad, Py_ssize_t length):
    """Return ASCII text followed by padding."""
    cdef bytes data = PyBytes_FromStringAndSize(NULL, length)
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(text)
    memcpy(PyBytes_AS_STRING(data), PyUnicode_1BYTE_DATA(text), size)
    memset(PyBytes_AS_STRING(data) + size, pad, length - size)
    return data


def _single_byte(charset):
    try:
        return all(len(bytes((i,)).decode(charset, "replace")) == 1 for i in range(256)) and \
            len(b"\x81\x40".decode(charset, "replace")) == 2 and len("A".encode(charset)) == 1 and \
            len(b"\x1b\x24\x42\x21\x21".decode(charset, "replace")) == 5 and charset not in _MULTI_BYTE
    except UnicodeError:
        return False


_MULTI_BYTE = frozenset({"cp932", "shift_jis", "euc_jp", "gbk", "gb2312", "gb18030", "cp949", "euc_kr", "cp950",
                         "big5hkscs", "utf-16-le", "utf-16-be"})


cdef class BytesCodec(Codec):
    """Bytes without conversion."""

    cdef bytes pad

    def __init__(self, *, pad=b"\0"):
        self.pad = pad

    cdef object decode(self, const char *raw, Py_ssize_t length):
        return PyBytes_FromStringAndSize(raw, length)

    cdef bytes encode(self, object value, Py_ssize_t length):
        if type(value) is str:
            value = bytes.fromhex(value)
        if type(value) is not bytes:
            raise ValueError("no bytes")
        if length >= 0 and len(value) > length:
            raise ValueError(f"longer than {length} bytes")
        return value if length < 0 else value.ljust(length, self.pad)


cdef class NumberTextCodec(Codec):
    """A number as text: INTEGER, DECIMAL or FLOAT, with an explicit or implied decimal point."""

    cdef int kind, scale
    cdef bint virtual, left
    cdef str point, pad
    cdef char pad_byte, point_byte

    def __init__(self, kind, *, point=".", pad="0", justify="right", scale=None, characters=True):
        self.kind = {"integer": INTEGER, "decimal": DECIMAL, "float": FLOAT}[kind]
        self.virtual = scale is not None
        self.scale = scale or 0
        self.left = justify == "left"
        self.point, self.pad = point, pad
        self.pad_byte = <char>(ord(pad) if pad.isascii() and len(pad) == 1 else 32)
        self.point_byte = <char>ord(point)

    cdef void strip(self, const char **raw, Py_ssize_t *length) noexcept:
        """Remove the padding, except zeros."""
        while length[0] and (raw[0][length[0] - 1] == 32 or (self.left and raw[0][length[0] - 1] == self.pad_byte
                                                             and self.pad_byte != c'0')):
            length[0] -= 1
        while length[0] > 1 and (raw[0][0] == 32 or (not self.left and raw[0][0] == self.pad_byte and raw[0][0] != c'0')):
            raw[0] += 1
            length[0] -= 1

    cdef bint read_scalar(self, const char *raw, Py_ssize_t length, Scalar *scalar) noexcept:
        cdef int64_t integer
        cdef double number
        self.strip(&raw, &length)
        if self.kind == INTEGER:
            return not self.virtual and short_integer(raw, length, &integer) and integer_scalar(scalar, integer)
        return (self.kind == FLOAT and self.point_byte == c'.' and short_decimal(raw, length, &number)
                and float_scalar(scalar, number))

    cdef bint write_scalar(self, Scalar *scalar, OutputBuffer out, Py_ssize_t length) except -1:
        cdef int64_t integer
        cdef double number
        if length >= 0 or self.virtual or self.kind == DECIMAL:
            return False
        if self.kind == FLOAT:
            return self.point_byte == c'.' and as_number(scalar, &number) and put_number(out, number)
        if not as_integer(scalar, &integer):
            return False
        put_integer(out, integer)
        return True

    cdef object decode(self, const char *raw, Py_ssize_t length):
        cdef int64_t value = 0
        self.strip(&raw, &length)
        if length == 0:
            raise ValueError("no number: it is empty")
        if self.kind == FLOAT:
            return self.decode_float(raw, length)
        if self.kind == DECIMAL or length > QUICK_DIGITS or self.virtual:
            return self.decode_long(raw, length)
        if not short_integer(raw, length, &value):
            raise ValueError("no number: a sign alone" if length == 1 and raw[0] in b"+-" else "no INTEGER")
        return value

    cdef object decode_float(self, const char *raw, Py_ssize_t length):
        cdef char room[64]
        cdef Py_ssize_t i
        if length >= 64:
            raise ValueError("no FLOAT: too many digits")
        for i in range(length):
            room[i] = c'.' if raw[i] == self.point_byte else raw[i]
        room[length] = 0
        return PyOS_string_to_double(room, NULL, NULL)

    cdef object decode_long(self, const char *raw, Py_ssize_t length):
        text = PyUnicode_DecodeUTF8(raw, length, "replace")
        if length > DIGITS_MAX:
            raise ValueError(f"no number: more than {DIGITS_MAX} digits")
        if self.point != ".":
            if "." in text:
                raise ValueError("no number: the decimal point is " + self.point)
            text = text.replace(self.point, ".")
        try:
            if "_" in text:
                raise ValueError
            if self.kind == INTEGER and not self.virtual:
                return int(text)
            value = Decimal(text)
            if not value.is_finite() or not -DIGITS_MAX <= value.adjusted() <= DIGITS_MAX:
                raise ValueError
        except (ValueError, decimal.InvalidOperation):
            raise ValueError("no INTEGER" if self.kind == INTEGER else "no DECIMAL") from None
        if self.virtual and self.scale and "." not in text:
            return value.scaleb(-self.scale)
        return int(value) if self.virtual and not self.scale and self.kind == INTEGER else value

    cdef bytes encode(self, object value, Py_ssize_t length):
        cdef bytes data
        cdef str text = self.text_of(value)
        missing = length - len(text)
        if length >= 0 and missing < 0:
            raise ValueError(f"longer than {length} characters")
        if length >= 0 and missing:
            if self.left:
                text += " " * missing if self.pad == "0" else self.pad * missing
            elif self.pad == "0" and text[0] in "+-":
                text = text[0] + "0" * missing + text[1:]
            else:
                text = self.pad * missing + text
        return PyUnicode_AsUTF8String(text)

    cdef str text_of(self, object value):
        cdef str text
        if self.virtual:
            return str(unscaled(value, self.scale))
        if self.kind == INTEGER:
            return str(value) if type(value) is int else str(unscaled(value, 0))
        if self.kind == FLOAT:
            text = repr(float(value))
            if text[-1] not in "0123456789":
                return {"nan": "NaN", "inf": "INF"}.get(text, "-INF")  # as in XML Schema
        elif isinstance(value, decimal.Decimal):
            if not value.is_finite():
                raise ValueError("no finite number")
            if not -DIGITS_MAX <= value.adjusted() <= DIGITS_MAX:
                raise ValueError(f"a number of more than {DIGITS_MAX} digits")
            text = format(value, "f")
        else:
            return self.text_of(Decimal(repr(value) if type(value) is float else str(value).strip()))
        return text if self.point == "." else text.replace(".", self.point)
