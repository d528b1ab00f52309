"""Server-connection channels: their definitions, how many instances run, START and STOP, status.

The links are `Server`'s; this module counts them by channel and client address and shows them. Called by
`admission` in the loop and by MQSC through `runtime` in a worker, under the engine's lock.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.status import ChannelFigures, ServerConnectionStatus
from penstock.qmgr.channels.auto_definition import model_of
from penstock.serve.accepted import carry_out_soon
from penstock.serve.uniform_clusters.balancing import Balancing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.admin.mqsc import Request
    from penstock.model.status import Status
    from penstock.qmgr.objects import Definition
    from penstock.serve.entry.connection_limits import ConnectionLimits
    from penstock.serve.link import Link
    from penstock.serve.server import Server

TOKEN_BYTES = 16


class Channels:
    """The channels of one server."""

    verbs = frozenset({"START", "STOP"})

    def __init__(self, server: Server, limits: ConnectionLimits) -> None:
        self.server = server
        self.limits = limits
        self.stopped: set[str] = set()
        self.balancing = Balancing(server)
        self._instances: Counter[str] = Counter()
        self._by_client: Counter[tuple[str, str]] = Counter()
        self._by_token: dict[bytes, Link] = {}

    def definition(self, name: str) -> Definition:
        """Return a server-connection channel that clients may use now; with CHAD the model of a new one."""
        objects = self.server.engine.objects
        found = objects.find("CHANNEL", name) or model_of(objects, name, "SVRCONN")
        if found is None or found.subtype != "SVRCONN":
            raise error(
                mq.MQRC_UNKNOWN_CHANNEL_NAME,
                f"channel {name} is not a server-connection channel here",
                channel=name,
            )
        if name in self.stopped:
            raise error(mq.MQRC_CHANNEL_NOT_AVAILABLE, f"channel {name} is stopped", channel=name)
        return found

    def enter(self, link: Link, definition: Definition) -> None:
        """Count a link in; 2537 when the channel, or the queue manager, has as many instances as it may."""
        name, address = definition.name, link.peer.address
        others = self.server.message_channels
        active = self.active + others.active
        current = others.current
        at_most = partial(number_of, definition)
        limits = (
            (self._instances[name], at_most("MAXINST"), "MAXINST", f"channel {name}"),
            (self._by_client[name, address], at_most("MAXINSTC"), "MAXINSTC", f"channel {name}"),
            (current, self.limits.channels, "MaxChannels", "the queue manager"),
            (active, self.limits.active, "MaxActiveChannels", "the queue manager"),
        )
        for running, limit, attribute, who in limits:
            if running >= limit:
                text = f"{who} has {running} instances already, {attribute} is {limit}"
                self.server.error_log.write("AMQ9513E", f"{link.peer} was not let in: {text}.")
                raise error(mq.MQRC_CHANNEL_NOT_AVAILABLE, text, channel=name)
        self._instances[name] += 1
        self._by_client[name, address] += 1
        link.channel = name

    @property
    def active(self) -> int:
        """How many instances clients have."""
        return self._instances.total()

    @property
    def current(self) -> int:
        """How many of these channels count for MaxChannels."""
        return self.active + len(self.stopped)

    def left(self, link: Link) -> None:
        """Count a link out."""
        name = link.channel
        if name:
            link.channel = ""
            for counter, key in ((self._instances, name), (self._by_client, (name, link.peer.address))):
                counter[key] -= 1  # type: ignore[index]
                if not counter[key]:  # type: ignore[index]
                    del counter[key]
        if link.identity is not None:
            self._by_token.pop(link.identity.token, None)

    def give_token(self, link: Link) -> bytes:
        """Return what proves later that a client was at the other end of this link."""
        assert link.identity is not None
        token = link.identity.token = os.urandom(TOKEN_BYTES)
        self._by_token[token] = link
        return token

    def replace(self, token: Any, user: str) -> None:
        """End a link that its client has lost: the client can use the link's resources again."""
        lost = self._by_token.get(token) if isinstance(token, bytes) else None
        if lost is not None and lost.identity is not None and lost.identity.user == user:
            lost.hang_up()

    def command(self, request: Request) -> tuple[()]:
        """Accept a START or STOP; the loop carries it out."""
        name, starts = request.name, request.verb == "START"
        action = partial(self.start, name) if starts else partial(self.stop, name, request.options)
        carry_out_soon(self.server, request, action)
        return ()

    def start(self, name: str) -> None:
        """Allow clients to use a channel again."""
        self.stopped.discard(name)

    def stop(self, name: str, options: Mapping[str, str]) -> None:
        """End a channel's instances; with STATUS(INACTIVE) new ones may come at once."""
        if options.get("STATUS", "STOPPED") == "STOPPED":
            self.stopped.add(name)
        address = options.get("CONNAME", "")
        mode = {"TERMINATE": "preemptive", "FORCE": "immediate"}.get(options.get("MODE", ""), "quiesce")
        for link in list(self.server.links):
            if link.channel == name and (not address or link.peer.address == address.partition("(")[0]):
                link.stop(mode)

    def link_of(self, name: str) -> Link | None:
        """Return the link that a connection came by, if a client has one of this name."""
        for link in list(self.server.links):
            for conversation in list(link.conversations.values()):
                if f"{conversation.qm.connection.number:016X}" == name.upper():
                    return link
        return None

    def status(self) -> Iterator[ServerConnectionStatus]:
        """Yield the status of every instance, for DISPLAY CHSTATUS."""
        for link in list(self.server.links):
            if link.channel:
                yield self._row(link)
        for name in sorted(self.stopped):
            yield ServerConnectionStatus(channel=name, status="STOPPED")

    def _row(self, link: Link) -> ServerConnectionStatus:
        begun = time.localtime(time.time() - (self.server.clock() - link.started))
        heard = time.localtime(time.time() - (self.server.clock() - link.heard))
        here = link.transport.get_extra_info("sockname") or ("", 0)
        row = ServerConnectionStatus(
            channel=link.channel,
            conname=link.peer.address,
            status="STOPPING" if link.ending else "RUNNING",
            substate="RECEIVE",
            locladdr=f"{here[0]}({here[1]})",
            mcastat="RUNNING",
            curshcnv=len(link.conversations),
            msgs=link.messages,
            bytsrcvd=link.bytes_in,
            bytssent=link.bytes_out,
            chstada=time.strftime("%Y-%m-%d", begun),
            chstati=time.strftime("%H.%M.%S", begun),
            lstmsgda=time.strftime("%Y-%m-%d", heard),
            lstmsgti=time.strftime("%H.%M.%S", heard),
            stopreq="YES" if link.ending else "NO",
        )
        if (identity := link.identity) is not None:
            row.maxshcnv, row.hbint = identity.share_max, identity.heartbeat
            row.mcauser, row.rappltag = identity.user, identity.application
        if (tls := link.peer.tls) is not None:
            row.secprot = tls.protocol.upper().replace(".", "")
            row.sslciph, row.sslpeer = tls.cipher, tls.peer
        return row

    def add_figures(self, status: Status) -> None:
        """Add counts for `qmgr status`."""
        links = list(self.server.links)
        status.listeners = self.server.listeners.status()
        with self.server.gate:
            status.message_channels = self.server.message_channels.figures()
        status.channels = ChannelFigures(
            instances=dict(self._instances),
            links=len(links),
            conversations=sum(len(link.conversations) for link in links),
            channels_max=self.limits.channels,
            active_max=self.limits.active,
        )


class ClientConnections:
    """The connections of clients, as STOP CONN sees them."""

    verbs = frozenset({"STOP"})

    def __init__(self, channels: Channels) -> None:
        self._channels = channels

    def command(self, request: Request) -> tuple[()]:
        """End the link that a connection came by; 3174 when no client has a connection of this name."""
        name = request.name
        if self._channels.link_of(name) is None:
            raise error(
                mq.MQRCCF_CONNECTION_ID_ERROR,
                f"{name} is no connection of a client; DISPLAY CONN(*) shows them",
                object=name,
            )
        carry_out_soon(self._channels.server, request, partial(self._stop, name))
        return ()

    def _stop(self, name: str) -> None:
        link = self._channels.link_of(name)
        if link is not None:
            link.stop("immediate")

    def status(self) -> tuple[()]:
        """The engine shows connections (DISPLAY CONN)."""
        return ()


def number_of(definition: Definition, attribute: str) -> int:
    """Return an attribute of a channel that is a number."""
    value: Any = definition.attributes[attribute]
    return int(value)
