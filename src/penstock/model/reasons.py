"""The catalogue of reason codes: number, name, meaning, advice.

It has MQ's codes under their names in cmqc.h and cmqcfc.h, and our own from 8001 on (PSRC_). The texts are
data: `reasons.txt` beside this module. Lookup is by number and by name. Errors, replies, the error log and
`penstock explain` use it. Invariant: a released number keeps its name and meaning.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TABLE = Path(__file__).with_name("reasons.txt")
PREFIXES = ("MQRC_", "MQRCCF_", "PSRC_")
SECOND_NAMES = {
    "MQRC_TRUNCATED": 2120,
    "MQRC_PAGESET_FULL": 2192,
    "MQRCCF_MODE_VALUE_ERROR": 3029,
    "MQRCCF_IPADDR_ERROR": 3345,
}


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason code with its texts."""

    number: int
    name: str
    meaning: str
    action: str


def reason(number: int) -> Reason:
    """Return the catalogue's entry for a number; LookupError if there is none."""
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
    """Read a table: a comment, then paragraphs of "number name", the meaning, and after a `>` the action."""
    for paragraph in table.strip().split("\n\n")[1:]:
        head, _, text = paragraph.partition("\n")
        number, _, name = head.partition(" ")
        meaning, _, action = " ".join(text.split()).partition(" > ")
        yield Reason(int(number), name, meaning, action)


REASONS: Mapping[int, Reason] = MappingProxyType(
    {entry.number: entry for entry in _read(TABLE.read_text("utf-8"))}
)
NUMBERS: Mapping[str, int] = MappingProxyType(
    {**{entry.name: entry.number for entry in REASONS.values()}, **SECOND_NAMES}
)
