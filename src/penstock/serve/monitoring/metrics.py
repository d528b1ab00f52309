"""A page of figures for Prometheus (GET /metrics), /live and /ready for probes; by default local only.

One short request per connection, in a short time, from a few clients at once; its head is read as strictly
as those of flows. A worker collects the figures, so that no client waits for them. Started by `serving`.
"""

from __future__ import annotations

import asyncio
import heapq
import time
from http import HTTPStatus
from typing import TYPE_CHECKING

from penstock.host import administration
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.http_head import HEADERS_MAX, Refused, body_length, header_of, start_of
from penstock.model.metrics_page import CONTENT_TYPE
from penstock.qmgr.monitoring.status import queue_figures
from penstock.qmgr.pubsub.topic_status import subscription_figures, topic_figures
from penstock.serve.monitoring.metrics_text import text_of

if TYPE_CHECKING:
    from penstock.model.status import QueueFigures
    from penstock.serve.server import Server

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
            raise error(
                mq.MQRC_Q_MGR_NOT_AVAILABLE, f"metrics cannot be shown at {address}({port}): {failure}"
            ) from failure

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
            pass  # an invalid request gets no answer
        finally:
            self._clients -= 1
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        method = ""
        try:
            method, path = _asked(head.removesuffix(b"\r\n\r\n"))
            status, body = await self._found(path)
        except Refused as refused:
            status, body = HTTPStatus(refused.status), f"{refused}\n"
        data = body.encode()
        lines = [f"HTTP/1.1 {status.value} {status.phrase}", f"Content-Type: {CONTENT_TYPE}"]
        lines += [f"Content-Length: {len(data)}", "Connection: close", "", ""]
        writer.write("\r\n".join(lines).encode() + (b"" if method == "HEAD" else data))
        await writer.drain()

    async def _found(self, path: str) -> tuple[HTTPStatus, str]:
        """Return the status and the text of a page; Refused for an unknown one."""
        server = self.server
        if path == "/live":
            return HTTPStatus.OK, "live\n"  # the loop answers
        if path == "/ready":
            why = not_ready(server)
            return (HTTPStatus.SERVICE_UNAVAILABLE, f"{why}\n") if why else (HTTPStatus.OK, "ready\n")
        if path != "/metrics":
            raise Refused(404, "see /metrics, /live and /ready")
        return HTTPStatus.OK, await server.loop.run_in_executor(server.workers, self.page)

    def page(self) -> str:
        """Return the page of the queue manager."""
        server = self.server
        status = administration.status(server.host)
        server.channels.add_figures(status)
        queues = server.engine.queues
        names = (name for name in list(queues) if not name.startswith("SYSTEM."))
        shown = heapq.nsmallest(QUEUES_SHOWN_MAX, names)
        dead = self._queue(server.engine.definition.attributes["DEADQ"])
        found = [each for each in map(self._queue, shown) if each is not None]
        topics = topic_figures(server.engine.pubsub)
        subscriptions = subscription_figures(server.engine.pubsub)
        dead_letters = 0 if dead is None else dead.depth
        return text_of(status, found, time.time(), dead_letters, topics, subscriptions)

    def _queue(self, name: str) -> QueueFigures | None:
        with self.server.gate:  # for one queue at a time: no client waits for a page
            return queue_figures(self.server.engine, name)


def not_ready(server: Server) -> str:
    """Return why clients should go elsewhere for now; empty when nothing is wrong."""
    if server.engine.state != "RUNNING":
        return f"the queue manager is {server.engine.state.lower()}"
    if server.gate.closed:
        return "the queue manager has stopped"
    if server.host.disk_low:
        return "the disk is nearly full"
    return ""


def _asked(head: bytes) -> tuple[str, str]:
    """Return method and path of a request without a body; Refused for any other."""
    first, *lines = head.split(b"\r\n")
    method, target, version = start_of(first)
    if method not in ("GET", "HEAD"):
        raise Refused(405, "GET only")
    if len(lines) > HEADERS_MAX:
        raise Refused(431, f"a request may have {HEADERS_MAX} headers")
    if body_length(version, [header_of(line) for line in lines]) != 0:
        raise Refused(400, "a GET has no body here")
    return method, target.partition("?")[0]
