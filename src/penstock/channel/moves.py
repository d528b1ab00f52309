# cython: nonecheck=True
"""The messages of a MOVE frame, to bytes and back: several of one batch, or several fast ones.

One frame for many messages, because a frame costs both ends more than a message does. Each message says its
own length, so a frame can be cut behind any of them: what the other end has taken of it is not sent again,
and what could not be put yet waits. Nothing here knows an engine. What comes from the other end is checked:
nonsense raises 8073, which ends one link and no other. Compiled through `moves.pxd`.
"""

from __future__ import annotations

import struct
from struct import Struct
from typing import TYPE_CHECKING

from msgspec import MsgspecError

from penstock.channel.compression import compressed, expanded
from penstock.channel.line import Frame
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NEVER, PLAIN
from penstock.model.onward import Onward
from penstock.protocol import numbers as protocol
from penstock.store.message_format import decode_head, decode_whole, encode_head, head_numbers

if TYPE_CHECKING:
    from penstock.channel.counts import Meter
    from penstock.model.message import Message

FRAME_BYTES = 128 << 10  # a frame that has so much is full
EXPIRY_SECONDS_MIN = 0.1  # that remain of a message that is on its way
TARGET_BYTES_MAX = 97  # two names of 48 and what separates them
TARGETS_KEPT = 1000
ID_BYTES = 24
COMPRESSED = 1  # flag of a message: zlib
_ENTRY = Struct("<IHBB")  # bytes that follow these four; length of the target, hops, flags
_LENGTH = 4
_ENTRY_BYTES = 8
NOWHERE = Onward("", "", PLAIN)


class Moves:
    """A MOVE frame that is being filled."""

    def __init__(self) -> None:
        self.parts: list[bytes] = []
        self.count = 0
        self.size = 0
        self.first = self.batch = 0  # number of the first message, and of the batch; 0 for fast ones
        self.fast = False
        self.since = 0.0  # when the first message was put to the transmission queue
        self._queue = self._qmgr = ""
        self._target = b""
        self.meter: Meter | None = None  # of compression

    def begin(self, first: int, batch: int, fast: bool, since: float) -> None:
        """Start a frame."""
        self.first, self.batch, self.fast, self.since = first, batch, fast, since

    def add(self, onward: Onward, message: Message, now: float, level: int) -> None:
        """Add a message; the expiry in it is what remains. `level` is zlib's, 0 for a body as it is."""
        queue, qmgr = onward.queue, onward.qmgr
        if queue is not self._queue or qmgr is not self._qmgr:
            self._queue, self._qmgr = queue, qmgr
            self._target = f"{queue}\0{qmgr}".encode()
        if message.expires_at != NEVER:
            message.expires_at = max(message.expires_at - now, EXPIRY_SECONDS_MIN)
        target, head, body, flags = self._target, encode_head(message), message.body or b"", 0
        if level:
            shorter = compressed(body, level, self.meter)
            if shorter is not None:
                body, flags = shorter, COMPRESSED
        rest = _ENTRY_BYTES - _LENGTH + len(target) + len(head) + len(body)
        parts = self.parts
        parts.append(_ENTRY.pack(rest, len(target), onward.hops, flags))
        parts.append(target)
        parts.append(head)
        parts.append(body)
        self.count += 1
        self.size += rest + _LENGTH

    def take(self) -> Frame:
        """Return the frame and begin a new one."""
        payload = b"".join(self.parts)
        self.parts = []
        self.count = self.size = 0
        return Frame(protocol.MOVE, payload, protocol.FAST if self.fast else 0, self.first, self.batch)


class Reader:
    """The messages of a MOVE frame, one after the other. `targets` is what earlier frames went to."""

    def __init__(self, frame: Frame, targets: dict[bytes, Onward], meter: Meter | None = None) -> None:
        self.payload = frame.payload
        self.size = len(frame.payload)
        self.at = 0  # where the next message begins
        self.began = 0  # where the last one does
        self.taken = 0  # messages that were put the quick way
        self.onward = NOWHERE  # where the last one goes
        self._targets = targets
        self._meter = meter  # of compression

    def next(self, now: float) -> Message:
        """Return the next message; `onward` is where it goes, without what it was before."""
        self.began = self.at
        try:
            message = self._next()
            if len(message.msg_id) != ID_BYTES or len(message.correl_id) != ID_BYTES:
                raise ValueError("an id has not 24 bytes")
        except (ValueError, TypeError, MQError, struct.error, MsgspecError) as failure:
            raise error(mq.PSRC_CHANNEL_FRAME, f"MOVE cannot be read: {failure}") from failure
        message.seq = message.place = message.backout_count = message.lane = 0
        message.onward = None
        if message.expires_at != NEVER:
            message.expires_at += now
        return message

    def _next(self) -> Message:
        payload, at = self.payload, self.at
        rest, length, hops, flags = _ENTRY.unpack_from(payload, at)
        end = at + _LENGTH + rest
        head_at = at + _ENTRY_BYTES + length
        if length > TARGET_BYTES_MAX or head_at > end or end > self.size:
            raise ValueError("a message is cut off")
        key = payload[at + _LENGTH : head_at]  # with hops and flags, which seldom differ
        onward = self._targets.get(key)
        if onward is None:
            onward = self._target(key, hops)
        self.onward = onward
        self.at = end
        if flags & COMPRESSED:
            whole = payload[head_at:end]
            body = expanded(whole[head_numbers(whole)[0] :], self._meter)
            return decode_head(whole, body, len(body))
        return decode_whole(payload, head_at, end)

    def _target(self, key: bytes, hops: int) -> Onward:
        queue, _, qmgr = key[_ENTRY_BYTES - _LENGTH :].decode().partition("\0")
        if len(self._targets) >= TARGETS_KEPT:
            self._targets.clear()
        onward = self._targets[key] = Onward(queue, qmgr, PLAIN, hops=hops)
        return onward

    def more(self) -> bool:
        """Say whether there is another message."""
        return self.at < self.size


def rest_of(frame: Frame, at: int, number: int) -> Frame:
    """Return a frame without what is before a place; `number` is that of the message there."""
    return Frame(frame.kind, frame.payload[at:], frame.flags, number, frame.unit)


def without_first(frame: Frame, count: int) -> Frame:
    """Return a frame of fast messages, made here, without the first ones."""
    at = 0
    for _ in range(count):
        at += _LENGTH + _ENTRY.unpack_from(frame.payload, at)[0]
    return rest_of(frame, at, 0)
