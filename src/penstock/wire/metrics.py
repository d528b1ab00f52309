"""A page of figures for Prometheus: GET /metrics, on this machine only unless told otherwise.

A few lines of HTTP by hand: one request a connection, a short one, in a short time, from a few at once.
The figures are taken in a worker, so that no client waits for them. Started by `serving`; it only shows.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from penstock.host import administration
from penstock.model.errors import error
from penstock.wire.metrics_text import CONTENT_TYPE, text_of

if TYPE_CHECKING:
    from penstock.wire.server import Server

REQUEST_BYTES_MAX = 8 << 10
REQUEST_SECONDS_MAX = 5.0
CLIENTS_MAX = 16
QUEUES_SHOWN_MAX = 1000  # SYSTEM queues are not shown


class Metrics:
    """The endpoint of one server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._listening: asyncio.Server | None = None
        self._clients = 0

    @property
    def address(self) -> tuple[str, int]:
        """Where it listens."""
        assert self._listening is not None
        found = self._listening.sockets[0].getsockname()
        return found[0], found[1]

    async def start(self, address: str, port: int) -> None:
        """Listen; port 0 takes a free one. 2059 when that is not possible."""
        try:
            self._listening = await asyncio.start_server(
                self._take, address, port, limit=REQUEST_BYTES_MAX, backlog=CLIENTS_MAX
            )
        except OSError as failure:
            raise error(2059, f"metrics cannot be shown at {address}({port}): {failure}") from failure

    def close(self) -> None:
        """Stop listening."""
        if self._listening is not None:
            self._listening.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._clients += 1
        try:
            if self._clients <= CLIENTS_MAX:
                await asyncio.wait_for(self._answer(reader, writer), REQUEST_SECONDS_MAX)
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # whoever asks in no known way gets no answer
        finally:
            self._clients -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await reader.readuntil(b"\r\n\r\n")
        method, _, rest = request.partition(b"\r\n")[0].partition(b" ")
        path = rest.partition(b" ")[0].partition(b"?")[0]
        if method not in (b"GET", b"HEAD"):
            status, body = "405 Method Not Allowed", b"GET only\n"
        elif path != b"/metrics":
            status, body = "404 Not Found", b"see /metrics\n"
        else:
            server = self.server
            text = await server.loop.run_in_executor(server.workers, self._page)
            status, body = "200 OK", text.encode()
        head = f"HTTP/1.1 {status}\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: {len(body)}\r\n"
        writer.write(head.encode() + b"Connection: close\r\n\r\n" + (b"" if method == b"HEAD" else body))
        await writer.drain()

    def _page(self) -> str:
        server = self.server
        figures = {**administration.status(server.host), **server.channels.figures()}
        with server.gate:
            depths = [
                (queue.name, queue.depth)
                for queue in server.engine.queues.values()
                if not queue.name.startswith("SYSTEM.")
            ]
        return text_of(figures, sorted(depths)[:QUEUES_SHOWN_MAX], time.time())
