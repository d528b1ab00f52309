"""The stored records of aggregations: five kinds, each a small set of facts and possibly a reply.

A record is found by its `key`, or with others of its `group`. Facts are JSON on the first line of the stored
bytes; the unchanged body of a reply follows. Nothing here does I/O; `on_queues` turns records into messages
and back. Every later release reads version 1 of the format.
"""

from __future__ import annotations

from enum import StrEnum
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import msgspec

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.flow.aggregation.stored_reply import StoredReply

VERSION = 1


class State(StrEnum):
    """The kinds of records, and the queue that holds each; a text, because that is hashed quickly."""

    CONTROL = "SYSTEM.BROKER.AGGR.CONTROL"  # one per aggregation: number of requests and of replies
    REQUEST = "SYSTEM.BROKER.AGGR.REQUEST"  # one per request without a reply
    REPLY = "SYSTEM.BROKER.AGGR.REPLY"  # one per reply of an incomplete aggregation
    TIMEOUT = "SYSTEM.BROKER.AGGR.TIMEOUT"  # one per aggregation with a timeout
    UNKNOWN = "SYSTEM.BROKER.AGGR.UNKNOWN"  # one per reply that no aggregation waits for yet


class Record(NamedTuple):
    """A stored record. `key` and `group` have 24 bytes; a record can be found by either.

    A reply of this process is in `reply`: its facts are written only if the record reaches a queue.
    """

    state: State
    key: bytes
    group: bytes
    persistent: bool
    facts: dict[str, Any]
    body: bytes = b""
    reply: StoredReply | None = None

    def changed(self, **facts: Any) -> Record:
        """Return the record with some facts changed."""
        return self._replace(facts={**self.facts, **facts})

    def encoded(self) -> bytes:
        """Return the bytes to store."""
        more = {} if self.reply is None else self.reply.facts()
        return msgspec.json.encode({"v": VERSION, **self.facts, **more}) + b"\n" + self.body


def decoded(state: State, key: bytes, group: bytes, persistent: bool, data: bytes) -> Record:
    """Return a record from stored bytes; 8320 if they are not one of our records."""
    head, _, body = data.partition(b"\n")
    try:
        facts = msgspec.json.decode(head)
        known = isinstance(facts, dict) and facts.pop("v", None) == VERSION
    except (ValueError, msgspec.MsgspecError):
        known = False
    if not known:
        raise error(mq.PSRC_FLOW_AGGREGATION, f"a message on {state.value} is no record of an aggregation")
    return Record(state, key, group, persistent, facts, body)


class Records(Protocol):
    """A store of records. A record that was taken is hidden from all others until the unit of work ends."""

    def take(self, state: State, key: bytes) -> Record | None:
        """Take a record by its key; None if there is none, or if another unit of work has it."""

    def take_group(self, state: State, group: bytes) -> list[Record]:
        """Take all records of a group."""

    def take_control(self, aggregation: bytes) -> Record:
        """Take the control record of an existing aggregation; 8321 while another unit of work holds it."""

    def keep(self, record: Record) -> None:
        """Store a record."""


def request_key(name: str, reply_identifier: bytes) -> bytes:
    """Return the key of a request: a reply matches only requests of the same aggregate name."""
    return blake2b(name.encode() + b"\0" + reply_identifier, digest_size=24).digest()
