"""Where a message in TDS ends if others follow: at its terminator, or because its last value has an end.

Uses plans, never texts. `flow/files/record_lengths.py`, which splits files into messages, calls this before a
flow starts, so that a model without an end is refused with the name of the element that would include the
next message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.tree.model._part import CHOICE
from penstock.tree.tagged._domain import (
    ALL_DELIMITED,
    DATA_PATTERN,
    FIXED_LENGTH,
    TAGGED_DELIMITED,
    TAGGED_ENCODED,
    VARIABLE_DELIMITED,
)

if TYPE_CHECKING:
    from penstock.tree.tagged._domain import TdsPart


def ends_by_delimiter(message: TdsPart) -> bool:
    """Return whether the delimiter after its last element, always the same one, ends a message."""
    last = _filled(message)[-1:]
    return (
        message.separation == ALL_DELIMITED
        and message.compose != CHOICE
        and not message.terminator
        and all(part.least == part.most == 1 for part in last)
    )


def endless(message: TdsPart) -> str:
    """Return the element of a message that lasts until the text ends; "" if the message has an end."""
    return _endless(message, ends_by_delimiter(message))


def _endless(group: TdsPart, bounded: bool) -> str:
    """Examine a group; `bounded` means that an outer separator ends its values."""
    bounded = bounded or group.terminator != b""
    parts, name = _filled(group), group.name or "the message"
    tagged = group.separation <= TAGGED_ENCODED
    if tagged and not bounded and _goes_on(group):
        return name
    delimited = group.separation in (ALL_DELIMITED, VARIABLE_DELIMITED) and group.compose != CHOICE
    for part in parts:
        followed = bounded or (delimited and part is not parts[-1])
        if found := _open(part, group, followed):
            return found if found != "the message" else name
    return ""


def _goes_on(group: TdsPart) -> bool:
    """Return whether tags of the next message would be taken for those of this one."""
    if group.compose == CHOICE:
        return any(part.alternative for part in group.parts)
    return not (group.separation == TAGGED_DELIMITED and group.observe_length)


def _open(part: TdsPart, group: TdsPart, bounded: bool) -> str:
    """Return the name of a part of a group that nothing ends."""
    name = part.name or "the message"
    if group.separation == DATA_PATTERN:
        return "" if part.pattern is not None else name
    if not bounded and _repeats_until_the_end(part, group):
        return name
    if part.codec is None:
        return _endless(part, bounded)
    by_length = group.observe_length or group.separation not in (TAGGED_DELIMITED, ALL_DELIMITED)
    has_length = part.length_slot >= 0 or (by_length and part.length >= 0)
    encoded = group.separation == TAGGED_ENCODED
    return "" if bounded or has_length or encoded else name


def _repeats_until_the_end(part: TdsPart, group: TdsPart) -> bool:
    """Return whether only the end of the text determines how often a part occurs."""
    if group.compose == CHOICE or part.least == part.most or part.uncertain:
        return False
    if group.separation == FIXED_LENGTH:
        return part.named or not part.indicator
    return group.separation == VARIABLE_DELIMITED and part.length >= 0


def _filled(group: TdsPart) -> list[TdsPart]:
    return [part for part in group.parts if not part.hollow]
