"""A queue manager dials in: from the greeting of a message channel to the end that answers it.

Called by `greeting` with a HELLO of FEATURE_CHANNELS. The channel's definition, TLS and CHLAUTH rules decide
(`admin`); as for clients, a refusal tells nothing about the reason. Then the socket leaves the client's
`Link` for a `ChannelLink`: a message channel has no conversation, so nobody gets a client's rights by it, and
a client's greeting never gets here. By role: `sender` fits RCVR or RQSTR, `requester` fits SVR, or SDR,
which closes the connection and calls back; `ping` reaches any of them.
"""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

from penstock.channel import frames
from penstock.channel.line import Frame
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import numbers as protocol
from penstock.protocol.heartbeat import keep_alive
from penstock.serve.channels import number_of
from penstock.serve.entry import auto_definition, tls
from penstock.serve.entry.peer import host_name_of
from penstock.serve.entry.refusals import refuse
from penstock.serve.message_channels.definitions import RECEIVERS, SENDERS
from penstock.serve.message_channels.link import ChannelLink
from penstock.serve.message_channels.pinging import Answering
from penstock.serve.message_channels.receiving import ReceivingChannel
from penstock.serve.message_channels.run import REQUESTING
from penstock.serve.message_channels.sending import SendingChannel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.protocol.hello import Greeting
    from penstock.qmgr.objects import Definition
    from penstock.serve.link import Link
    from penstock.serve.message_channels.initiator import MessageChannels
    from penstock.serve.message_channels.link import Owner

logger = logging.getLogger(__name__)

FITTING = {"sender": RECEIVERS, "requester": SENDERS, "ping": (*SENDERS, *RECEIVERS)}


async def greet(link: Link, hello: Greeting, payload: bytes) -> None:
    """Admit a queue manager and answer it; an MQError is a refusal."""
    server = link.server
    if link.peer.local:
        raise error(mq.PSRC_CHANNEL_REFUSED, "message channels come by the network")
    if server.stopping:
        raise error(mq.MQRC_Q_MGR_QUIESCING, "the queue manager is stopping")
    name, role, partner = hello.text("channel"), hello.text("role"), hello.text("from") or hello.text("qmgr")
    user = await _admitted(link, name, role, partner, hello.number("wrap"))
    definition = server.engine.objects.find("CHANNEL", name)
    if link.closed or definition is None:
        return
    channels: MessageChannels = server.message_channels
    taken = Frame(protocol.HELLO, payload)
    if role == "ping":
        answering = Answering()
        with _take_over(link, definition, answering) as made:
            answering.begin(made, definition, taken)
    elif role == "sender":
        run = ReceivingChannel(channels, definition)
        channels.check_limits(run)
        for waiting in channels.receivers_of(name):
            if waiting.state == REQUESTING and waiting.link is None:
                waiting.called()
        with _take_over(link, definition, run) as made:
            channels.enter(run)
            run.accept(made, definition, user, taken)
    elif definition.subtype == "SDR":
        _call_back(link, definition, channels)
    else:
        _serve_requester(link, definition, channels)


async def _admitted(link: Link, name: str, role: str, partner: str, wrap: int) -> str:
    """Return the user that the channel runs as, blank for the queue manager's own; or refuse."""
    server = link.server
    host = await host_name_of(link.peer, server.loop) if server.access.wants_host_names else ""
    decision = server.access.partner(link.peer, name, host, partner)
    for rule in decision.warnings:
        text = f"{link.peer} would not have got in by channel {name}: {rule} (WARN(YES))."
        server.error_log.write("AMQ9782W", text)
    if not decision.allowed:
        server.message_channels.blocked(name, link.peer, partner, decision)
        raise await refuse(link, decision.text, decision.log_id, name, delay=decision.delay)
    definition = server.engine.objects.find("CHANNEL", name)
    if definition is None and role == "sender":
        definition = auto_definition.define(server, name, "RCVR", partner, link.peer, SEQWRAP=wrap)
    fault = _fault(link, definition, name, role)
    if fault is not None:
        raise await refuse(link, fault.detail, "AMQ9519E", name, fault.reason)
    assert definition is not None
    problem = tls.refusal(definition, link.peer)
    if problem:
        server.message_channels.tls_failed(name, link.peer, problem)
        raise await refuse(link, problem, "AMQ9639E", name, mq.MQRC_SSL_INITIALIZATION_ERROR)
    return str(decision.user)


def _fault(link: Link, definition: Definition | None, name: str, role: str) -> MQError | None:
    """Return the error of the requested channel."""
    kinds = FITTING.get(role)
    if kinds is None:
        return error(mq.PSRC_CHANNEL_REFUSED, f"a partner of channel {name} has the role {role!r:.20}")
    if definition is None:
        return error(mq.MQRC_UNKNOWN_CHANNEL_NAME, f"channel {name} is not defined at this queue manager")
    if definition.subtype not in kinds:
        detail = f"channel {name} is {definition.subtype} here, which is none for a {role}"
        return error(mq.PSRC_CHANNEL_REFUSED, detail, channel=name)
    if role != "ping" and link.server.engine.sync_book.is_held(name):
        return error(mq.MQRC_CHANNEL_NOT_AVAILABLE, f"channel {name} is stopped", channel=name)
    return None


@contextmanager
def _take_over(link: Link, definition: Definition, owner: Owner) -> Iterator[ChannelLink]:
    """Let a socket go from a client's link to a channel's, with what was read behind the greeting.

    From here on nobody else ends it: whatever goes wrong closes it.
    """
    server = link.server
    keep_alive(link.transport.get_extra_info("socket"), number_of(definition, "HBINT"))
    made = ChannelLink(server, link.peer, owner, link.connection)
    if not isinstance(owner, Answering):  # who only pings goes before others when there are too many
        server.connections.was_greeted(link.connection)
    link.connection.close = made.abort
    server.links.discard(link)
    link.closed = True
    try:
        made.connection_made(link.transport)
        link.transport.set_protocol(made)
        if not link.transport.is_closing():
            link.transport.resume_reading()  # the link before may have paused for others
        yield made
        rest, link.rest = link.rest, b""
        made.receive(rest)
    except MQError as failure:
        made.break_off(failure)
    except Exception as fault:  # an edge: the other end must not wait for ever
        logger.exception("channel_not_accepted channel=%s peer=%s", definition.name, link.peer)
        made.break_off(error(mq.MQRC_UNEXPECTED_ERROR, f"{type(fault).__name__}: {fault}"))


def _call_back(link: Link, definition: Definition, channels: MessageChannels) -> None:
    """Reply to a requester that the sender will dial its own CONNAME."""
    if not str(definition.attributes["CONNAME"]).strip():
        raise error(mq.PSRC_CHANNEL_REFUSED, f"channel {definition.name} has no CONNAME to call back")
    link.out.frame(
        protocol.WELCOME, 0, 0, 0, 0, frames.greeting(protocol.WELCOME, {"call_back": True}).payload
    )
    link.write()
    link.transport.close()
    channels.start(definition.name)


def _serve_requester(link: Link, definition: Definition, channels: MessageChannels) -> None:
    run = channels.sending.get(definition.name)
    if run is not None and run.link is not None:
        run.link.break_off(error(mq.MQRCCF_CHANNEL_IN_USE, "the requester has dialled again"))
        run.link_gone(run.link)
        run = channels.sending.get(definition.name)
    if run is None or run.kind != definition.subtype:
        run = SendingChannel(channels, definition)
        channels.check_limits(run)
        channels.sending[definition.name] = run
    try:
        run.prepare(definition)
    except MQError as failure:
        run.not_prepared(failure)
        raise
    with _take_over(link, definition, run) as made:
        run.accept(made, definition)
