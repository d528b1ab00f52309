"""Tables of message types: which sequences and fields a type has, in which order, and how often.

A table is text, one line an entry, indented below its sequence:

    A GENL M          sequence A, marked 16R GENL, mandatory
      20C SEME M      field 20C with qualifier SEME, once
      98ACE PREP O    field 98 with letter A, C or E, optional
      A1 LINK O*      a sequence in it, any number of times

M is mandatory, O optional, a star allows repetition. A line that begins with `group` holds fields that
repeat together and are marked by none. `add_table` makes a type known.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from penstock.model import constants as mq
from penstock.model.errors import error

_FIELD = re.compile(r"(\d\d)([A-Za-z-]*)(?: ([A-Z0-9]{4}))? ([MO])(\*?)")
_SEQUENCE = re.compile(r"([A-Z]\d?[a-z]?\d?) ([A-Z0-9]+) ([MO])(\*?)")
_GROUP = re.compile(r"group ([MO])(\*?)")
INDENT = 2


@dataclass(frozen=True, slots=True)
class Entry:
    """One field of a table: two digits, the letters it may have (- is none), a qualifier or any."""

    number: str
    letters: str
    qualifier: str
    mandatory: bool
    repeats: bool

    @property
    def shown(self) -> str:
        """The notation of the handbook: 98a, or 20C::SEME."""
        letter = "" if self.letters in ("", "-") else self.letters if len(self.letters) == 1 else "a"
        return f"{self.number}{letter}" + (f"::{self.qualifier}" if self.qualifier else "")


@dataclass(slots=True)
class Sequence:
    """A sequence or group: its letter, the name of its 16R (none for groups), and its contents."""

    id: str
    name: str
    mandatory: bool
    repeats: bool
    entries: list[Entry | Sequence] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Table:
    """A message type: its number, the sequence that is its block 4, and its mandatory fields."""

    type: str
    title: str
    body: Sequence
    required: tuple[tuple[str, str, str], ...] = ()  # (sequence name, field, reason)


_TABLES: dict[str, Table] = {}


def add_table(type_: str, title: str, text: str, required: tuple[tuple[str, str, str], ...] = ()) -> Table:
    """Add the table of a message type; it replaces an existing one."""
    table = Table(type_, title, parse_table(text), required)
    _TABLES[type_] = table
    return table


def table_of(type_: str) -> Table | None:
    """Return the table of a type such as 543, or None."""
    return _TABLES.get(type_)


def parse_table(text: str) -> Sequence:
    """Return the sequence that a table describes; an invalid line raises 8146."""
    body = Sequence("", "", True, False)
    above = [body]
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        level = (len(line) - len(line.lstrip())) // INDENT
        if level >= len(above):
            raise error(
                mq.PSRC_SWIFT_NOTATION,
                f"line {number} of the table is indented too far: {line.strip()!r}",
                line=number,
            )
        del above[level + 1 :]
        entry = _entry(line.strip(), number)
        above[level].entries.append(entry)
        if isinstance(entry, Sequence):
            above.append(entry)
    return body


def _entry(line: str, number: int) -> Entry | Sequence:
    found = _FIELD.fullmatch(line)
    if found:
        return Entry(found[1], found[2] or "-", found[3] or "", found[4] == "M", bool(found[5]))
    found = _SEQUENCE.fullmatch(line)
    if found:
        return Sequence(found[1], found[2], found[3] == "M", bool(found[4]))
    found = _GROUP.fullmatch(line)
    if found:
        return Sequence("", "", found[1] == "M", bool(found[2]))
    raise error(mq.PSRC_SWIFT_NOTATION, f"line {number} of the table is no entry: {line!r}", line=number)
