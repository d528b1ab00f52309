# cython: language_level=3, boundscheck=False, cdivision=True
"""Codecs of numbers in fixed structures: binary integers, packed and external decimals, floats.

Lengths belong to the fields, so one codec serves all lengths. Numbers of more than 18 digits use Python's
int. A value that does not fit a field is refused, never cut: a DECIMAL with more decimals than the field has
is an error; a FLOAT, which is inexact anyway, is rounded.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from penstock.tree.core._output cimport OutputBuffer
from penstock.tree.core._scalar cimport Scalar, as_integer, as_number, float_scalar, integer_scalar
from penstock.tree.model._codec cimport Codec

import decimal
import math

cdef object Decimal = decimal.Decimal
# The precision of ESQL does not apply to the bytes of a field.
cdef object EXACT = decimal.Context(prec=400, Emax=999999, Emin=-999999, rounding=decimal.ROUND_HALF_EVEN)

cdef enum:
    QUICK_DIGITS = 18
    DIGITS_MAX = 300

cdef extern from "Python.h":
    object PyUnicode_New(Py_ssize_t length, unsigned int highest)
    void *PyUnicode_DATA(object text)


cdef object number_of(int64_t value, int scale):
    """Return an integer, or the DECIMAL with this many decimals."""
    cdef char room[48]
    cdef int at = 48, digits = 0
    cdef uint64_t rest
    cdef bint negative = value < 0
    if scale == 0:
        return value
    if not 0 < scale <= 20:
        return Decimal(value).scaleb(-scale, EXACT)
    rest = 0 - <uint64_t>value if negative else <uint64_t>value
    while rest or digits <= scale:
        if digits == scale:
            at -= 1
            room[at] = c'.'
        at -= 1
        room[at] = <char>(48 + rest % 10)
        rest //= 10
        digits += 1
    if negative:
        at -= 1
        room[at] = c'-'
    text = PyUnicode_New(48 - at, 127)
    memcpy(PyUnicode_DATA(text), room + at, 48 - at)
    return Decimal(text)


cdef object scaled_decimal(object digits, int scale):
    """Return a Python int of any size with this many decimals."""
    return digits if scale == 0 else Decimal(digits).scaleb(-scale, EXACT)


cdef object unscaled(object value, int scale):
    """Return a value as a whole number of units of the last decimal."""
    cdef object number, units
    if type(value) is int:
        return value if scale == 0 else value * 10 ** <object>scale if scale > 0 else unscaled(Decimal(value), scale)
    if type(value) is float:
        if not math.isfinite(value):
            raise ValueError("no finite number")
        return int(Decimal(repr(value)).scaleb(scale, EXACT).to_integral_value(context=EXACT))
    if type(value) is bool:
        return int(value) * 10 ** <object>max(scale, 0)
    if type(value) is str:
        try:
            number = Decimal(value.strip())
        except decimal.InvalidOperation:
            raise ValueError("no number") from None
    elif isinstance(value, decimal.Decimal):
        number = value
    else:
        raise ValueError(f"no number, but {type(value).__name__}")
    if not number.is_finite():
        raise ValueError("no finite number")
    if not -DIGITS_MAX <= number.adjusted() <= DIGITS_MAX:
        raise ValueError("a number too large, or too small")
    units = number.scaleb(scale, EXACT)
    whole = int(units)
    if whole != units:
        raise ValueError(f"more than {scale} decimals" if scale > 0 else "no whole number")
    return whole


cdef inline uint64_t number_at(const char *raw, Py_ssize_t length, bint little) noexcept:
    """Return an unsigned number in a byte order."""
    cdef uint64_t value = 0
    cdef Py_ssize_t i
    for i in range(length):
        value = value << 8 | <uint8_t>raw[length - 1 - i if little else i]
    return value


cdef inline void set_number(char *room, Py_ssize_t length, bint little, uint64_t value) noexcept:
    """Write the lowest bytes of a number in a byte order."""
    cdef Py_ssize_t i
    for i in range(length):
        room[i if little else length - 1 - i] = <char>(value & 0xFF)
        value >>= 8


cdef class IntegerCodec(Codec):
    """Binary integers of 1 to 8 bytes."""

    cdef bint little, has_sign
    cdef int scale

    def __init__(self, *, little, has_sign=True, scale=0):
        self.little = little
        self.has_sign = has_sign
        self.scale = scale

    cdef bint read_scalar(self, const char *raw, Py_ssize_t length, Scalar *scalar) noexcept:
        cdef uint64_t value
        if self.scale or not 1 <= length <= 8:
            return False
        value = number_at(raw, length, self.little)
        if not self.has_sign:
            return value < <uint64_t>1 << 63 and integer_scalar(scalar, <int64_t>value)
        if length < 8 and value >> (8 * length - 1):
            value |= ~<uint64_t>0 << (8 * length)
        return integer_scalar(scalar, <int64_t>value)

    cdef bint write_scalar(self, Scalar *scalar, OutputBuffer out, Py_ssize_t length) except -1:
        cdef int64_t value, beyond
        if self.scale or not 1 <= length <= 8 or not as_integer(scalar, &value):
            return False
        beyond = value >> (8 * length - 1)  # nothing, or only signs
        if beyond and (beyond != -1 or not self.has_sign) and not (beyond == 1 and not self.has_sign):
            return False
        if out.end - out.at < length:
            out.make_room(length)
        set_number(out.at, length, self.little, <uint64_t>value)
        out.at += length
        return True

    cdef object decode(self, const char *raw, Py_ssize_t length):
        cdef uint64_t value
        if not 1 <= length <= 8:
            raise ValueError(f"an integer of {length} bytes")
        value = number_at(raw, length, self.little)
        if not self.has_sign:
            return number_of(<int64_t>value, self.scale) if value < <uint64_t>1 << 63 \
                else scaled_decimal(value, self.scale)
        if length < 8 and value >> (8 * length - 1):
            value |= ~<uint64_t>0 << (8 * length)
        return number_of(<int64_t>value, self.scale)

    cdef bytes encode(self, object value, Py_ssize_t length):
        number = unscaled(value, self.scale)
        try:
            return number.to_bytes(length, "little" if self.little else "big", signed=self.has_sign)
        except OverflowError:
            raise ValueError(f"does not fit in {length} {'' if self.has_sign else 'unsigned '}bytes") from None


cdef class PackedCodec(Codec):
    """Two digits per byte, the last half byte is the sign."""

    cdef bint has_sign
    cdef int scale, positive

    def __init__(self, *, scale=0, has_sign=True, positive=0xC):
        self.scale = scale
        self.has_sign = has_sign
        self.positive = positive

    cdef object decode(self, const char *raw, Py_ssize_t length):
        cdef int64_t value = 0
        cdef uint8_t byte
        cdef Py_ssize_t i
        if length > QUICK_DIGITS // 2:
            return self.decode_long(raw, length)
        for i in range(length):
            byte = <uint8_t>raw[i]
            if byte >> 4 > 9 or (byte & 15 > 9) != (i == length - 1):
                raise ValueError("no packed decimal")
            value = value * 10 + (byte >> 4)
            if i < length - 1:
                value = value * 10 + (byte & 15)
        byte = <uint8_t>raw[length - 1] & 15
        return number_of(-value if byte == 0xD or byte == 0xB else value, self.scale)

    cdef object decode_long(self, const char *raw, Py_ssize_t length):
        text = PyBytes_FromStringAndSize(raw, length).hex()
        if not (text[:-1].isdecimal() and text[-1] in "abcdef") or length > DIGITS_MAX:
            raise ValueError("no packed decimal")
        value = int(text[:-1])
        return scaled_decimal(-value if text[-1] in "bd" else value, self.scale)

    cdef bytes encode(self, object value, Py_ssize_t length):
        number = unscaled(value, self.scale)
        if number < 0 and not self.has_sign:
            raise ValueError("negative, and the field has no sign")
        digits = str(abs(number)).rjust(2 * length - 1, "0")
        if len(digits) > 2 * length - 1:
            raise ValueError(f"more than {2 * length - 1} digits")
        return bytes.fromhex(f"{digits}{(0xD if number < 0 else self.positive):x}")


cdef class ZonedCodec(Codec):
    """One digit per byte; the sign is in the first or last digit, in a separate byte, or absent."""

    cdef int scale, sign, zero, plus, minus, pad
    cdef bint separate
    cdef bytes positive, negative
    cdef signed char digit[256]  # with the sign: -1 none, 0 to 9, 16 to 25 negative

    def __init__(self, *, scale=0, sign="none", separate=False, zero=0x30, positive=b"0123456789",
                 negative=b"pqrstuvwxy", plus=0x2B, minus=0x2D, pad=0x30):
        self.scale = scale
        self.sign = {"none": 0, "leading": 1, "trailing": 2}[sign]
        self.separate = separate
        self.zero = zero
        self.plus, self.minus, self.pad = plus, minus, pad
        self.positive, self.negative = positive, negative
        memset(self.digit, 0xFF, 256)
        for i in range(10):
            self.digit[<uint8_t>negative[i]] = <signed char>(16 + i)
        for i in range(10):
            self.digit[zero + i] = <signed char>i
            self.digit[<uint8_t>positive[i]] = <signed char>i

    cdef object decode(self, const char *raw, Py_ssize_t length):
        cdef Py_ssize_t first = 0, last = length, at, i
        cdef bint negative = False
        cdef int64_t value = 0
        cdef int digit
        if self.sign and self.separate:
            at = 0 if self.sign == 1 else length - 1
            if length < 2 or (<uint8_t>raw[at] != self.plus and <uint8_t>raw[at] != self.minus):
                raise ValueError("no external decimal: a sign is missing")
            negative = <uint8_t>raw[at] == self.minus
            first, last = (1, length) if at == 0 else (0, length - 1)
        while first < last - 1 and <uint8_t>raw[first] == self.pad and self.pad != self.zero:
            first += 1
        if last - first > QUICK_DIGITS:
            return self.decode_long(raw, first, last, negative)
        if first == last:
            raise ValueError("no external decimal: it is empty")
        for i in range(first, last):
            digit = <uint8_t>raw[i] - self.zero
            if not 0 <= digit <= 9:
                digit = self.signed_digit(raw, i, first, last)
                if digit > 9:
                    negative = True
                    digit -= 16
            value = value * 10 + digit
        return number_of(-value if negative else value, self.scale)

    cdef int signed_digit(self, const char *raw, Py_ssize_t at, Py_ssize_t first, Py_ssize_t last) except -1:
        cdef int digit = self.digit[<uint8_t>raw[at]]
        if digit < 0 or self.sign == 0 or self.separate or at != (first if self.sign == 1 else last - 1):
            raise ValueError(f"no external decimal: byte {at + 1} is no digit")
        return digit

    cdef object decode_long(self, const char *raw, Py_ssize_t first, Py_ssize_t last, bint negative):
        cdef Py_ssize_t i
        cdef int digit
        if last - first > DIGITS_MAX:
            raise ValueError(f"more than {DIGITS_MAX} digits")
        text = bytearray()
        for i in range(first, last):
            digit = <uint8_t>raw[i] - self.zero
            if not 0 <= digit <= 9:
                digit = self.signed_digit(raw, i, first, last)
                if digit > 9:
                    negative = True
                    digit -= 16
            text.append(48 + digit)
        value = int(text)
        return scaled_decimal(-value if negative else value, self.scale)

    cdef bytes encode(self, object value, Py_ssize_t length):
        number = unscaled(value, self.scale)
        if number < 0 and self.sign == 0:
            raise ValueError("negative, and the field has no sign")
        room = length - 1 if self.sign and self.separate else length
        digits = str(abs(number))
        if length < 0:
            room = len(digits)
        if len(digits) > room:
            raise ValueError(f"more than {room} digits")
        pad = "0" if self.pad == self.zero else None
        data = bytearray(self.zero + ord(digit) - 48 for digit in digits.rjust(room, pad or "0"))
        if pad is None:
            data[:room - len(digits)] = bytes((self.pad,)) * (room - len(digits))
        if self.sign and self.separate:
            data.insert(0 if self.sign == 1 else len(data), self.minus if number < 0 else self.plus)
        elif self.sign:
            at = (room - len(digits) if pad is None else 0) if self.sign == 1 else len(data) - 1
            data[at] = (self.negative if number < 0 else self.positive)[data[at] - self.zero]
        return bytes(data)


cdef class FloatCodec(Codec):
    """Floats of 4 or 8 bytes: IEEE, or the hexadecimal ones of System/390."""

    cdef bint little, hexadecimal

    def __init__(self, *, little, hexadecimal=False):
        self.little = little
        self.hexadecimal = hexadecimal

    cdef bint read_scalar(self, const char *raw, Py_ssize_t length, Scalar *scalar) noexcept:
        cdef uint64_t bits
        cdef double number
        if self.hexadecimal or length != 8:
            return False
        bits = number_at(raw, 8, self.little)
        memcpy(&number, &bits, 8)
        return float_scalar(scalar, number)

    cdef bint write_scalar(self, Scalar *scalar, OutputBuffer out, Py_ssize_t length) except -1:
        cdef uint64_t bits
        cdef double number
        if self.hexadecimal or length != 8 or not as_number(scalar, &number):
            return False
        memcpy(&bits, &number, 8)
        if out.end - out.at < 8:
            out.make_room(8)
        set_number(out.at, 8, self.little, bits)
        out.at += 8
        return True

    cdef object decode(self, const char *raw, Py_ssize_t length):
        cdef uint64_t bits
        cdef uint64_t fraction
        cdef float single
        cdef double double_
        cdef unsigned int small
        if length != 4 and length != 8:
            raise ValueError(f"a float of {length} bytes")
        bits = number_at(raw, length, self.little)
        if self.hexadecimal:
            fraction = bits & ((<uint64_t>1 << (8 * length - 8)) - 1)
            double_ = math.ldexp(fraction, 4 * (<int>(bits >> (8 * length - 8) & 0x7F) - 64) - (8 * <int>length - 8))
            return -double_ if bits >> (8 * length - 1) else double_
        if length == 4:
            small = <unsigned int>bits
            memcpy(&single, &small, 4)
            return single
        memcpy(&double_, &bits, 8)
        return double_

    cdef bytes encode(self, object value, Py_ssize_t length):
        cdef float single
        cdef double number
        cdef uint64_t bits = 0
        cdef unsigned int small
        cdef char room[8]
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ValueError("no number") from None
        if length != 4 and length != 8:
            raise ValueError(f"a float of {length} bytes")
        if self.hexadecimal:
            bits = hexadecimal_bits(number, <int>length)
        elif length == 4:
            single = <float>number
            if math.isinf(single) and not math.isinf(number):
                raise ValueError("too large for a float of 4 bytes")
            memcpy(&small, &single, 4)
            bits = small
        else:
            memcpy(&bits, &number, 8)
        set_number(room, length, self.little, bits)
        return PyBytes_FromStringAndSize(room, length)


cdef uint64_t hexadecimal_bits(double value, int length) except? 0:
    """Return the bits of a float of System/390: base 16, excess 64, no infinity."""
    cdef int digits = 8 * length - 8
    if not math.isfinite(value):
        raise ValueError("hexadecimal floats have no infinity")
    if value == 0:
        return 0
    fraction, exponent = math.frexp(abs(value))
    power = -(-exponent // 4)
    whole = round(math.ldexp(fraction, exponent - 4 * power + digits))
    if whole >> digits:
        whole >>= 4
        power += 1
    if power > 63:
        raise ValueError("too large for a hexadecimal float")
    if power < -64:
        return 0
    return (<uint64_t>(value < 0) << (8 * length - 1)) | (<uint64_t>(power + 64) << digits) | <uint64_t>whole
