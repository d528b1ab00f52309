"""The check of a SWIFT message against the table of its type: field, line and reason of all errors.

It checks headers, sequences, order, repetition, letters and the notation of every value. Network rules that
combine fields (C1, C2 ...) are not in the tables. The tree is not changed; lines are those of the serialised
message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.tree.bitstream import bitstream
from penstock.tree.core._path import Path
from penstock.tree.core._values import as_characters
from penstock.tree.core.missing import MISSING
from penstock.tree.swift import mt54x as _mt54x
from penstock.tree.swift import mt_cash as _mt_cash
from penstock.tree.swift.fields import NOTATIONS
from penstock.tree.swift.notation import notation
from penstock.tree.swift.table import Entry, Sequence, Table, table_of

if TYPE_CHECKING:
    from penstock.tree.core._message import Message
    from penstock.tree.core._reference import Reference

del _mt54x, _mt_cash  # they make their types known

MESSAGE_MAX = 10_000  # characters
SHOWN_MAX = 10  # problems in the text of an error
_SWIFT = Path("SWIFT")
_BLOCKS = (
    (Path("Block1"), "basic header", "1!a2!n12!c4!n6!n"),
    (Path("Block2"), "application header", "I3!n12!c[1!a[1!n[3!n]]]|O3!n4!n28!c6!n4!n[1!a]"),
)
_TEXT = Path("Block4")
_TYPE = Path("Block2", "MessageType")
_SCHEME = Path("DataSourceScheme")


@dataclass(frozen=True, slots=True)
class Problem:
    """One error: its sequence, field, line and reason."""

    sequence: str
    field: str
    line: int
    reason: str

    def __str__(self) -> str:
        where = f"{self.sequence} " if self.sequence else ""
        return f"line {self.line}: {where}{self.field}: {self.reason}"


def validate(message: Message) -> list[Problem]:
    """Return all errors of a message of domain SWIFT; nothing if it conforms to its type.

    A type without a table raises 8146.
    """
    swift = message.reference(_SWIFT)
    if swift is None:
        raise error(mq.PSRC_DOMAIN_UNKNOWN, "the message has no folder SWIFT", domain="SWIFT")
    problems = _headers(swift)
    type_ = swift.get(_TYPE)
    if type_ is MISSING:
        return [*problems, Problem("", "Block2", 1, "no message type")]
    table = table_of(str(type_))
    if table is None:
        raise error(
            mq.PSRC_SWIFT_NOTATION,
            f"there is no table of type MT{type_}; add one with swift.add_table",
            type=str(type_),
        )
    text = swift.reference(_TEXT)
    if text is None:
        return [*problems, Problem("", "Block4", 1, "the block is missing")]
    problems += _whole(swift)
    return problems + _Check(table).run(text)


def check(message: Message) -> None:
    """Raise 8145, which names field, line and reason, if a message does not conform to its type."""
    problems = validate(message)
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems[:SHOWN_MAX])
        more = f"\n  and {len(problems) - SHOWN_MAX} more" if len(problems) > SHOWN_MAX else ""
        raise error(mq.PSRC_SWIFT_INVALID, f"{len(problems)} problems\n{shown}{more}", problems=problems)


def _whole(swift: Reference) -> list[Problem]:
    """Check the message as a whole: whether it can be written, and its length."""
    try:
        length = len(bitstream(swift, ccsid=1208))
    except MQError as problem:
        return [Problem("", "Block4", 1, problem.detail)]
    return (
        [Problem("", "Block4", 1, f"{length} characters; at most {MESSAGE_MAX}")]
        if length > MESSAGE_MAX
        else []
    )


def _headers(swift: Reference) -> list[Problem]:
    problems = []
    for path, name, text in _BLOCKS:
        block = swift.reference(path)
        if block is None:
            problems.append(Problem("", path.steps[0].name or "", 1, f"the {name} is missing"))
            continue
        parts = [as_characters(part.value) for part in block] or [as_characters(block.value)]
        reason = notation(text).misfit("".join(parts))
        if reason:
            problems.append(Problem("", path.steps[0].name or "", 1, reason))
    return problems


class _Check:
    """One walk over block 4: the current line, and the errors."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.line = 2  # the blocks before and {4: are the first
        self.problems: list[Problem] = []
        self.seen: set[tuple[str, str]] = set()

    def run(self, text: Reference) -> list[Problem]:
        self.sequence(text, self.table.body, "")
        for sequence, field, reason in self.table.required:
            if (sequence, field) not in self.seen:
                self.problems.append(Problem(sequence, field, self.line, f"missing: {reason}"))
        return self.problems

    def report(self, where: str, field: str, reason: str) -> None:
        self.problems.append(Problem(where, field, self.line, reason))

    def sequence(self, folder: Reference, table: Sequence, where: str) -> None:
        """Check the contents of a sequence; tables limit the depth, not the message."""
        slots = _slots(table)
        place = 0
        counts: dict[int, int] = {}
        for child in folder:
            found = _slot(slots, child.name, place)
            if found < 0:
                self.unexpected(child, slots, where)
                continue
            place = found
            self.count(slots[found], child, counts, where)
            self.child(child, slots[found], where)
        self.missing(slots, counts, where)

    def child(self, child: Reference, slot: _Slot, where: str) -> None:
        if slot.sequence is not None and slot.sequence.name:
            self.line += 1
            self.sequence(child, slot.sequence, f"{slot.sequence.id} {slot.sequence.name}")
            self.line += 1
        else:
            self.seen.add((where.partition(" ")[2], child.name))
            self.field(child, slot, where)
            self.line += 1 + as_characters(child.value).count("\n")

    def field(self, child: Reference, slot: _Slot, where: str) -> None:
        """Check letter and value of one field."""
        tag, _, qualifier = child.name.partition("::")
        letters = slot.letters(tag[:2], qualifier)
        if (tag[2:] or "-") not in letters:
            allowed = ", ".join(tag[:2] + letter.strip("-") for letter in letters)
            self.report(where, child.name, f"this letter is not used here; {allowed}")
            return
        text = NOTATIONS.get(tag)
        if text is None:
            self.report(where, child.name, "a field of unknown notation")
            return
        reason = notation(text).misfit(_written(child, qualifier))
        if reason:
            self.report(where, child.name, reason)

    def count(self, slot: _Slot, child: Reference, counts: dict[int, int], where: str) -> None:
        key = slot.key(child.name)
        counts[key] = counts.get(key, 0) + 1
        if counts[key] == 2 and not slot.repeats(child.name):
            self.report(where, child.name, "more than once")

    def unexpected(self, child: Reference, slots: list[_Slot], where: str) -> None:
        known = any(slot.takes(child.name) for slot in slots)
        self.report(where, child.name, "out of order" if known else "not in this sequence")
        self.line += _lines(child)

    def missing(self, slots: list[_Slot], counts: dict[int, int], where: str) -> None:
        for slot in slots:
            for key, shown in slot.mandatory():
                if not counts.get(key):
                    self.report(where, shown, "missing")


class _Slot:
    """Entries of a table that belong together: a sequence, a group, or the fields of one number."""

    def __init__(self, entries: list[Entry], sequence: Sequence | None = None) -> None:
        self.entries = entries
        self.sequence = sequence

    def takes(self, name: str) -> bool:
        if self.sequence is not None and self.sequence.name:
            return name == self.sequence.name
        return any(entry.number == name[:2] for entry in self.entries)

    def entry(self, name: str) -> Entry:
        """The entry of a field: the one with its qualifier, else the one without, else the first."""
        tag, _, qualifier = name.partition("::")
        same = [entry for entry in self.entries if entry.number == tag[:2]]
        named = [entry for entry in same if entry.qualifier == qualifier and qualifier]
        plain = [entry for entry in same if not entry.qualifier]
        return (named or plain or same)[0]

    def letters(self, number: str, qualifier: str) -> str:
        return self.entry(f"{number}::{qualifier}" if qualifier else number).letters

    def key(self, name: str) -> int:
        return id(self.sequence) if self.sequence is not None and self.sequence.name else id(self.entry(name))

    def repeats(self, name: str) -> bool:
        if self.sequence is not None:
            return self.sequence.repeats
        return self.entry(name).repeats

    def mandatory(self) -> list[tuple[int, str]]:
        if self.sequence is not None and self.sequence.name:
            return [(id(self.sequence), self.sequence.name)] if self.sequence.mandatory else []
        if self.sequence is not None:
            return []
        return [(id(entry), entry.shown) for entry in self.entries if entry.mandatory]


def _slots(table: Sequence) -> list[_Slot]:
    slots: list[_Slot] = []
    for entry in table.entries:
        if isinstance(entry, Sequence):
            fields = [field for field in entry.entries if isinstance(field, Entry)]
            slots.append(_Slot([] if entry.name else fields, entry))
        elif slots and slots[-1].sequence is None and slots[-1].entries[0].number == entry.number:
            slots[-1].entries.append(entry)
        else:
            slots.append(_Slot([entry]))
    return slots


def _slot(slots: list[_Slot], name: str, place: int) -> int:
    return next((i for i in range(place, len(slots)) if slots[i].takes(name)), -1)


def _written(child: Reference, qualifier: str) -> str:
    """Return the value as written after the tag."""
    value = as_characters(child.value)
    if not qualifier:
        return value
    scheme = child.get(_SCHEME)
    return f":{qualifier}/{'' if scheme is MISSING else as_characters(scheme)}/{value}"


def _lines(folder: Reference) -> int:
    """Return how many lines a field or a sequence has; iterative, since a message decides the depth."""
    if folder.has_value:
        return 1 + as_characters(folder.value).count("\n")
    lines, waiting = 0, [folder]
    while waiting:
        field = waiting.pop()
        if field.has_value:
            lines += 1 + as_characters(field.value).count("\n")
        else:
            lines += 2
            waiting += list(field)
    return lines
