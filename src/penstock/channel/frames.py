"""The frames of message channels, to bytes and back; MOVE is in `moves`.

Byte by byte: docs/internals/channel-protocol.md. Nothing here knows an engine. What comes from the other end
is checked: nonsense raises 8073, which ends one link and no other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from struct import Struct
from typing import Any

from penstock.channel.line import Frame
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import failures, hello
from penstock.protocol import numbers as protocol

_CONFIRM = Struct("<QIII")  # LUWID, first, last, count
_CONFIRMED = Struct("<QIIQ")  # LUWID, last, flags, fast messages taken
_TAKEN = Struct("<Q")  # fast messages taken
_TROUBLE = Struct("<II")  # reason, milliseconds until the next try
_VERSION = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{1,2})(?!\d)")
DEAD_LETTERS_USED = 1  # flag of CONFIRMED
TROUBLE_BYTES_MAX = 1000  # of text
PARTNER_LENGTH_MAX = 64  # characters of a QMID, a name or an incarnation


@dataclass(frozen=True, slots=True)
class Confirm:
    """The sending end has prepared a batch: commit it."""

    luwid: int
    first: int
    last: int
    count: int


@dataclass(frozen=True, slots=True)
class Confirmed:
    """The receiving end has a batch on disk."""

    luwid: int
    last: int
    flags: int
    fast_taken: int


@dataclass(frozen=True, slots=True)
class Trouble:
    """The receiving end could not put a message where it goes: why, and when it tries again (0: never)."""

    reason: int
    wait_ms: int
    text: str


def greeting(kind: int, facts: dict[str, Any]) -> Frame:
    """Return HELLO or WELCOME."""
    return Frame(kind, hello.pack(facts, protocol.FEATURES | protocol.FEATURE_CHANNELS))


def read_greeting(frame: Frame) -> dict[str, Any]:
    """Return the facts of a greeting."""
    try:
        facts: dict[str, Any] = hello.unpack(frame.payload).facts
    except ValueError as failure:
        raise error(mq.PSRC_CHANNEL_FRAME, str(failure)) from failure
    return facts


def partner_of(facts: dict[str, Any], called: str) -> tuple[str, str, str]:
    """Return QMID, name and incarnation of the other end; `called` is the fact that has the name."""
    found = [facts.get(fact, "") for fact in ("qmid", called, "incarnation")]
    for value in found:
        if not isinstance(value, str) or len(value) > PARTNER_LENGTH_MAX or not value.isprintable():
            raise error(mq.PSRC_CHANNEL_FRAME, f"the greeting has {value!r:.40} for who greets")
    if not found[0]:
        raise error(mq.PSRC_CHANNEL_FRAME, "the greeting has no QMID")
    return found[0], found[1], found[2]


def version_of(facts: dict[str, Any]) -> str:
    """Return the version of the other end's program as DISPLAY CHSTATUS shows it, VVRRMMFF; "" if unknown.

    >>> version_of({"version": "1.12.3"}), version_of({"version": "9.0.0-b"}), version_of({"version": 7})
    ('01120300', '09000000', '')
    """
    found = facts.get("version")
    numbers = _VERSION.match(found) if isinstance(found, str) else None
    return "".join(f"{int(each):02}" for each in numbers.groups()) + "00" if numbers else ""


def confirm(batch: int, value: Confirm) -> Frame:
    """Return CONFIRM."""
    payload = _CONFIRM.pack(value.luwid, value.first, value.last, value.count)
    return Frame(protocol.CONFIRM, payload, unit=batch)


def read_confirm(frame: Frame) -> Confirm:
    """Return the contents of a CONFIRM."""
    return Confirm(*_read(_CONFIRM, frame))


def confirmed(batch: int, value: Confirmed) -> Frame:
    """Return CONFIRMED."""
    payload = _CONFIRMED.pack(value.luwid, value.last, value.flags, value.fast_taken)
    return Frame(protocol.CONFIRMED, payload, unit=batch)


def read_confirmed(frame: Frame) -> Confirmed:
    """Return the contents of a CONFIRMED."""
    return Confirmed(*_read(_CONFIRMED, frame))


def heartbeat(fast_taken: int | None = None) -> Frame:
    """Return HEARTBEAT: a question of the sending end, or with a count the receiving end's answer."""
    if fast_taken is None:
        return Frame(protocol.HEARTBEAT)
    return Frame(protocol.HEARTBEAT, _TAKEN.pack(fast_taken), protocol.NO_REPLY)


def read_heartbeat(frame: Frame) -> int:
    """Return how many fast messages the receiving end has taken."""
    (taken,) = _read(_TAKEN, frame)
    return taken


def trouble(value: Trouble) -> Frame:
    """Return TROUBLE."""
    text = value.text.encode()[:TROUBLE_BYTES_MAX]
    return Frame(protocol.TROUBLE, _TROUBLE.pack(value.reason, value.wait_ms) + text)


def read_trouble(frame: Frame) -> Trouble:
    """Return the contents of a TROUBLE."""
    if not _TROUBLE.size <= len(frame.payload) <= _TROUBLE.size + TROUBLE_BYTES_MAX:
        raise error(mq.PSRC_CHANNEL_FRAME, f"TROUBLE has {len(frame.payload)} bytes")
    reason, wait_ms = _TROUBLE.unpack_from(frame.payload)
    return Trouble(reason, wait_ms, frame.payload[_TROUBLE.size :].decode(errors="replace"))


def failed(batch: int, failure: MQError) -> Frame:
    """Return FAILED: the receiving end has backed this batch and all later ones out, and ends."""
    return Frame(protocol.FAILED, failures.pack(failure), unit=batch)


def read_failed(frame: Frame) -> MQError:
    """Return the failure that the other end reports."""
    try:
        failure = failures.unpack(frame.payload)
    except ValueError as cause:
        return error(mq.PSRC_CHANNEL_FRAME, str(cause))
    return error(failure.reason, f"the other end says: {failure.detail}")


def _read(layout: Struct, frame: Frame) -> tuple[int, ...]:
    if len(frame.payload) != layout.size:
        detail = f"frame {frame.kind} has {len(frame.payload)} bytes, not {layout.size}"
        raise error(mq.PSRC_CHANNEL_FRAME, detail)
    return layout.unpack(frame.payload)


def unexpected(frame: Frame, state: str) -> MQError:
    """Return the error for a frame that cannot come now."""
    return error(mq.PSRC_CHANNEL_FRAME, f"frame {frame.kind} cannot come in state {state}")
