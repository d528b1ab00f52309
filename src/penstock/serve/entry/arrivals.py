"""From an accepted socket to a link: who is let on to the greeting, and in which language.

A connection is checked before anything is sent: a blocked address is closed, the first bytes distinguish
TLS from plain and which protocol it speaks (`protocols`). How many may be on their way in is `connections`'
to say. Called by `listeners`, in the loop.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.serve.entry import tls
from penstock.serve.entry.peer import Peer, Tls, peer_of
from penstock.serve.entry.protocols import Protocols
from penstock.serve.link import GREETING_SECONDS_MAX, Link

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.serve.connections import Connection
    from penstock.serve.entry.protocols import Factory
    from penstock.serve.server import Server

logger = logging.getLogger(__name__)

PEEK_BYTES = 8
FIRST_BYTES_SECONDS = 2.0  # for the rest, after the first byte has come
COMPLAINT_SECONDS = 60.0  # between two entries in the error log about connections that are too many
ROOT = 0


class Arrivals:
    """Connections on their way to a link."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.protocols = Protocols(Link)
        self._tasks: dict[asyncio.Task[None], bool] = {}  # whether it is by the local socket
        self._complained = -COMPLAINT_SECONDS

    def take(self, sock: socket.socket) -> None:
        """Admit an accepted connection, or close it because there is no room."""
        try:
            peer = peer_of(sock)
        except OSError:  # it is closed already
            sock.close()
            return
        if self.server.stopping and not peer.local:
            sock.close()
            return
        owner = peer.local_user in (ROOT, os.geteuid())
        connection = self.server.connections.enter(peer.origin, sock.close, owner)
        if connection is None:
            self._complain(f"{peer} was not let in: {self.server.connections.greeted} clients are connected.")
            sock.close()
            return
        task = self.server.loop.create_task(self._take(sock, peer, connection))
        connection.close = lambda: self._close(peer, task.cancel)
        self._tasks[task] = peer.local
        task.add_done_callback(self._tasks.pop)

    def end_network(self) -> None:
        """End network connections that are not admitted yet."""
        for task in [each for each, local in self._tasks.items() if not local]:
            task.cancel()

    def end(self) -> None:
        """End connections that are not admitted yet."""
        for task in self._tasks:
            task.cancel()

    def _close(self, peer: Peer, close: Callable[[], object]) -> None:
        """End a connection in favour of others."""
        self._complain(f"{peer} was hung up on before it was greeted: too many wait at once.")
        close()

    def _complain(self, text: str) -> None:
        now = self.server.clock()
        if now - self._complained >= COMPLAINT_SECONDS:
            self._complained = now
            self.server.error_log.write(
                "AMQ9999E",
                text,
                "Other connections may have met the same within the last minute.",
                "Look for clients that connect and say nothing; or raise the limit of open files.",
            )

    async def _take(self, sock: socket.socket, peer: Peer, connection: Connection) -> None:
        """Look at a new connection and hand it to a link."""
        linked = False
        try:
            sock.setblocking(False)
            if not peer.local and not self._welcome(sock, peer):
                return
            first = b"" if peer.local else await asyncio.wait_for(self._peek(sock), GREETING_SECONDS_MAX)
            if not peer.local and not first:
                return
            encrypted = tls.is_hello(first)
            factory = Link if peer.local or encrypted else self._spoken(first, peer)
            if factory is not None:
                linked = await self._link(sock, peer, factory, encrypted, connection)
        except (OSError, TimeoutError) as failure:
            logger.info("connection_dropped cause=%s", failure)
        finally:
            if not linked:
                sock.close()
                self.server.connections.leave(connection)

    def _welcome(self, sock: socket.socket, peer: Peer) -> bool:
        refusal = self.server.access.address_refused(peer.address)
        if refusal is not None:
            self.server.error_log.write("AMQ9777E", f"{peer} was not let in: {refusal}.")
            return False
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return True

    async def _peek(self, sock: socket.socket) -> bytes:
        """Return the first bytes that a client sends, without consuming them; empty if it disconnects."""
        loop = self.server.loop
        late = self.server.clock() + FIRST_BYTES_SECONDS
        while True:
            try:
                first = sock.recv(PEEK_BYTES, socket.MSG_PEEK)
            except BlockingIOError:
                first = None
            if first == b"" or (first is not None and len(first) >= 4):
                return first
            if first and self.server.clock() > late:
                return b""
            if first:
                await asyncio.sleep(0.02)  # a byte or two: readable already, so there is nothing to wait for
                continue
            ready = loop.create_future()
            loop.add_reader(sock, _set, ready)
            try:
                await ready
            finally:
                loop.remove_reader(sock)

    def _spoken(self, first: bytes, peer: Peer) -> Factory | None:
        """Return the protocol factory for these first bytes; None, with a log entry, if there is none."""
        spoken = self.protocols.find(first)
        if spoken.factory is None:
            text = f"{peer} is {spoken.name} and was refused."
            self.server.error_log.write("AMQ9207E", text, action=spoken.advice)
        return spoken.factory

    async def _link(
        self, sock: socket.socket, peer: Peer, factory: Factory, encrypted: bool, connection: Connection
    ) -> bool:
        """Begin a link on a socket; return whether that worked."""
        server = self.server
        context = None
        if encrypted:
            try:
                context = tls.server_context(server)
            except (MQError, OSError) as failure:
                server.error_log.write("AMQ9643E", f"{peer} asked for TLS and was refused: {failure}.")
                return False
            peer.tls = Tls()
        link = factory(server, peer, connection)
        linked = False
        try:
            await server.loop.connect_accepted_socket(
                lambda: link,  # type: ignore[type-var]
                sock,
                ssl=context,
                ssl_handshake_timeout=GREETING_SECONDS_MAX if encrypted else None,
            )
        except OSError as failure:
            why = str(failure) or "the other end ended the handshake; its error log has the cause"
            server.error_log.write("AMQ9643E", f"TLS with {peer} failed: {why}.")
            return False
        else:
            linked = True
        finally:
            if not linked and link.transport is not None:
                link.connection_lost(None)  # the loop does not say so when this task is cancelled
        connection.close = lambda: self._close(peer, link.transport.abort)
        return True


def _set(ready: asyncio.Future[None]) -> None:
    if not ready.done():
        ready.set_result(None)
