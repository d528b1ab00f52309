"""The state of conversations: one message on a queue for each, changed in the unit of work of its request."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import msgspec

from penstock.bridge.header import NO_TOKEN
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

QUEUE = "SYSTEM.BRIDGE.STATE"
STATE_BYTES_MAX = 1 << 20


def take(qm: BlockingQueueManager, token: bytes) -> Any:
    """Take the state of a conversation in the unit of work; 8346 if there is no such conversation."""
    if token == NO_TOKEN:
        return None
    found = qm.get(QUEUE, correl_id=_key(token))
    if found is None:
        raise error(mq.PSRC_BRIDGE_REQUEST, f"there is no conversation {token.hex()}, or it is in use")
    return msgspec.json.decode(found.body or b"null")


def keep(qm: BlockingQueueManager, token: bytes, state: Any) -> bytes:
    """Keep what a program left; return the token of the conversation, NO_TOKEN if it has ended."""
    if state is None:
        return NO_TOKEN
    data = msgspec.json.encode(state)
    if len(data) > STATE_BYTES_MAX:
        what = f"the state of a conversation has at most {STATE_BYTES_MAX} bytes, not {len(data)}"
        raise error(mq.PSRC_BRIDGE_PROGRAM, what)
    token = secrets.token_bytes(len(NO_TOKEN)) if token == NO_TOKEN else token
    qm.put(QUEUE, data, correl_id=_key(token), persistent=True)
    return token


def _key(token: bytes) -> bytes:
    return token.ljust(24, b"\0")
