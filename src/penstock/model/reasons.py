"""The catalogue of reason codes: number, name, what it means, what the user can do.

MQ's codes under their names of cmqc.h and cmqcfc.h, and our own from 8001 (PSRC_). The sentences
are ours and stand in `reasons_2000.py` and its sisters, a range a file; this module reads them and
answers by number and by name. Errors, replies, the error log and `penstock explain` speak from it.
Invariant: a number, once released, keeps its name and its meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from penstock.model import (
    reasons_2000,
    reasons_2200,
    reasons_2400,
    reasons_3000,
    reasons_3200,
    reasons_4000,
    reasons_6000,
    reasons_8000,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TABLES = (
    reasons_2000.TABLE,
    reasons_2200.TABLE,
    reasons_2400.TABLE,
    reasons_3000.TABLE,
    reasons_3200.TABLE,
    reasons_4000.TABLE,
    reasons_6000.TABLE,
    reasons_8000.TABLE,
)
PREFIXES = ("MQRC_", "MQRCCF_", "PSRC_")
SECOND_NAMES = {
    "MQRC_TRUNCATED": 2120,
    "MQRC_PAGESET_FULL": 2192,
    "MQRCCF_MODE_VALUE_ERROR": 3029,
    "MQRCCF_IPADDR_ERROR": 3345,
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason code and what is to be said about it."""

    number: int
    name: str
    meaning: str
    action: str


def reason(number: int) -> Reason:
    """Return the catalogue's entry for a number; LookupError when there is none."""
    found = REASONS.get(number)
    if found is None:
        raise LookupError(
            f"there is no reason code {number}; `penstock explain --list` shows those there are"
        )
    return found


def by_name(name: str) -> Reason:
    """Return the entry for a name, with or without its prefix, in any case.

    Where MQRC_ and MQRCCF_ share a name, the bare name means the MQRC_ one.

    >>> by_name("not_authorized").number
    2035
    """
    wanted = name.strip().upper()
    for candidate in (wanted, *(prefix + wanted for prefix in PREFIXES)):
        number = NUMBERS.get(candidate)
        if number is not None:
            return REASONS[number]
    raise LookupError(
        f"there is no reason code named {name}; `penstock explain --list` shows those there are"
    )


def _read(table: str) -> Iterator[Reason]:
    """Read a table: paragraphs of "number name", the meaning, and after a `>` the action."""
    for paragraph in table.strip().split("\n\n"):
        head, _, text = paragraph.partition("\n")
        number, _, name = head.partition(" ")
        meaning, _, action = " ".join(text.split()).partition(" > ")
        yield Reason(int(number), name, meaning, action)


REASONS: Mapping[int, Reason] = MappingProxyType(
    {entry.number: entry for table in TABLES for entry in _read(table)}
)
NUMBERS: Mapping[str, int] = MappingProxyType(
    {**{entry.name: entry.number for entry in REASONS.values()}, **SECOND_NAMES}
)
