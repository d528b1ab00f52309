"""The greeting of a link: hello, who it is, welcome; and further conversations on the same socket.

`Link` calls it with the first frame. Admission is asked elsewhere; here a link gets its first conversation,
and receives the terms: version, features, heartbeat, how many conversations, how long a message.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from penstock.host.queue_manager import QueueManager
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import failures
from penstock.protocol import hello as greetings
from penstock.protocol import numbers as protocol
from penstock.protocol.heartbeat import Pulse, keep_alive
from penstock.serve.conversations.conversation import Conversation
from penstock.serve.conversations.replies import LoopCaller
from penstock.serve.entry.admission import Identity, admit
from penstock.serve.entry.peer import Peer
from penstock.serve.entry.refusals import HIDDEN, TOLD, refuse, shown
from penstock.serve.message_channels import acceptance

if TYPE_CHECKING:
    from penstock.protocol.hello import Greeting
    from penstock.serve.link import Link

__all__ = ["Identity", "Peer", "converse", "greet"]

logger = logging.getLogger(__name__)

FIRST = 1
APPLICATION_MAX = 256


async def greet(link: Link, payload: bytes) -> None:
    """Answer a hello: welcome, or a refusal and the end of the link."""
    try:
        hello = greetings.unpack(payload)
        version = greetings.agreed_version(hello)
        if not version:
            raise error(
                mq.MQRC_CHANNEL_CONFIG_ERROR,
                f"the client speaks versions {hello.version_min} to {hello.version_max},"
                f" this queue manager {protocol.VERSION_MIN} to {protocol.VERSION_MAX}",
            )
        if hello.features & protocol.FEATURE_CHANNELS:
            await acceptance.greet(link, hello, payload)
            return
        identity = await admit(link, hello)
        if link.closed:
            return
        link.identity = identity
        await _begin(link, hello, identity)
    except ValueError as failure:
        link.abort(f"a greeting makes no sense: {failure}")
        return
    except MQError as failure:
        link.refuse(await _told(link, failure))
        return
    except Exception as failure:  # an edge: the client must not wait for ever
        logger.exception("greeting_failed peer=%s", link.peer)
        link.abort(f"a greeting could not be answered: {failure}")
        return
    link.pulse = Pulse(identity.heartbeat, bool(hello.features & protocol.FEATURE_HEARTBEATS))
    if not link.peer.local:
        keep_alive(link.transport.get_extra_info("socket"), identity.heartbeat)
    terms = greetings.pack(_terms(link, identity, version), protocol.FEATURES | protocol.FEATURE_HEARTBEATS)
    link.out.frame(protocol.WELCOME, 0, 0, 0, 0, terms)
    link.write()
    link.welcomed(identity, min(identity.message_max + (1 << 20), protocol.FRAME_BYTES_MAX))


async def _begin(link: Link, hello: Greeting, identity: Identity) -> None:
    """Connect to the engine; a refused client gets only the refusal."""
    try:
        _start(link, FIRST, hello, identity)
        link.server.channels.balancing.enter(link, hello)
    except MQError as failure:
        link.server.channels.left(link)  # a refused client uses no slot
        raise await refuse(link, failure.detail, "AMQ9777E", identity.channel, failure.reason) from failure


async def _told(link: Link, failure: MQError) -> MQError:
    """Return the failure that a refused client sees; internal errors only if its link reveals them."""
    if link.reveals or failure.reason in TOLD or failure.detail == HIDDEN:
        return failure
    return await refuse(link, str(failure), "AMQ9999E", "")


def _terms(link: Link, identity: Identity, version: int) -> dict[str, object]:
    return {
        "version": version,
        "qmgr": link.server.engine.name,
        "user": identity.user,
        "heartbeat": identity.heartbeat,
        "conversations": identity.share_max,
        "message_max": identity.message_max,
        "ccsid": link.server.engine.definition.attributes["CCSID"],
        "token": link.server.channels.give_token(link),
    }


def _start(link: Link, number: int, hello: Greeting, identity: Identity) -> None:
    caller = LoopCaller(link.server.host)
    qm = QueueManager(
        link.server.host,
        hello.text("application")[:APPLICATION_MAX] or identity.application[:APPLICATION_MAX] or "?",
        identity.user,
        hello.number("process") or identity.process,
        caller,
    )
    qm.connection.channel = identity.channel
    qm.connection.address = link.peer.name
    qm.connection.local = link.peer.local
    link.conversations[number] = Conversation(link, number, qm, caller)


def converse(link: Link, request: int, payload: bytes) -> None:
    """Open a further conversation on a link, for the same user."""
    identity = link.identity
    assert identity is not None
    hello = greetings.unpack(payload)
    number = hello.number("conversation")
    if not FIRST < number <= protocol.CONVERSATIONS_MAX or number in link.conversations:
        raise ValueError(f"conversation {number} cannot be opened")
    if len(link.conversations) >= identity.share_max:
        raise ValueError(f"this channel takes {identity.share_max} conversations on a socket")
    try:
        if link.ending:
            raise error(
                mq.MQRC_Q_MGR_QUIESCING,
                f"{link.ends_because()}: this connection takes no further conversations",
            )
        if hello.facts.get("replaces") != identity.token:
            link.server.channels.replace(hello.facts.get("replaces"), identity.user)
        _start(link, number, hello, identity)
    except MQError as failure:
        link.out.frame(protocol.FAILED, 0, 0, request, 0, failures.pack(shown(link, failure)))
    else:
        link.out.frame(protocol.WELCOME, 0, 0, request, 0, b"")
    link.mark()
