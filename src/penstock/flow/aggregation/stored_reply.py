"""A reply as aggregation stores it: the queue message with its descriptor, and how to parse its body.

Made from the tree that reached AggregateReply, so changes by earlier nodes are included. `message` returns
the message with its own ids and context; `tree` parses it as the input node would.
"""

from __future__ import annotations

import json
from dataclasses import fields
from functools import lru_cache
from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.aggregation.records import Record, State
from penstock.model.message import NO_ID, PLAIN, Descriptor
from penstock.model.message import Message as QueueMessage
from penstock.tree import MISSING, Path, parse_message, serialise_message

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.project import Project
    from penstock.tree import Message

DESCRIPTORS_KEPT = 256
_PROPERTIES, _REPLY_IDENTIFIER = Path("Properties"), Path("Properties", "ReplyIdentifier")
_DESCRIBED = tuple(Path(name) for name in ("MessageSet", "MessageType", "MessageFormat"))
_FIELDS = tuple(each.name for each in fields(Descriptor))
_BYTES = {name for name in _FIELDS if isinstance(getattr(PLAIN, name), bytes)}


def with_head(facts: dict[str, Any], body: bytes) -> bytes:
    """Return the body of a record on a queue: one line of JSON, then bytes."""
    return json.dumps(facts, separators=(",", ":")).encode() + b"\n" + body


def head_of(message: QueueMessage, version: int) -> tuple[dict[str, Any], bytes]:
    """Return both parts of such a record; ValueError, KeyError or TypeError if it is none."""
    head, _, body = (message.body or b"").partition(b"\n")
    facts = json.loads(head)
    if facts["v"] != version:
        raise ValueError("another version")
    return facts, body


class StoredReply(NamedTuple):
    """A reply; `described` is domain, message set, type and format of its body."""

    message: QueueMessage
    described: tuple[str, str, str, str]

    @property
    def reply_identifier(self) -> bytes:
        """The identifier of the request that it answers."""
        return self.message.correl_id

    @property
    def put_time(self) -> float:
        """When it was put."""
        return self.message.put_time

    @property
    def body(self) -> bytes:
        """Its bytes."""
        return self.message.body or b""

    def facts(self) -> dict[str, Any]:
        """Return everything about it except its body, as JSON values."""
        message = self.message
        return {
            "msg_id": message.msg_id.hex(),
            "correl_id": message.correl_id.hex(),
            "persistent": message.persistent,
            "priority": message.priority,
            "put_time": message.put_time,
            "expires_at": message.expires_at,
            "remaining": message.remaining,
            "described": list(self.described),
            "descriptor": _differences(message.descriptor),
            "properties": {name: _written(value) for name, value in (message.properties or {}).items()},
        }

    def record(self, request: Record, persistent: bool) -> Record:
        """Return the record of this reply to a request: persistent if either of them is."""
        lasting = persistent or self.message.persistent
        return Record(State.REPLY, request.group, request.group, lasting, request.facts, self.body, self)

    def tree(self, project: Project, transactional: bool) -> Message:
        """Return the reply's tree."""
        domain, set_, type_, format_ = self.described
        model: Any = project.model(set_) if set_ else None
        return parse_message(
            *(self.message, domain, model), set=set_, type=type_, format=format_, transactional=transactional
        )


def stored_reply(assembly: Assembly) -> StoredReply:
    """Return the reply in an assembly."""
    message = serialise_message(assembly.message)
    source = assembly.invocation.source
    message.put_time = assembly.invocation.ports.clock() if source is None else source.put_time
    if message.correl_id == NO_ID:
        message.correl_id = _reply_identifier(assembly.message)
    return StoredReply(message, (assembly.message.domain or "BLOB", *_described(assembly.message)))


def _reply_identifier(message: Message) -> bytes:
    """Return Properties.ReplyIdentifier, where replies that come from no queue name their request."""
    value = message.get(_REPLY_IDENTIFIER)
    return value if isinstance(value, bytes) and len(value) == len(NO_ID) else NO_ID


def _described(message: Message) -> tuple[str, str, str]:
    """Return message set, type and format of a message. Unchanged Properties are not unfolded for this."""
    folder = message.reference(_PROPERTIES)
    if folder is None:
        return "", "", ""
    if not folder.is_changed and isinstance(folder.payload, tuple):
        said: Iterable[Any] = folder.payload[1][2:5]
    else:
        said = [folder.get(path) for path in _DESCRIBED]
    set_, type_, format_ = ("" if each is MISSING or each is None else str(each) for each in said)
    return set_, type_, format_


def reply_of(record: Record) -> StoredReply:
    """Return the reply in a record."""
    if record.reply is not None:
        return record.reply
    facts = record.facts
    own: dict[str, Any] = {
        name: bytes.fromhex(value) if name in _BYTES else value for name, value in facts["descriptor"].items()
    }
    message = QueueMessage(
        record.body,
        bytes.fromhex(facts["msg_id"]),
        bytes.fromhex(facts["correl_id"]),
        facts["persistent"],
        facts["priority"],
        facts["put_time"],
        facts["expires_at"],
        descriptor=Descriptor(**own),
        properties={name: _read(value) for name, value in facts["properties"].items()} or None,
    )
    message.remaining = facts["remaining"]
    domain, set_, type_, format_ = facts["described"]
    return StoredReply(message, (domain, set_, type_, format_))


@lru_cache(maxsize=DESCRIPTORS_KEPT)
def _differences(own: Descriptor) -> dict[str, Any]:
    """Return the fields that differ from their defaults; many messages share a descriptor, and this."""
    found = {name: getattr(own, name) for name in _FIELDS}
    usual = {name: getattr(PLAIN, name) for name in _FIELDS}
    return {
        name: value.hex() if name in _BYTES else value
        for name, value in found.items()
        if value != usual[name]
    }


def _written(value: Any) -> Any:
    if isinstance(value, float) and not isfinite(value):
        return {"float": repr(value)}  # JSON has no such numbers
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def _read(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return float(value["float"]) if "float" in value else bytes.fromhex(value["hex"])
