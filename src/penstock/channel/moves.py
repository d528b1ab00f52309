# cython: nonecheck=True
"""The messages of a MOVE frame, to bytes and back: several of one batch, or several fast ones.

One frame for many messages, because a frame costs both ends more than a message does. A message that is like
the one before has only its id, its put time and its body in the frame: a run of messages from one program
costs both ends a third. Each message says its own length, so a frame can be cut behind any of them: what the
other end has taken of it is not sent again, and what could not be put yet waits. Nothing here knows an
engine. What comes from the other end is checked: nonsense raises 8073, which ends one link and no other.
Compiled through `moves.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import MsgspecError

from penstock.channel._entries import Entry, short_entry, whole_entry
from penstock.channel.compression import compressed, expanded
from penstock.channel.line import Frame
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NEVER, NO_ID, PLAIN, plain_message
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
LENGTH_BYTES = 4  # of an entry: how many bytes follow
ENTRY_BYTES = 8
COMPRESSED = 1  # flag of a message: zlib
ALIKE = 2  # flag of a message: all but id, put time and body is as in the one before
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
        self.shortens = False  # the other end understands messages that are like the one before
        self._like: Onward | None = None  # that others may be like: of the last message with everything
        self._like_persistent = False
        self._like_priority = 0

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
        head, body, flags = encode_head(message), message.body or b"", 0
        if level:
            shorter = compressed(body, level, self.meter)
            if shorter is not None:
                body, flags = shorter, COMPRESSED
        entry = whole_entry(self._target, len(head), len(body), onward.hops, flags)
        parts = self.parts
        parts.append(entry)
        parts.append(head)
        parts.append(body)
        self.count += 1
        self.size += len(entry) + len(head) + len(body)
        plain = self.shortens and not level and not message.reports and not message.properties
        self._like = onward if plain and message.expires_at == NEVER else None
        self._like_persistent, self._like_priority = message.persistent, message.priority

    def is_alike(self, message: Message) -> bool:
        """Return whether only id, time and body of a message differ from those of the last one."""
        like, onward = self._like, message.onward
        if like is None or onward is None:
            return False
        if onward.descriptor is not like.descriptor or onward.hops != like.hops:
            return False
        if onward.queue is not like.queue or onward.qmgr is not like.qmgr:
            return False
        if message.persistent != self._like_persistent or message.priority != self._like_priority:
            return False
        return bool(
            message.expires_at == NEVER and not message.properties and onward.correl_id == like.correl_id
        )

    def add_alike(self, message: Message) -> None:
        """Add a message that `is_alike`."""
        onward, body = message.onward, message.body or b""
        assert onward is not None
        msg_id = message.correl_id if onward.msg_id == NO_ID else onward.msg_id
        entry = short_entry(msg_id, onward.put_time, len(body), ALIKE)
        parts = self.parts
        parts.append(entry)
        parts.append(body)
        self.count += 1
        self.size += len(entry) + len(body)

    def take(self) -> Frame:
        """Return the frame and begin a new one."""
        payload = b"".join(self.parts)
        self.parts = []
        self.count = self.size = 0
        self._like = None
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
        self.like_at = 0  # where the last message with everything begins
        self._targets = targets
        self._meter = meter  # of compression
        self._entry = Entry()
        self._like: Message | None = None  # that others may be like

    def next(self, now: float) -> Message:
        """Return the next message; `onward` is where it goes, without what it was before."""
        self.began = self.at
        try:
            entry = self._entry
            entry.read(self.payload, self.at)
            message = self._alike() if entry.flags & ALIKE else self._whole(now)
        except (ValueError, TypeError, MQError, MsgspecError) as failure:
            raise error(mq.PSRC_CHANNEL_FRAME, f"MOVE cannot be read: {failure}") from failure
        self.at = entry.end
        return message

    def _whole(self, now: float) -> Message:
        payload, entry = self.payload, self._entry
        if entry.target_end - self.at - ENTRY_BYTES > TARGET_BYTES_MAX:
            raise ValueError("the name of a destination is too long")
        key = payload[self.at + LENGTH_BYTES : entry.target_end]  # with hops and flags, which seldom differ
        onward = self._targets.get(key)
        if onward is None:
            onward = self._target(key, entry.hops)
        self.onward = onward
        if entry.flags & COMPRESSED:
            whole = payload[entry.target_end : entry.end]
            body = expanded(whole[head_numbers(whole)[0] :], self._meter)
            message = decode_head(whole, body, len(body))
        else:
            message = decode_whole(payload, entry.target_end, entry.end)
        if len(message.msg_id) != ID_BYTES or len(message.correl_id) != ID_BYTES:
            raise ValueError("an id has not 24 bytes")
        message.seq = message.place = message.backout_count = message.lane = 0
        message.onward = None
        plain = not message.reports and not message.properties and message.expires_at == NEVER
        self._like, self.like_at = message if plain else None, self.at
        if message.expires_at != NEVER:
            message.expires_at += now
        return message

    def _alike(self) -> Message:
        like, entry = self._like, self._entry
        if like is None:
            raise ValueError("a message is like none before it")
        put_time = entry.read_short(self.payload)
        return plain_message(
            entry.body,
            entry.msg_id,
            like.correl_id,
            like.persistent,
            like.priority,
            put_time,
            like.descriptor,
        )

    def _target(self, key: bytes, hops: int) -> Onward:
        queue, _, qmgr = key[ENTRY_BYTES - LENGTH_BYTES :].decode().partition("\0")
        if len(self._targets) >= TARGETS_KEPT:
            self._targets.clear()
        onward = self._targets[key] = Onward(queue, qmgr, PLAIN, hops=hops)
        return onward

    def more(self) -> bool:
        """Say whether there is another message."""
        return self.at < self.size


def rest_of(frame: Frame, at: int, number: int, like_at: int) -> Frame:
    """Return a frame without what is before a place; `number` is that of the message there.

    `like_at` is where the last message with everything begins: if the first one is like that, it gets
    everything too.
    """
    payload = frame.payload[at:]
    entry = Entry()
    entry.read(frame.payload, at)
    if entry.flags & ALIKE:
        reader = Reader(frame, {})
        reader.at = like_at
        reader.next(0.0)
        reader.at = at
        filled = Moves()
        filled.add(reader.onward, reader.next(0.0), 0.0, 0)
        payload = filled.take().payload + frame.payload[reader.at :]
    return Frame(frame.kind, payload, frame.flags, number, frame.unit)


def without_first(frame: Frame, count: int) -> Frame:
    """Return a frame of fast messages, made here, without the first ones."""
    at = like_at = 0
    entry = Entry()
    for _ in range(count):
        entry.read(frame.payload, at)
        if not entry.flags & ALIKE:
            like_at = at
        at = entry.end
    return rest_of(frame, at, 0, like_at)
