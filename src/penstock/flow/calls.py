"""Calls from flow to flow, in any process: a request on the queue of an endpoint, a reply by its id.

The caller waits, so nothing of it is in a unit of work and nothing is persistent: a call that nobody takes
expires when the caller stops waiting. Used by the CallableFlow nodes.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.aggregation.records import Record, State
from penstock.flow.aggregation.stored_reply import StoredReply, head_of, reply_of, stored_reply, with_head
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, Descriptor
from penstock.model.message import Message as QueueMessage

if TYPE_CHECKING:
    from penstock.flow.assembly import Assembly
    from penstock.flow.ports import Ports

PREFIX = "SYSTEM.BROKER.CALL."
REPLIES = PREFIX + "REPLY"
VERSION = 1


class Call(NamedTuple):
    """A request or a reply; `problem` is the failure of the called flow."""

    stored: StoredReply
    problem: MQError | None = None


def endpoint_queue(application: str, endpoint: str) -> str:
    """Return the queue of an endpoint."""
    return PREFIX + blake2b(f"{application}\0{endpoint}".encode(), digest_size=8).hexdigest().upper()


def correlator_queue(correlator: str) -> str:
    """Return the queue of the replies to asynchronous calls."""
    return endpoint_queue("\0reply", correlator)


def put_call(
    ports: Ports, queue: str, assembly: Assembly, timeout: float, reply_to: str, correl_id: bytes = b""
) -> bytes:
    """Put the message of an assembly to a queue of calls; return its id."""
    return _put(ports, queue, {"stored": None}, stored_reply(assembly), timeout, reply_to, correl_id)


def put_problem(ports: Ports, queue: str, problem: MQError, timeout: float, correl_id: bytes) -> None:
    """Reply to the caller that the called flow failed."""
    facts = {"reason": problem.reason, "detail": problem.detail}
    nothing = StoredReply(QueueMessage(b""), ("BLOB", "", "", ""))
    _put(ports, queue, facts, nothing, timeout, "", correl_id)


def call_in(message: QueueMessage) -> Call:
    """Return the call in a message of a call queue; 8338 if it is not one."""
    try:
        facts, body = head_of(message, VERSION)
        record = Record(State.REPLY, message.correl_id, message.msg_id, False, facts["stored"], body)
        problem = None
        if "reason" in facts:
            problem = error(mq.PSRC_FLOW_CALL, f"the called flow failed: {facts['reason']} {facts['detail']}")
        return Call(reply_of(record), problem)
    except (ValueError, KeyError, TypeError) as raised:
        raise error(mq.PSRC_FLOW_CALL, "a message on a queue of calls is none") from raised


def _put(
    ports: Ports,
    queue: str,
    facts: dict[str, Any],
    stored: StoredReply,
    timeout: float,
    reply_to: str,
    correl_id: bytes,
) -> bytes:
    told = {"v": VERSION, **facts, "stored": stored.facts()}
    data = with_head(told, stored.body)
    identity = ports.new_id()
    message = QueueMessage(data, identity, correl_id or NO_ID, descriptor=Descriptor(reply_to=reply_to))
    message.expires_at, message.remaining = ports.clock() + timeout, timeout
    ports.put(queue, message, in_unit=False)
    return identity
