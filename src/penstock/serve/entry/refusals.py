"""Refusals of clients: over the network all are 2035, and all look the same.

Before a client has proved who it is, every refusal of its greeting is 2035 after the same time, whatever its
cause and whatever was looked at; later on an authority refusal names neither object nor authority. The error
log has the cause. Clients of this machine get it, and with RevealReasons of qm.ini all others too.
"""

from __future__ import annotations

import ipaddress
import math
from dataclasses import replace
from typing import TYPE_CHECKING

from penstock.admin.replies import from_error
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from penstock.admin.replies import Reply
    from penstock.model.errors import MQError
    from penstock.serve.entry.peer import Peer
    from penstock.serve.link import Link

HIDDEN = "see the queue manager's error log for the reason"
# Reasons for every client: the queue manager stops, there is no room, the version is unknown.
TOLD = (mq.MQRC_Q_MGR_QUIESCING, mq.MQRC_CHANNEL_NOT_AVAILABLE, mq.MQRC_CHANNEL_CONFIG_ERROR)
LOGGED_MAX = 64  # different authority refusals of one connection that the error log has


def are_revealed_to(peer: Peer, setting: str) -> bool:
    """Return whether a client gets the reason of a refusal: RevealReasons is LOOPBACK, ALWAYS or NEVER."""
    if peer.local or setting == "ALWAYS":
        return True
    return setting == "LOOPBACK" and ipaddress.ip_address(peer.address).is_loopback


async def refuse(
    link: Link,
    text: str,
    log_id: str,
    channel: str,
    reason: int = mq.MQRC_NOT_AUTHORIZED,
    delay: float = 0.0,
    may_know: bool = False,
) -> MQError:
    """Log why a client is refused, wait, and return the failure that it sees.

    `delay` is for those who may know the reason; all others wait as long as for a wrong password.
    """
    server = link.server
    where = f" by channel {channel}" if channel else ""
    server.error_log.write(
        log_id or "AMQ9777E",
        f"{link.peer} was not let in{where}: {text}.",
        action="If that was right there is nothing to do; else see `penstock explain-access`.",
    )
    if not (link.reveals or may_know):
        reason, delay = mq.MQRC_NOT_AUTHORIZED, server.access.failure_delay
    if delay > 0:
        await server.access.pause(pause_before(link.hello_at, server.clock(), delay))
    is_shown = link.reveals and reason != mq.MQRC_NOT_AUTHORIZED  # which rule refuses is in the log alone
    return error(reason, text if is_shown else HIDDEN)


def pause_before(begun: float, now: float, delay: float) -> float:
    """Return how long to wait so that a refusal leaves a whole number of delays after its hello came.

    What happened in between, a slow check or none, does not show in the time then.

    >>> pause_before(100.0, 100.25, 1.0), pause_before(100.0, 100.0, 1.0), pause_before(100.0, 102.5, 1.0)
    (0.75, 1.0, 0.5)
    """
    return begun + (math.floor((now - begun) / delay) + 1) * delay - now


def shown(link: Link, failure: MQError) -> MQError:
    """Return the failure that the client of a conversation sees, and log an authority refusal."""
    identity = link.identity
    if failure.reason != mq.MQRC_NOT_AUTHORIZED or link.peer.local or identity is None:
        return failure
    if len(identity.refusals) < LOGGED_MAX and failure.detail not in identity.refusals:
        identity.refusals.add(failure.detail)
        link.server.error_log.write(
            "AMQ8077W",
            f"{link.peer} was refused on channel {identity.channel}, user {identity.user}: {failure.detail}.",
            action="If that was right there is nothing to do; else see `penstock explain-access`.",
        )
    return failure if link.reveals else error(mq.MQRC_NOT_AUTHORIZED, HIDDEN)


def shown_reply(link: Link, reply: Reply) -> Reply:
    """Return the reply to an MQSC command that a client sees: as `shown`."""
    if reply.reason != mq.MQRC_NOT_AUTHORIZED:
        return reply
    told = shown(link, error(mq.MQRC_NOT_AUTHORIZED, reply.text))
    return (
        reply
        if told.detail == reply.text
        else replace(reply, text=from_error(error(mq.MQRC_NOT_AUTHORIZED)).text)
    )
