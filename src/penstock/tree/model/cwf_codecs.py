"""From the physical properties of a CWF field to the codec of its values."""

from __future__ import annotations

from decimal import Decimal
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.constants import MQENC_INTEGER_MASK, MQENC_INTEGER_REVERSED
from penstock.model.errors import error
from penstock.tree.model._codec import Codec, encoded, entered
from penstock.tree.model._codec_numbers import FloatCodec, IntegerCodec, PackedCodec, ZonedCodec
from penstock.tree.model._codec_text import BytesCodec, NumberTextCodec, StringCodec
from penstock.tree.model.times import PATTERNS, DigitsTimeCodec, EpochCodec, TimeCodec

if TYPE_CHECKING:
    from penstock.tree.model.cwf import Cwf

_PHYSICAL = {
    "string": "string",
    "integer": "integer",
    "decimal": "packed",
    "float": "float",
    "boolean": "boolean",
    "binary": "binary",
    "date": "time",
    "time": "time",
    "dateTime": "time",
}
_WIDTHS = {"integer": 4, "float": 8, "boolean": 1, "seconds": 4, "milliseconds": 8}
_FLOAT_MASK, _FLOAT_REVERSED, _FLOAT_S390 = 0xF00, 0x200, 0x300
_EBCDIC_POSITIVE, _EBCDIC_NEGATIVE = bytes(range(0xC0, 0xCA)), bytes(range(0xD0, 0xDA))


class Charset(NamedTuple):
    """The meaning of a message's CCSID and encoding for its fields."""

    name: str
    is_ebcdic: bool
    encoding: int

    @property
    def width(self) -> int:
        """The number of bytes per character, if it is constant."""
        return 2 if self.name.startswith("utf-16") else 1

    @property
    def space(self) -> int:
        """The byte of a space."""
        return 0x40 if self.is_ebcdic else 0x20


def little_endian(order: str, encoding: int) -> bool:
    """Return whether integers have their low byte first."""
    if order not in ("", "big", "little"):
        raise error(
            mq.PSRC_MODEL_ERROR, f'order is "big", "little" or "" for that of the message, not {order!r}'
        )
    return order == "little" or (not order and encoding & MQENC_INTEGER_MASK == MQENC_INTEGER_REVERSED)


def codec_for(name: str, logical: str, said: Cwf, charset: Charset) -> tuple[Codec, int | None]:
    """Return the codec of a field, and its length if its type alone determines it."""
    physical = said.physical or _PHYSICAL[logical]
    make = _MAKERS.get(physical)
    if make is None:
        raise error(
            mq.PSRC_MODEL_ERROR,
            f"field {name}: physical type {physical!r}; there are {', '.join(_MAKERS)}",
            field=name,
        )
    try:
        codec, key = make(logical, said, charset)
        null = _null(codec, said, charset)
    except (ValueError, UnicodeError) as problem:
        raise error(mq.PSRC_MODEL_ERROR, f"field {name}: {problem}", field=name) from problem
    if null is not None:
        codec.set_null(*null)
    return entered(codec, (physical, *key, null)), _WIDTHS.get(physical)


_Made = tuple[Codec, tuple[object, ...]]


def _string(logical: str, said: Cwf, charset: Charset) -> _Made:
    if logical in PATTERNS:
        return _time(logical, said, charset)
    if logical != "string":
        raise ValueError(f"{logical} is not kept as a string; use external")
    pad = _pad(said, charset, " ")
    justify = said.justify or "left"
    key = (charset.name, pad, justify, said.trim)
    return StringCodec(charset.name, pad=pad, justify=justify, trim=said.trim, width=charset.width), key


def _integer(logical: str, said: Cwf, charset: Charset) -> _Made:
    little = little_endian(said.order, charset.encoding)
    key = (little, said.signed, said.scale)
    return IntegerCodec(little=little, has_sign=said.signed, scale=said.scale), key


def _packed(logical: str, said: Cwf, charset: Charset) -> _Made:
    if logical in PATTERNS:
        pattern = said.format or PATTERNS[logical].translate({ord(c): None for c in "-:'T"})
        return DigitsTimeCodec(logical, pattern), ("digits", logical, pattern)
    positive = int(said.positive, 16)
    key = (said.scale, said.signed, positive)
    return PackedCodec(scale=said.scale, has_sign=said.signed, positive=positive), key


def _external(logical: str, said: Cwf, charset: Charset) -> _Made:
    if charset.width != 1:
        raise ValueError(f"external decimals are not read in {charset.name}")
    style = said.overpunch or ("ebcdic" if charset.is_ebcdic else "ascii")
    zero = 0xF0 if charset.is_ebcdic else 0x30
    positive, negative = _overpunch(style, charset)
    plus, minus = "+-".encode(charset.name)
    pad = _pad(said, charset, "0")[0]
    key = (said.scale, said.sign, said.separate, zero, positive, negative, pad)
    made = ZonedCodec(
        scale=said.scale,
        sign=said.sign,
        separate=said.separate,
        zero=zero,
        positive=positive,
        negative=negative,
        plus=plus,
        minus=minus,
        pad=pad,
    )
    return made, key


def _overpunch(style: str, charset: Charset) -> tuple[bytes, bytes]:
    if style == "ebcdic":
        return _EBCDIC_POSITIVE, _EBCDIC_NEGATIVE
    if style == "ascii":
        return b"0123456789", b"pqrstuvwxy"
    if style == "ascii-ebcdic":
        return "{ABCDEFGHI".encode(charset.name), "}JKLMNOPQR".encode(charset.name)
    raise ValueError(f'overpunch is "ebcdic", "ascii" or "ascii-ebcdic", not {style!r}')


def _float(logical: str, said: Cwf, charset: Charset) -> _Made:
    form = charset.encoding & _FLOAT_MASK
    hexadecimal = said.floating == "s390" or (not said.floating and form == _FLOAT_S390)
    little = (
        said.order == "little"
        if said.order or hexadecimal
        else form == _FLOAT_REVERSED or (form == 0 and little_endian("", charset.encoding))
    )
    return FloatCodec(little=little, hexadecimal=hexadecimal), (little, hexadecimal)


def _binary(logical: str, said: Cwf, charset: Charset) -> _Made:
    pad = bytes((said.pad,)) if isinstance(said.pad, int) else b"\0"
    return BytesCodec(pad=pad), (pad,)


def _time(logical: str, said: Cwf, charset: Charset) -> _Made:
    kind = logical if logical in PATTERNS else "dateTime"
    pattern = said.format or PATTERNS[kind]
    return TimeCodec(kind, pattern, charset.name), (kind, pattern, charset.name)


def _seconds(logical: str, said: Cwf, charset: Charset) -> _Made:
    order = "little" if little_endian(said.order, charset.encoding) else "big"
    return EpochCodec(1, order), (order,)


def _milliseconds(logical: str, said: Cwf, charset: Charset) -> _Made:
    order = "little" if little_endian(said.order, charset.encoding) else "big"
    return EpochCodec(1000, order), (order,)


class BooleanCodec(Codec):
    """BOOLEAN as one of two byte strings, or as a number that is 0 or not."""

    def __init__(self, true: bytes, false: bytes) -> None:
        self.true, self.false = true, false

    def read(self, data: bytes) -> bool:
        """Return the Boolean in some bytes."""
        if data == self.true or data.strip(b"\0") == self.true:
            return True
        if data == self.false or data.strip(b"\0") == self.false.strip(b"\0"):
            return False
        raise ValueError("neither true nor false")

    def make(self, value: object, length: int) -> bytes:
        """Return the bytes of a Boolean."""
        if isinstance(value, str):
            truth = {"true": True, "1": True, "false": False, "0": False}.get(value.strip().lower())
        else:
            truth = value if isinstance(value, bool) else {0: False, 1: True}.get(value)  # type: ignore[call-overload]
        if truth is None:
            raise ValueError("neither true nor false")
        data = self.true if truth else self.false
        if len(data) > length >= 0:
            raise ValueError(f"does not fit in {length} bytes")
        return data.rjust(length, b"\0")


class BitsCodec(Codec):
    """An unsigned number of some bits that begin within a byte; bits of its neighbours are zero."""

    def __init__(self, at: int, bits: int) -> None:
        self.width = (at + bits + 7) // 8
        self.shift = 8 * self.width - at - bits
        self.mask = (1 << bits) - 1

    def read(self, data: bytes) -> int:
        """Return the number."""
        return int.from_bytes(data, "big") >> self.shift & self.mask

    def make(self, value: object, length: int) -> bytes:
        """Return the bytes with the number in its place."""
        number = int(value) if isinstance(value, (int, str, Decimal)) else -1
        if (
            number != (Decimal(value) if isinstance(value, (str, Decimal)) else number)
            or not 0 <= number <= self.mask
        ):
            raise ValueError(f"not a number from 0 to {self.mask}")
        return (number << self.shift).to_bytes(self.width, "big")


def _bits(logical: str, said: Cwf, charset: Charset) -> _Made:
    if logical != "integer":
        raise ValueError(f"a {logical} is not made of bits")
    return BitsCodec(0, said.bits), (said.bits,)


def _digits(logical: str, said: Cwf, charset: Charset) -> _Made:
    if charset.is_ebcdic or charset.width != 1:
        raise ValueError(f"numbers as text are not read in {charset.name}")
    pad, justify = _pad(said, charset, "0").decode("ascii"), said.justify or "right"
    scale = said.scale or None
    return NumberTextCodec(logical, pad=pad, justify=justify, scale=scale), (logical, pad, justify, scale)


def _boolean(logical: str, said: Cwf, charset: Charset) -> _Made:
    true, false = (bytes((each,)) if isinstance(each, int) else each for each in (said.true, said.false))
    return BooleanCodec(true, false), (true, false)


def _pad(said: Cwf, charset: Charset, usual: str) -> bytes:
    if isinstance(said.pad, int):
        return bytes((said.pad,)) * charset.width
    return (usual if said.pad is None else said.pad).encode(charset.name)


def _null(codec: Codec, said: Cwf, charset: Charset) -> tuple[str, object] | None:
    """Return the representation of NULL: one of MRM's four."""
    value = said.null_value
    if said.null == "none":
        return None
    if said.null == "pad":
        return "fill", _pad(said, charset, "0" if said.physical == "external" else " ")[:1]
    if said.null == "fill":
        return "fill", bytes((value,)) if isinstance(value, int) else _bytes(value, charset)[:1]
    if said.null == "literal":
        return "literal", _bytes(value, charset)
    if said.null == "value":
        encoded(codec, value, said.length if said.length is not None else -1)
        return "value", value
    raise ValueError(f'null is "none", "pad", "fill", "literal" or "value", not {said.null!r}')


def _bytes(value: object, charset: Charset) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode(charset.name)


_MAKERS = {
    "string": _string,
    "integer": _integer,
    "packed": _packed,
    "external": _external,
    "float": _float,
    "binary": _binary,
    "boolean": _boolean,
    "bits": _bits,
    "digits": _digits,
    "time": _time,
    "seconds": _seconds,
    "milliseconds": _milliseconds,
}
