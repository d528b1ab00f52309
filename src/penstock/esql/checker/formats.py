"""Pass: FORMAT patterns of dates that are allowed and seldom meant: YYYY, DD, hh without a, mm for months."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.esql.checker.type_of import DATES, type_of
from penstock.esql.syntax.expressions import Cast, Literal

if TYPE_CHECKING:
    from penstock.esql.checker.unit import Unit

_QUOTED = re.compile(r"'[^']*'")
_RUN = re.compile(r"([A-Za-z])\1*")


def check_formats(unit: Unit) -> None:
    """Report suspicious letters in the patterns of date casts."""
    for placed in unit.placed:
        for node in placed.nodes:
            if isinstance(node, Cast) and isinstance(node.format, Literal) and _is_date(unit, node):
                for message, likely in mistakes(node.format.text):
                    unit.find("W350", message, node.format, likely)


def _is_date(unit: Unit, node: Cast) -> bool:
    return node.type.name in DATES or any(type_of(unit, source) in DATES for source in node.sources)


def mistakes(pattern: str) -> list[tuple[str, str]]:
    """Return what is suspicious in a date pattern, each with its likely meaning.

    >>> mistakes("YYYY-MM-dd")
    [('YYYY is the year of the week', 'write yyyy')]
    """
    runs = [match[0] for match in _RUN.finditer(_QUOTED.sub("", pattern))]
    letters = {run[0] for run in runs}
    found: list[tuple[str, str]] = []
    if "Y" in letters and "w" not in letters:
        year = next(run for run in runs if run[0] == "Y")
        found.append((f"{year} is the year of the week", f"write {year.lower()}"))
    if "D" in letters and "M" in letters:
        found.append(("D is the day of the year", "write dd for the day of the month"))
    if "h" in letters and "a" not in letters:
        found.append(("hh counts to 12 and there is no AM or PM (a)", "write HH for 0 to 23"))
    if "m" in letters and not letters & set("hHkK") and letters & set("yYd") and "M" not in letters:
        found.append(("mm is minutes", "write MM for the month"))
    if any(run[0] == "s" and len(run) > 2 for run in runs):
        found.append(("sss is seconds with leading zeros", "write SSS for fractions"))
    return found
