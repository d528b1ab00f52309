"""The values of MQRFH2 elements: text with a type (dt) to Python values, and back.

Types are MQ's: i1, i2, i4, i8, int, r4, r8, boolean, bin.hex and string; a type not in `READERS` is read as
text. An invalid text raises ValueError, OverflowError or MQError, which `rfh2_folders` turns into 2421.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.properties import Float32, Int8, Int16, Int64

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.properties import PropertyValue

_INTEGER = re.compile(r"[+-]?[0-9]{1,20}\Z")


def content_of(value: Any, kind: int) -> str:
    """Return the text between the tags of a value of this MQTYPE."""
    if kind == mq.MQTYPE_STRING:
        return str(value).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    if kind == mq.MQTYPE_BYTE_STRING:
        return str(value.hex())
    if kind == mq.MQTYPE_BOOLEAN:
        return "1" if value else "0"
    if kind in (mq.MQTYPE_FLOAT32, mq.MQTYPE_FLOAT64):
        return _float_text(value, kind)
    return "" if kind == mq.MQTYPE_NULL else str(int(value))


def _float_text(value: float, kind: int) -> str:
    if math.isfinite(value):
        return f"{value:.9g}" if kind == mq.MQTYPE_FLOAT32 else repr(float(value))
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _read_integer(bits: int, kind: Callable[[int], int]) -> Callable[[str], int]:
    def read(text: str) -> int:
        text = text.strip()
        if not _INTEGER.match(text):
            raise ValueError(text)
        number = int(text)
        if not -(1 << bits - 1) <= number < 1 << bits - 1:
            raise ValueError(text)
        return kind(number)

    return read


def _wide(number: int) -> int:
    # Only a value that would pass for 32 bits needs the wrapper to keep its type.
    return Int64(number) if -(2**31) <= number < 2**31 else number


def _read_float(text: str) -> float:
    if "_" in text:
        raise ValueError(text)
    return float(text)


def _read_boolean(text: str) -> bool:
    word = text.strip().lower()
    if word not in ("1", "0", "true", "false"):
        raise ValueError(text)
    return word in ("1", "true")


READERS: dict[str, Callable[[str], PropertyValue]] = {
    "boolean": _read_boolean,
    "bin.hex": bytes.fromhex,
    "i1": _read_integer(8, Int8),
    "i2": _read_integer(16, Int16),
    "i4": _read_integer(32, int),
    "int": _read_integer(32, int),
    "i8": _read_integer(64, _wide),
    "r4": lambda text: Float32(_read_float(text)),
    "r8": _read_float,
}
DT = {
    mq.MQTYPE_BOOLEAN: " dt='boolean'",
    mq.MQTYPE_BYTE_STRING: " dt='bin.hex'",
    mq.MQTYPE_INT8: " dt='i1'",
    mq.MQTYPE_INT16: " dt='i2'",
    mq.MQTYPE_INT32: " dt='i4'",
    mq.MQTYPE_INT64: " dt='i8'",
    mq.MQTYPE_FLOAT32: " dt='r4'",
    mq.MQTYPE_FLOAT64: " dt='r8'",
    mq.MQTYPE_STRING: "",
    mq.MQTYPE_NULL: " xsi:nil='true'",
}
