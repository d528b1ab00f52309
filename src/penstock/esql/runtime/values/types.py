"""The values of ESQL: the two types that Python lacks, and the name of any value's type.

`Bits` is BIT, a string of bits; `Interval` (in `interval.py`) is INTERVAL. Everything else is a Python type.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow
from typing import Any, Final

from penstock.esql.runtime.values.interval import Interval
from penstock.tree.core.own_value import OwnValue

DECIMAL_DIGITS = 34
DECIMAL_CONTEXT = Context(
    prec=DECIMAL_DIGITS, Emin=-6143, Emax=6144, traps=[InvalidOperation, DivisionByZero, Overflow]
)
OMITTED: Final[Any] = type("Omitted", (), {"__slots__": (), "__repr__": lambda _: "OMITTED"})()
INTEGER_MIN, INTEGER_MAX = -(2**63), 2**63 - 1


@dataclass(frozen=True, slots=True, order=True)
class Bits(OwnValue):
    """A string of bits, written as zeros and ones; behaves as str and bytes do where functions need it.

    >>> Bits("0101") + Bits("1")
    Bits(text='01011')
    >>> str(Bits("0101"))
    "B'0101'"
    """

    text: str

    def __post_init__(self) -> None:
        if self.text.strip("01"):
            raise ValueError("a bit is 0 or 1")

    def __str__(self) -> str:
        return f"B'{self.text}'"

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, which: slice) -> Bits:
        return Bits(self.text[which])

    def __add__(self, other: Bits) -> Bits:
        return Bits(self.text + other.text)

    def __mul__(self, count: int) -> Bits:
        return Bits(self.text * count)

    def __contains__(self, wanted: Bits) -> bool:
        return wanted.text in self.text

    def find(self, wanted: Bits, start: int = 0, end: int | None = None) -> int:
        return self.text.find(wanted.text, start, end)

    def rfind(self, wanted: Bits, start: int = 0, end: int | None = None) -> int:
        return self.text.rfind(wanted.text, start, end)

    def startswith(self, wanted: Bits) -> bool:
        return self.text.startswith(wanted.text)

    def endswith(self, wanted: Bits) -> bool:
        return self.text.endswith(wanted.text)

    def replace(self, old: Bits, new: Bits) -> Bits:
        return Bits(self.text.replace(old.text, new.text))

    def lstrip(self, singleton: Bits) -> Bits:
        return Bits(self.text.lstrip(singleton.text))

    def rstrip(self, singleton: Bits) -> Bits:
        return Bits(self.text.rstrip(singleton.text))


_NAMES: dict[type, str] = {
    type(None): "NULL",
    str: "CHARACTER",
    bool: "BOOLEAN",
    int: "INTEGER",
    float: "FLOAT",
    Decimal: "DECIMAL",
    bytes: "BLOB",
    Bits: "BIT",
    date: "DATE",
    Interval: "INTERVAL",
    timedelta: "INTERVAL",
}


def type_name(value: Any) -> str:
    """Return the ESQL type of a value.

    >>> type_name(1.5), type_name(None), type_name(Bits("1"))
    ('FLOAT', 'NULL', 'BIT')
    """
    kind = type(value)
    name = _NAMES.get(kind)
    if name:
        return name
    if isinstance(value, datetime):
        return "GMTTIMESTAMP" if value.tzinfo else "TIMESTAMP"
    if isinstance(value, time):
        return "GMTTIME" if value.tzinfo else "TIME"
    for each, name in _NAMES.items():
        if isinstance(value, each):
            return name
    return kind.__name__
