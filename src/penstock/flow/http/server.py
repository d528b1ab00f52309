"""The HTTP server of a process: one port, many paths. Runs an event loop in its own thread.

A route puts the requests below its path into a bounded line, from which listeners take them; if the line is
full, the server answers 503. Every wait has a limit: for the request to arrive, for the reply, for the client
to receive it. `server_at` returns the server of a port, started with its first route and stopped with its
last.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import queue
import re
import threading
import time
from functools import cache, partial
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from penstock.flow.http.bodies import BodiesAtWork, BodyClaim
from penstock.flow.http.exchange import Exchange, HttpResponse, exchanges
from penstock.flow.http.request_reader import HttpRequest, read_request
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.http_head import HEADER_BYTES_MAX, Refused

if TYPE_CHECKING:
    import ssl
    from asyncio import StreamReader, StreamWriter
    from collections.abc import Callable

logger = logging.getLogger(__name__)
HOST, PORT = "127.0.0.1", 7800
CONNECTIONS_MAX = 1000
WAITING_MAX = 1000  # requests of a route that no listener has taken
ARRIVAL_SECONDS = 30.0  # for a whole request, from its first byte
IDLE_SECONDS = 60.0  # between requests of a connection
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
DRAIN_SECONDS = 30.0  # for a client to take its reply
START_SECONDS = 10.0
LINGER_SECONDS = 2.0  # for a refused client to read why, while it may still be sending
LINGER_BYTES_MAX = 1 << 20
_NO_BODY = (204, 205, 304)
_SPLITTING = re.compile(r"[\r\n\0]")


class Route:
    """Requests for one path; `/orders/*` takes all below, `/v1*` whatever begins so.

    Several listeners may take from it.
    """

    def __init__(self, path: str, timeout: float, on_timeout: Callable[[HttpRequest], HttpResponse]) -> None:
        self.path = path
        self.timeout = timeout
        self.on_timeout = on_timeout
        self.users = 0
        self.waiting: queue.Queue[tuple[Exchange, BodyClaim]] = queue.Queue(WAITING_MAX)

    def matches(self, path: str) -> bool:
        """Return whether a request belongs here."""
        if self.path.endswith("/*"):
            return path.startswith(self.path[:-1]) or path == self.path[:-2]
        return path.startswith(self.path[:-1]) if self.path.endswith("*") else path == self.path

    def put(self, exchange: Exchange, claim: BodyClaim) -> None:
        """Add a request to the line, with its body counted meanwhile; queue.Full if too many wait."""
        claim.share()
        try:
            self.waiting.put_nowait((exchange, claim))
        except queue.Full:
            claim.release()
            raise

    def take(self, wait: float) -> Exchange | None:
        """Take the next request; None if none arrives in time."""
        try:
            exchange, claim = self.waiting.get(timeout=wait) if wait > 0 else self.waiting.get_nowait()
        except queue.Empty:
            return None
        claim.release()
        return exchange

    def clear(self) -> None:
        """Release the waiting requests: no flow takes them any more."""
        while self.take(0.0) is not None:
            pass


class HttpServer:
    """One port. Routes may be added and removed while it runs."""

    def __init__(self, host: str, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.host = host
        self.port = port
        self.tls = tls
        self.routes: dict[str, Route] = {}
        self.bodies = BodiesAtWork()
        self._loop = asyncio.new_event_loop()
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._thread = threading.Thread(target=self._run, name=f"http-{port}", daemon=True)

    def start(self) -> None:
        """Bind the port; OSError if it is in use."""
        self._thread.start()
        made = asyncio.run_coroutine_threadsafe(self._open(), self._loop)
        try:
            made.result(START_SECONDS)
        except BaseException:
            self._end_loop()
            raise

    def stop(self) -> None:
        """End the connections and free the port."""
        asyncio.run_coroutine_threadsafe(self._close(), self._loop).result(START_SECONDS)
        self._end_loop()

    def route(self, path: str) -> Route | None:
        """Return the route of a path: the one with the longest name that matches."""
        found = [route for route in list(self.routes.values()) if route.matches(path)]
        return max(found, key=lambda route: len(route.path), default=None)

    def end_route(self, route: Route) -> None:
        """Accept no more requests for a route; run in the loop, which adds them, so that none slips in."""
        self.routes.pop(route.path, None)
        self._loop.call_soon_threadsafe(route.clear)

    # -- in the loop -----------------------------------------------------------------------

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_forever()

    async def _open(self) -> None:
        self._server = await asyncio.start_server(
            self._connected, self.host, self.port, ssl=self.tls, limit=HEADER_BYTES_MAX
        )
        self.port = self._server.sockets[0].getsockname()[1]

    async def _close(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def _end_loop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _connected(self, reader: StreamReader, writer: StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if len(self._connections) > CONNECTIONS_MAX:
                await self._send(writer, plain(503, "too many connections"), False)
            else:
                await self._serve(reader, writer)
        except (OSError, TimeoutError, asyncio.CancelledError):
            logger.debug("http_connection_ended", exc_info=True)
        finally:
            self._connections.discard(task)
            writer.close()
            with contextlib.suppress(OSError, TimeoutError, asyncio.CancelledError):
                await asyncio.wait_for(writer.wait_closed(), 1.0)

    async def _serve(self, reader: StreamReader, writer: StreamWriter) -> None:
        """Answer the requests of a connection, one after the other."""
        peer = writer.get_extra_info("peername")
        client = peer[0] if peer else ""
        goes_on, lingers = True, False
        while goes_on:
            claim = BodyClaim(self.bodies)
            try:
                request = await self._next(reader, writer, client, claim)
                if request is None:
                    return
                goes_on = request.keeps_alive
                response = await self._answered(request, claim)
                await self._send(writer, response, goes_on, request.method)
            except Refused as refused:
                goes_on = False
                lingers = True
                await self._send(writer, plain(refused.status, str(refused)), goes_on)
            finally:
                claim.release()
        if lingers:
            await _linger(reader, writer)

    async def _next(
        self, reader: StreamReader, writer: StreamWriter, client: str, claim: BodyClaim
    ) -> HttpRequest | None:
        """Wait for a request: long for its first byte, shorter for the rest."""
        try:
            first = await asyncio.wait_for(reader.read(1), IDLE_SECONDS)
        except TimeoutError:
            return None
        if not first:
            return None
        begun: Any = _Begun(reader, first)
        reading = read_request(begun, client, claim.take, lambda: writer.write(CONTINUE))
        try:
            return await asyncio.wait_for(reading, ARRIVAL_SECONDS)
        except TimeoutError as raised:
            raise Refused(408, "the request took too long to arrive") from raised

    async def _answered(self, request: HttpRequest, claim: BodyClaim) -> HttpResponse:
        route = self.route(request.path)
        if route is None:
            return plain(404, "nothing listens at this path")
        future: asyncio.Future[HttpResponse] = self._loop.create_future()
        deadline = time.monotonic() + route.timeout
        exchange = Exchange(request, deadline, partial(_deliver, self._loop, future), self._after)
        exchanges().add(exchange)
        try:
            route.put(exchange, claim)
            return await asyncio.wait_for(asyncio.shield(future), route.timeout)
        except queue.Full:
            return plain(503, "too many requests wait here")
        except TimeoutError:
            return route.on_timeout(request) if exchange.give_up() else await future
        finally:
            exchange.give_up()
            exchanges().remove(exchange)

    def _after(self, seconds: float, work: Callable[[], None]) -> None:
        """Do some work in the loop, later; called in any thread."""
        with contextlib.suppress(RuntimeError):  # the server has ended, and its clients with it
            self._loop.call_soon_threadsafe(self._loop.call_later, seconds, work)

    async def _send(
        self, writer: StreamWriter, response: HttpResponse, goes_on: bool, method: str = ""
    ) -> None:
        try:
            head = _head(response, goes_on)
        except ValueError:
            logger.exception("http_header_refused status=%d", response.status)
            response = plain(500, "the reply has a header that HTTP cannot carry")
            head = _head(response, goes_on)
        bodiless = method == "HEAD" or response.status in _NO_BODY
        writer.write(head if bodiless else head + response.body)
        await asyncio.wait_for(writer.drain(), DRAIN_SECONDS)


class _Begun:
    """A stream whose first byte was read already."""

    def __init__(self, reader: StreamReader, first: bytes) -> None:
        self._reader = reader
        self._first = first

    async def readuntil(self, separator: bytes) -> bytes:
        first, self._first = self._first, b""
        return first if first == separator else first + await self._reader.readuntil(separator)

    async def readexactly(self, count: int) -> bytes:
        return await self._reader.readexactly(count)


class HttpServers:
    """The servers of a process, by port."""

    def __init__(self) -> None:
        self._servers: dict[tuple[str, int], HttpServer] = {}
        self._lock = threading.Lock()

    def open_route(
        self,
        host: str,
        port: int,
        path: str,
        timeout: float,
        on_timeout: Callable[[HttpRequest], HttpResponse],
        tls: ssl.SSLContext | None = None,
    ) -> tuple[HttpServer, Route]:
        """Return the server of a port and a route of it, started or made if need be."""
        with self._lock:
            server = self._servers.get((host, port))
            if server is None:
                server = HttpServer(host, port, tls)
                server.start()
                self._servers[(host, port)] = server
            elif (server.tls is None) != (tls is None):
                raise error(
                    mq.PSRC_FLOW_GRAPH, f"port {port} speaks {'HTTPS' if server.tls else 'HTTP'} already"
                )
            route = server.routes.setdefault(path, Route(path, timeout, on_timeout))
            route.users += 1
            return server, route

    def close_route(self, server: HttpServer, route: Route) -> None:
        """Release a route; its last user ends it, and the last route ends the server."""
        with self._lock:
            route.users -= 1
            if route.users == 0:
                server.end_route(route)
            if not server.routes:
                self._servers = {key: each for key, each in self._servers.items() if each is not server}
                server.stop()


@cache
def http_servers() -> HttpServers:
    """Return the servers of this process: flows share ports."""
    return HttpServers()


def plain(status: int, text: str) -> HttpResponse:
    """Return a response of one line of text."""
    return HttpResponse(status, [("Content-Type", "text/plain; charset=utf-8")], f"{text}\n".encode())


def _deliver(
    loop: asyncio.AbstractEventLoop, future: asyncio.Future[HttpResponse], response: HttpResponse
) -> None:
    def arrive() -> None:
        if not future.done():
            future.set_result(response)

    with contextlib.suppress(RuntimeError):  # the server has ended, and its clients with it
        loop.call_soon_threadsafe(arrive)


async def _linger(reader: StreamReader, writer: StreamWriter) -> None:
    """Read the rest of a refused client's data for a moment: closing at once would lose the answer."""
    if writer.can_write_eof():
        writer.write_eof()
    left = LINGER_BYTES_MAX
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LINGER_SECONDS):
            while left > 0 and (data := await reader.read(left)):
                left -= len(data)


def _head(response: HttpResponse, goes_on: bool) -> bytes:
    """Return the head of a response; ValueError for a header that HTTP cannot carry, or that would be two."""
    try:
        phrase = HTTPStatus(response.status).phrase
    except ValueError:
        phrase = ""
    lines = [f"HTTP/1.1 {response.status} {phrase}"]
    ours = ("content-length", "connection", "transfer-encoding")
    lines += [f"{name}: {value}" for name, value in response.headers if name.lower() not in ours]
    if response.status != HTTPStatus.NO_CONTENT:
        length = 0 if response.status in _NO_BODY else len(response.body)
        lines.append(f"Content-Length: {length}")
    lines.append(f"Connection: {'keep-alive' if goes_on else 'close'}")
    if any(_SPLITTING.search(line) for line in lines):
        raise ValueError("a header has a line end")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")
