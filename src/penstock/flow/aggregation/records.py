"""What is kept about aggregations: five kinds of records, each a small set of facts and maybe a reply.

A record is found by its `key`, or with others of its `group`. Facts are JSON on the first line of the
stored bytes, a reply's body follows as it came. Nothing here does I/O; `on_queues` turns records into
messages and back. Version 1 of the form is read by every later release.
"""

from __future__ import annotations

import json
from enum import Enum
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol

from penstock.model.constants_reasons import PSRC_FLOW_AGGREGATION
from penstock.model.errors import error

VERSION = 1


class State(Enum):
    """The kinds of records, and the queue where each is kept."""

    CONTROL = "SYSTEM.BROKER.AGGR.CONTROL"  # one an aggregation: how many requests, how many replies
    REQUEST = "SYSTEM.BROKER.AGGR.REQUEST"  # one for each request without a reply
    REPLY = "SYSTEM.BROKER.AGGR.REPLY"  # one for each reply of an aggregation that is not complete
    TIMEOUT = "SYSTEM.BROKER.AGGR.TIMEOUT"  # one for each aggregation that ends by itself
    UNKNOWN = "SYSTEM.BROKER.AGGR.UNKNOWN"  # one for each reply that nobody waits for yet


class Record(NamedTuple):
    """Something kept. `key` and `group` are 24 bytes; who knows one of them finds the record."""

    state: State
    key: bytes
    group: bytes
    persistent: bool
    facts: dict[str, Any]
    body: bytes = b""

    def changed(self, **facts: Any) -> Record:
        """Return the record with some facts changed."""
        return self._replace(facts={**self.facts, **facts})

    def encoded(self) -> bytes:
        """Return the bytes to keep."""
        facts = json.dumps({"v": VERSION, **self.facts}, separators=(",", ":"))
        return facts.encode() + b"\n" + self.body


def decoded(state: State, key: bytes, group: bytes, persistent: bool, data: bytes) -> Record:
    """Return a record from what was kept; 8320 for bytes that are no record of ours."""
    head, _, body = data.partition(b"\n")
    try:
        facts = json.loads(head)
        known = isinstance(facts, dict) and facts.pop("v", None) == VERSION
    except ValueError:
        known = False
    if not known:
        raise error(PSRC_FLOW_AGGREGATION, f"a message on {state.value} is no record of an aggregation")
    return Record(state, key, group, persistent, facts, body)


class Records(Protocol):
    """Where records are kept. Taking one takes it away from everybody else until the unit of work ends."""

    def take(self, state: State, key: bytes) -> Record | None:
        """Take a record by its key; None when there is none, or when another unit of work has it."""

    def take_group(self, state: State, group: bytes) -> list[Record]:
        """Take all records of a group."""

    def take_control(self, aggregation: bytes) -> Record:
        """Take the control record of an aggregation that exists; 8321 when another unit of work keeps it."""

    def keep(self, record: Record) -> None:
        """Keep a record."""


def request_key(name: str, reply_identifier: bytes) -> bytes:
    """Return the key of a request: replies are looked for among those of one aggregate name only."""
    return blake2b(name.encode() + b"\0" + reply_identifier, digest_size=24).digest()
