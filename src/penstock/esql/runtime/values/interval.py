"""INTERVAL: a number of months, or a number of microseconds, with the fields it is written in.

The two kinds do not mix. The qualifier determines the text form and the unit of CAST to INTEGER; it is
ignored in comparisons: INTERVAL '60' MINUTE equals INTERVAL '1' HOUR.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from decimal import Decimal

from penstock.esql.runtime.errors import esql_error
from penstock.tree.core.own_value import OwnValue

FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
MICROS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000}
_MONTHS = {"YEAR": 12, "MONTH": 1}
_BEFORE = {"MONTH": "-", "HOUR": " ", "MINUTE": ":", "SECOND": ":"}
TOTAL_MAX = 10**21  # months or microseconds: some thirty million years of these
_LITERAL = re.compile(r"\s*INTERVAL\s*([+-]?)\s*'([^']*)'\s*([A-Z]+)(?:\s+TO\s+([A-Z]+))?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, order=True)
class Interval(OwnValue):
    """A span of time: `months` for year-month intervals, `micros` for day-time ones; the other is 0.

    >>> str(parse_interval("1-06", ("YEAR", "MONTH")))
    "INTERVAL '1-06' YEAR TO MONTH"
    """

    months: int
    micros: int
    qualifier: tuple[str, ...] = field(compare=False)

    def __post_init__(self) -> None:
        if not -TOTAL_MAX <= self.months + self.micros <= TOTAL_MAX:
            raise esql_error("S22015", f"an INTERVAL {' TO '.join(self.qualifier)} cannot be that long")

    @property
    def is_months(self) -> bool:
        """Whether it is of the year-month kind."""
        return self.qualifier[0] in _MONTHS

    def __str__(self) -> str:
        return f"INTERVAL '{interval_text(self)}' {' TO '.join(self.qualifier)}"


def fields_of(qualifier: tuple[str, ...]) -> tuple[str, ...]:
    """Return every field that a qualifier covers, the largest first; raise for an invalid qualifier."""
    first, last = qualifier[0], qualifier[-1]
    if first in FIELDS and last in FIELDS:
        found = FIELDS[FIELDS.index(first) : FIELDS.index(last) + 1]
        if found and (last in _MONTHS or first not in _MONTHS):
            return found
    raise esql_error("S22007", f"{' TO '.join(qualifier)} is no interval qualifier")


def unit(name: str) -> int:
    """Return how many months or microseconds a field has."""
    return _MONTHS.get(name) or MICROS[name]


def parse_interval(text: str, qualifier: tuple[str, ...]) -> Interval:
    """Return the interval that the text of a literal means.

    >>> parse_interval("2 12:30", ("DAY", "MINUTE")).micros
    217800000000
    """
    names = fields_of(qualifier)
    pattern = r"\s*([+-]?)\s*(\d{1,18})" + "".join(
        rf"\s*{_BEFORE[name]}\s*(\d{{1,18}})" for name in names[1:]
    )
    fraction = r"(?:\.(\d{0,6})\d*)?" if names[-1] == "SECOND" else "()"
    found = re.fullmatch(pattern.replace(r"\s* \s*", r"\s+") + fraction + r"\s*", text)
    if found is None:
        raise esql_error("S22007", f"'{text}' is no INTERVAL {' TO '.join(qualifier)}")
    sign, *numbers, part = found.groups()
    total = sum(int(number) * unit(name) for number, name in zip(numbers, names, strict=True))
    total += int((part or "").ljust(6, "0")) if part else 0
    return interval(-total if sign == "-" else total, qualifier)


def parse_literal(text: str) -> Interval | None:
    """Return the interval that `INTERVAL '1-6' YEAR TO MONTH` means.

    None when the text is no such literal.
    """
    found = _LITERAL.fullmatch(text)
    if found is None:
        return None
    sign, body, first, last = found.groups()
    qualifier = (first.upper(), last.upper()) if last else (first.upper(),)
    return parse_interval(sign + body, qualifier)


def interval(total: int, qualifier: tuple[str, ...]) -> Interval:
    """Return the interval of a number of months or microseconds, by the qualifier's kind.

    What is smaller than the last field is dropped.
    """
    names = fields_of(qualifier)
    smallest = 1 if names[-1] == "SECOND" else unit(names[-1])
    total = total // smallest * smallest if total >= 0 else -(-total // smallest * smallest)
    months = names[0] in _MONTHS
    return Interval(total if months else 0, 0 if months else total, qualifier)


def total_of(value: Interval) -> int:
    """Return the months or microseconds of an interval."""
    return value.months if value.is_months else value.micros


def count_of(value: Interval) -> Decimal:
    """Return an interval counted in its last field."""
    return Decimal(total_of(value)) / unit(fields_of(value.qualifier)[-1])


def parts_of(value: Interval) -> dict[str, int]:
    """Return the fields of an interval without its sign; seconds in microseconds."""
    rest = abs(total_of(value))
    parts: dict[str, int] = {}
    for name in fields_of(value.qualifier):
        if name == "SECOND":
            parts[name], rest = rest, 0
        else:
            parts[name], rest = divmod(rest, unit(name))
    return parts


def interval_text(value: Interval) -> str:
    """Return the text between the quotes of the literal."""
    text = "-" if total_of(value) < 0 else ""
    for place, (name, number) in enumerate(parts_of(value).items()):
        digits = str(number)
        if name == "SECOND":
            whole, part = divmod(number, 1_000_000)
            digits = f"{whole:02d}" if place else str(whole)
            digits += f".{part:06d}" if part else ""
        elif place:
            digits = f"{number:02d}"
        text += (_BEFORE[name] if place else "") + digits
    return text
