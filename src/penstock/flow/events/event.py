"""A kept message: the terminal it came to, the group it belongs to, its number in it, and when it came.

Stored as a message on the queue of its node: facts as JSON on the first line, then the unchanged body. Every
later release reads version 1 of the format.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from penstock.flow.aggregation.records import Record, State
from penstock.flow.aggregation.stored_reply import StoredReply, head_of, reply_of, stored_reply, with_head
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.message import Message as QueueMessage

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly

VERSION = 1
PREFIX = "SYSTEM.BROKER.EDA."


class Event(NamedTuple):
    """A kept message; `identity` is the message id of its record.

    `terminal` is where it arrived, or what it is in a sequence (`nodes/resequence.py`).
    """

    identity: bytes
    terminal: str
    group: str
    number: int
    came: float
    stored: StoredReply


def keep(assembly: Assembly, queue: str, terminal: str, group: str = "", number: int = 0) -> None:
    """Put the message of an assembly to the queue of a node, in the unit of work of the flow."""
    ports = assembly.invocation.ports
    event = Event(ports.new_id(), terminal, group, number, ports.clock(), stored_reply(assembly))
    ports.put(queue, event_record(event), in_unit=assembly.invocation.transactional)


def event_record(event: Event) -> QueueMessage:
    """Return an event as the message to put."""
    facts = {
        "v": VERSION,
        "terminal": event.terminal,
        "group": event.group,
        "number": event.number,
        "came": event.came,
        "stored": event.stored.facts(),
    }
    data = with_head(facts, event.stored.body)
    correl_id = blake2b(event.group.encode(), digest_size=24).digest()
    return QueueMessage(data, event.identity, correl_id, event.stored.message.persistent)


def event_of(message: QueueMessage) -> Event:
    """Return the event in a message; 8320 if it is not one of our records."""
    try:
        facts, body = head_of(message, VERSION)
        stored = reply_of(Record(State.REPLY, message.correl_id, message.msg_id, True, facts["stored"], body))
        place = (str(facts["terminal"]), str(facts["group"]), int(facts["number"]), float(facts["came"]))
    except (ValueError, KeyError, TypeError) as raised:
        raise error(mq.PSRC_FLOW_AGGREGATION, f"a message on a queue {PREFIX}* is no event") from raised
    return Event(message.msg_id, *place, stored)


def queue_at(flow: str, label: str) -> str:
    """Return the queue of one node in a flow."""
    return PREFIX + blake2b(f"{flow}\0{label}".encode(), digest_size=8).hexdigest().upper()
