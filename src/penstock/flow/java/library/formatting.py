"""String.format: the conversions that programs use; any other raises IllegalArgumentException."""

from __future__ import annotations

import math
import re
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from penstock.flow.java.throwables import thrown
from penstock.flow.java.values import Array, text

_PLACE = re.compile(r"%(?:(\d+)\$)?([-0+ ,#(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])")


def formatted(pattern: str, values: tuple[Any, ...]) -> str:
    """Return a text with the values in its places."""
    if len(values) == 1 and isinstance(values[0], Array) and values[0].type not in ("byte", "char", "int"):
        values = tuple(values[0])
    following = iter(range(len(pattern)))

    def value_of(place: str | None) -> Any:
        at = int(place) - 1 if place else next(following)
        if at >= len(values):
            raise thrown("IllegalArgumentException", f"the format {pattern!r} needs more values")
        return values[at]

    def write(found: re.Match[str]) -> str:
        place, flags, width, digits, kind = found.groups()
        if kind in "%n":
            return "%" if kind == "%" else "\n"
        return _padded(_written(value_of(place), kind, flags, digits), flags, int(width or 0), kind)

    return _PLACE.sub(write, pattern)


def _written(value: Any, kind: str, flags: str, digits: str | None) -> str:
    if kind in "sS":
        found = text(value)[: None if digits is None else int(digits)]
        return found.upper() if kind == "S" else found
    if kind == "b":
        return text(value if isinstance(value, bool) else value is not None)
    if kind == "c":
        return text(chr(value) if isinstance(value, int) else value)
    if value is None:
        return "null"
    if kind == "d" and isinstance(value, int):
        return format(value, f"{'+' if '+' in flags else ''}{',' if ',' in flags else ''}d")
    if kind in "xX" and isinstance(value, int):
        return format(value & (0xFFFFFFFF if -(1 << 31) <= value < 1 << 31 else (1 << 64) - 1), kind)
    if kind in "fe" and not isinstance(value, (str, int)):
        if kind == "f" and math.isfinite(value):  # Java rounds the digits that it would write, half up
            value = Decimal(repr(value) if isinstance(value, float) else value)
            value = value.quantize(Decimal(1).scaleb(-int(digits or 6)), ROUND_HALF_UP)
        return format(
            value, f"{'+' if '+' in flags else ''}{',' if ',' in flags else ''}.{digits or 6}{kind}"
        )
    raise thrown("IllegalArgumentException", f"%{kind} for {text(value)}")


def _padded(found: str, flags: str, width: int, kind: str) -> str:
    if "-" in flags:
        return found.ljust(width)
    if "0" in flags and kind not in "sS":
        return found.zfill(width)
    return found.rjust(width)
