"""Sockets that listen: the local one in the queue manager's folder, and LISTENER objects over TCP.

`arrivals` admits or refuses what they accept. Runs in the loop; MQSC reaches it through `Runtime`.
Invariant: without an address a listener takes clients of this machine only.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from penstock.host import local_socket
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.status import ListenerStatus
from penstock.serve.accepted import Accepted, carry_out_soon
from penstock.serve.entry.arrivals import Arrivals

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from penstock.admin.mqsc import Request
    from penstock.serve.server import Server

logger = logging.getLogger(__name__)

LOCAL = ""  # the name of the local socket among listeners
LOCAL_FOR_GROUP = " group"  # that of the one for other users of the machine; no LISTENER can have it
LOOPBACK = "127.0.0.1"
BACKLOG = 1024
PORT_MAX = 65535
PORT_DEFAULT = 1414


@dataclass
class Listener:
    """One listening socket and the task that accepts from it."""

    name: str
    sock: socket.socket
    task: asyncio.Task[None]
    started: float

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        if self.sock.family == socket.AF_UNIX:
            return ("", 0)
        found = self.sock.getsockname()
        return found[0], found[1]


class Listeners:
    """All listening sockets of a server."""

    verbs = frozenset({"START", "STOP"})

    def __init__(self, server: Server) -> None:
        self.server = server
        self.running: dict[str, Listener] = {}
        self.accepted = Accepted()
        self.arrivals = Arrivals(server)

    def start_local(self, folder: Path) -> None:
        """Listen on the socket in the queue manager's folder, and on the one for a group, if there is one."""
        self._run(LOCAL, local_socket.listen(folder))
        settings = self.server.host.settings.local_socket
        if settings.group:
            self._run(LOCAL_FOR_GROUP, local_socket.listen_for_group(self.server.engine.name, settings))

    def start(self, name: str, options: Mapping[str, str] | None = None) -> tuple[str, int]:
        """Start a LISTENER object, or SYSTEM.DEFAULT.LISTENER.TCP at another port; return its address."""
        options = options or {}
        self.check("START", name, options)
        return self._start(name, options)

    def addresses(self) -> list[tuple[str, int]]:
        """Return host and port of each network listener that runs."""
        return [each.address for each in self.running.values() if each.address[1]]

    def _start_accepted(self, name: str, options: Mapping[str, str]) -> None:
        try:
            if not self.server.stopping:
                self._start(name, options)
        finally:
            self.accepted.done(name)  # not before it runs: a STOP in between would find nothing to stop

    def _start(self, name: str, options: Mapping[str, str]) -> tuple[str, int]:
        if name in self.running:
            return self.running[name].address
        definition = self.server.engine.objects.find("LISTENER", name)
        attributes: Mapping[str, Any] = {} if definition is None else definition.attributes
        if attributes.get("TRPTYPE", "TCP") != "TCP":
            raise error(mq.MQRCCF_XMIT_PROTOCOL_TYPE_ERR, f"listener {name} is not TRPTYPE(TCP)", object=name)
        given = options.get("PORT")
        port = int(given) if given else int(attributes.get("PORT", 0)) or PORT_DEFAULT
        address = options.get("IPADDR") or str(attributes.get("IPADDR", "")) or LOOPBACK
        return self.listen(name, address, port, int(attributes.get("BACKLOG", 0)) or BACKLOG)

    def listen(self, name: str, address: str, port: int, backlog: int = BACKLOG) -> tuple[str, int]:
        """Listen at an address; `*` is all of them, port 0 any that is free."""
        host = {"*": "::" if socket.has_dualstack_ipv6() else "0.0.0.0"}.get(address, address)
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            sock = socket.create_server(
                (host, port), family=family, backlog=backlog, dualstack_ipv6=host == "::"
            )
        except OSError as failure:
            raise error(
                mq.MQRC_Q_MGR_NOT_AVAILABLE, f"listener {name} cannot listen at {address}({port}): {failure}"
            ) from failure
        self._run(name, sock)
        self.server.message_channels.clusters.listener_started()
        return self.running[name].address

    def _run(self, name: str, sock: socket.socket) -> None:
        sock.setblocking(False)
        task = self.server.loop.create_task(self._accept(sock))
        self.running[name] = Listener(name, sock, task, self.server.clock())

    async def _accept(self, sock: socket.socket) -> None:
        while True:
            try:
                accepted, _ = await self.server.loop.sock_accept(sock)
            except OSError as failure:  # too many open files, most likely: clients wait in the backlog
                logger.warning("accept_failed cause=%s", failure)
                await asyncio.sleep(0.1)
                continue
            self.arrivals.take(accepted)

    def command(self, request: Request) -> tuple[()]:
        """Accept a START or STOP that the loop carries out soon, in the order in which they were accepted."""
        name, options = request.name, request.options
        self.check(request.verb, name, options)
        self.accepted.add(name, request.verb)
        starts = request.verb == "START"
        action = partial(self._start_accepted, name, options) if starts else partial(self.stop, name)
        carry_out_soon(self.server, request, action)
        return ()

    def check(self, verb: str, name: str, options: Mapping[str, str]) -> None:
        """Refuse to start what runs and to stop what does not (IGNSTATE(YES) permits it), and no port."""
        port = options.get("PORT") or "0"
        if not (port.isascii() and port.isdigit() and int(port) <= PORT_MAX):
            raise error(mq.MQRCCF_PORT_NUMBER_ERROR, f"PORT({port}) is no port: 1 to {PORT_MAX}", object=name)
        if options.get("IGNSTATE") == "YES":
            return
        if verb == "START" and self.server.stopping:
            raise error(
                mq.MQRC_Q_MGR_QUIESCING,
                f"the queue manager is stopping: listener {name} is not started",
                object=name,
            )
        if verb == "START" and self.accepted.runs(name, self.running):
            raise error(mq.MQRCCF_LISTENER_RUNNING, f"listener {name} runs already", object=name)
        if verb == "STOP" and not self.accepted.runs(name, self.running):
            raise error(mq.MQRCCF_LSTR_STATUS_NOT_FOUND, f"listener {name} does not run", object=name)

    def stop(self, name: str) -> None:
        """Stop a listener; its connections stay."""
        self.accepted.done(name)
        listener = self.running.pop(name, None)
        if listener is not None:
            _close(listener)

    def close_network(self) -> None:
        """Stop the network listeners, and connections that are not admitted yet."""
        for name in [each for each in self.running if each not in (LOCAL, LOCAL_FOR_GROUP)]:
            _close(self.running.pop(name))
        self.arrivals.end_network()

    def close(self) -> None:
        """Stop all listeners, and connections that are not admitted yet."""
        self.close_network()
        for listener in self.running.values():
            _close(listener)
        self.running.clear()
        self.arrivals.end()

    def status(self) -> list[ListenerStatus]:
        """Return what DISPLAY LSSTATUS shows."""
        return [
            ListenerStatus(listener=each.name, pid=os.getpid(), port=each.address[1], ipaddr=each.address[0])
            for name, each in sorted(self.running.items())
            if name not in (LOCAL, LOCAL_FOR_GROUP)
        ]


def _close(listener: Listener) -> None:
    listener.task.cancel()
    if listener.sock.family == socket.AF_UNIX:
        local_socket.remove(listener.sock, with_folder=listener.name == LOCAL_FOR_GROUP)
    listener.sock.close()
