"""A stored timeout request: a message on SYSTEM.BROKER.TIMEOUT.QUEUE with the message to send.

The correlation id is derived from both identifiers, so that a request finds those it replaces or cancels; the
message id is derived from the node's, so that its records are found among others. Of two with the same
identifiers the newest counts: a request that was replaced while it was processed leaves nothing behind.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any, NamedTuple

from penstock.flow.aggregation.records import Record, State
from penstock.flow.aggregation.stored_reply import StoredReply, head_of, reply_of, with_head
from penstock.flow.timers.request import TimeoutRequest, wrong
from penstock.model.message import Message as QueueMessage

QUEUE = "SYSTEM.BROKER.TIMEOUT.QUEUE"
VERSION = 1


class Timer(NamedTuple):
    """A stored timer: the node's identifier, the request, and the message; None for the node's own timer."""

    owner: str
    request: TimeoutRequest
    stored: StoredReply | None = None

    def message(self, persistent: bool) -> QueueMessage:
        """Return the message to put on the queue."""
        facts: dict[str, Any] = {"v": VERSION, "owner": self.owner, "request": self.request._asdict()}
        body = b""
        if self.stored is not None:
            facts["stored"], body = self.stored.facts(), self.stored.body
        data = with_head(facts, body)
        key = key_of(self.owner, self.request.identifier)
        return QueueMessage(data, owner_id(self.owner), key, persistent)


def timer_of(message: QueueMessage) -> Timer:
    """Return the timer in a message of the queue; 8310 if it is not one of our records."""
    try:
        facts, body = head_of(message, VERSION)
        request = TimeoutRequest(**facts["request"])
        stored = facts.get("stored")
        kept = None
        if stored is not None:
            kept = reply_of(Record(State.REPLY, message.correl_id, message.msg_id, True, stored, body))
        return Timer(facts["owner"], request, kept)
    except (ValueError, KeyError, TypeError) as raised:
        raise wrong(f"a message on {QUEUE} is no timeout request: {raised}") from raised


def key_of(owner: str, identifier: str) -> bytes:
    """Return the correlation id of a request."""
    return blake2b(f"{owner}\0{identifier}".encode(), digest_size=24).digest()


def owner_id(owner: str) -> bytes:
    """Return the message id of all records of a node."""
    return blake2b(owner.encode(), digest_size=24).digest()
