"""Casts to CHARACTER, BLOB and BIT.

Without a CCSID a string is written as its literal (X'0a0b', B'0101', DATE '2024-01-31') and read in that form
or plain; with a CCSID bytes are text in that character set. Numbers and dates accept a FORMAT.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from penstock.esql.runtime.casts.dates import format_date
from penstock.esql.runtime.casts.numbers import byte_order
from penstock.esql.runtime.function_errors import cast_error
from penstock.esql.runtime.values.interval import Interval
from penstock.esql.runtime.values.number_formats import format_number
from penstock.esql.runtime.values.types import Bits, type_name
from penstock.model.ccsid import decode, encode
from penstock.model.constants import MQENC_NATIVE
from penstock.model.errors import MQError
from penstock.tree.core._values import as_characters

if TYPE_CHECKING:
    from penstock.esql.runtime.services import Outside

UTF8 = 1208
PLAIN_DIGITS_MAX = 80  # a DECIMAL longer than this is written with an exponent
_HEX = re.compile(r"\s*(?:X'([0-9A-Fa-f\s]*)'|([0-9A-Fa-f\s]*))\s*", re.IGNORECASE)
_BITS = re.compile(r"\s*(?:B'([01]*)'|([01]*))\s*", re.IGNORECASE)


def to_character(
    value: Any,
    ccsid: int | None = None,
    encoding: int | None = None,
    format: str | None = None,
    ctx: Outside | None = None,
) -> str | None:
    """Return a value as CHARACTER."""
    kind = type(value)
    if value is None or kind is str:
        return value  # type: ignore[no-any-return]
    if kind is bytes or kind is Bits:
        if ccsid is None and encoding is None:
            return f"X'{value.hex()}'" if kind is bytes else str(value)
        data = value if kind is bytes else _bytes_of_bits(value)
        return _decoded(data, ccsid, encoding)
    if kind is int or kind is float or kind is Decimal:
        return number_text(value) if format is None else format_number(value, format)
    if kind is bool:
        return "TRUE" if value else "FALSE"
    if isinstance(value, (date, time)):
        return _date_literal(value) if format is None else format_date(value, format, ctx)
    if isinstance(value, (Interval, timedelta)):
        return as_characters(value)
    raise cast_error(value, "CHARACTER")


def number_text(value: float | Decimal) -> str:
    """Return a number as the shortest text of CAST; FLOAT is written with an exponent."""
    if type(value) is int:
        return str(value)
    if isinstance(value, Decimal):
        if not value.is_finite():
            return "NAN" if value.is_nan() else ("INF" if value > 0 else "-INF")
        if abs(value.adjusted()) > PLAIN_DIGITS_MAX:
            return str(value)
        return format(value, "f")
    return as_characters(value)


def to_blob(
    value: Any,
    ccsid: int | None = None,
    encoding: int | None = None,
    format: str | None = None,
    ctx: Outside | None = None,
) -> bytes | None:
    """Return a value as BLOB; an INTEGER is eight bytes."""
    kind = type(value)
    if value is None or kind is bytes:
        return value  # type: ignore[no-any-return]
    if kind is str:
        return _hex(value) if ccsid is None and encoding is None else _encoded(value, ccsid, encoding)
    if kind is Bits:
        return _bytes_of_bits(value)
    if format is not None:
        text = to_character(value, format=format, ctx=ctx)
        return _encoded(text or "", ccsid, encoding)
    if kind is int:
        return int(value).to_bytes(8, byte_order(encoding), signed=True)  # type: ignore[arg-type]
    raise cast_error(value, "BLOB")


def to_bit(value: Any, ccsid: int | None = None, encoding: int | None = None) -> Bits | None:
    """Return a value as BIT; an INTEGER is 64 bits."""
    kind = type(value)
    if value is None or kind is Bits:
        return value  # type: ignore[no-any-return]
    if kind is str and ccsid is None and encoding is None:
        found = _BITS.fullmatch(value)
        if found is None:
            raise cast_error(value, "BIT", "it is written B'0101'")
        return Bits(found[1] or found[2] or "")
    data = to_blob(value, ccsid, encoding)
    return Bits("".join(f"{byte:08b}" for byte in data or b""))


def _date_literal(value: date | time) -> str:
    """Return DATE '2024-01-31' and so on; with fractions of seconds only if there are any."""
    kind = type_name(value)
    plain = value.replace(tzinfo=None) if isinstance(value, (datetime, time)) else value
    text = plain.isoformat(" ") if isinstance(plain, datetime) else plain.isoformat()
    return f"{kind} '{text}'"


def _hex(text: str) -> bytes:
    found = _HEX.fullmatch(text)
    digits = "".join((found[1] or found[2] or "").split()) if found else "?"
    if found is None or len(digits) % 2:
        raise cast_error(text, "BLOB", "without a CCSID it has to be hexadecimal digits in pairs")
    return bytes.fromhex(digits)


def _bytes_of_bits(value: Bits) -> bytes:
    if len(value) % 8:
        raise cast_error(value, "BLOB", "the number of bits is not a multiple of 8")
    return int(value.text or "0", 2).to_bytes(math.ceil(len(value) / 8), "big")


def _decoded(data: bytes, ccsid: int | None, encoding: int | None) -> str:
    try:
        return decode(data, ccsid or UTF8, MQENC_NATIVE if encoding is None else encoding)
    except MQError as problem:
        raise cast_error(data, "CHARACTER", problem.detail) from problem


def _encoded(text: str, ccsid: int | None, encoding: int | None) -> bytes:
    try:
        return encode(text, ccsid or UTF8, MQENC_NATIVE if encoding is None else encoding)
    except MQError as problem:
        raise cast_error(text, "BLOB", problem.detail) from problem
