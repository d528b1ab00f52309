"""One request to an HTTP server, with one time limit for all of it and one size limit for the reply.

Each request has its own connection, so nothing is ever sent twice because an old connection had been closed
unnoticed. Only http and https are supported; redirects are followed if requested, with GET as browsers do.
"""

from __future__ import annotations

import http.client
import ssl
import threading
import time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from penstock.flow.http.exchange import HttpResponse
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.telemetry.context import PROPERTY, current

if TYPE_CHECKING:
    from collections.abc import Sequence

RESPONSE_BYTES_MAX = 100 << 20
REDIRECTS_MAX = 10
_REDIRECTS = (301, 302, 303, 307, 308)
_SECRET = ("authorization", "cookie", "proxy-authorization")
_OURS = ("content-length", "connection", "host", "transfer-encoding")


class Call(NamedTuple):
    """What is sent."""

    method: str
    url: str
    headers: Sequence[tuple[str, str]]
    body: bytes


def call(request: Call, timeout: float, redirects: bool = False) -> HttpResponse:
    """Send a request and return the response; 8334 when there is none in time.

    Its field `not_connected` means that nothing was sent.
    """
    deadline = time.monotonic() + timeout
    for hop in range(REDIRECTS_MAX + 1):
        response = _once(request, deadline, is_first=hop == 0)
        target = next((value for name, value in response.headers if name.lower() == "location"), "")
        if not redirects or response.status not in _REDIRECTS or not target:
            return response
        request = _redirected(request, response.status, target)
    raise error(mq.PSRC_FLOW_HTTP_REQUEST, f"more than {REDIRECTS_MAX} redirects, the last to {request.url}")


def _once(request: Call, deadline: float, is_first: bool) -> HttpResponse:
    connection, target = _connection(request.url, deadline)
    connected = False
    late = threading.Timer(max(0.0, deadline - time.monotonic()), _end, [connection])
    late.daemon = True
    late.start()
    try:
        connection.connect()
        connected = True
        connection.putrequest(request.method, target, skip_accept_encoding=True)
        traced = current()
        for name, value in request.headers:
            if name.lower() not in _OURS and (traced is None or name.lower() != PROPERTY):
                connection.putheader(name, value)
        if traced is not None:
            connection.putheader(PROPERTY, traced.text)
        connection.putheader("Content-Length", str(len(request.body)))
        connection.putheader("Connection", "close")
        connection.endheaders(request.body or None)
        found = connection.getresponse()
        body = found.read(RESPONSE_BYTES_MAX + 1)
        if len(body) > RESPONSE_BYTES_MAX:
            raise error(mq.PSRC_FLOW_HTTP_REQUEST, f"the reply has more than {RESPONSE_BYTES_MAX} bytes")
        if time.monotonic() > deadline:
            raise TimeoutError
        return HttpResponse(found.status, found.getheaders(), body)
    except (OSError, http.client.HTTPException) as raised:
        what = "no reply in time" if time.monotonic() > deadline else f"{type(raised).__name__}: {raised}"
        raise error(
            mq.PSRC_FLOW_HTTP_REQUEST,
            f"{request.method} {request.url}: {what}",
            not_connected=is_first and not connected,  # else the server that redirected has the request
        ) from raised
    finally:
        late.cancel()
        connection.close()


def _connection(url: str, deadline: float) -> tuple[http.client.HTTPConnection, str]:
    parts = urlsplit(url)
    left = deadline - time.monotonic()
    try:
        port = parts.port
    except ValueError:
        port = -1
    if parts.scheme not in ("http", "https") or not parts.hostname or port == -1 or left <= 0:
        what = "no time is left" if left <= 0 else "that is no address of HTTP"
        raise error(mq.PSRC_FLOW_HTTP_REQUEST, f"{url!r}: {what}")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    if parts.scheme == "http":
        return http.client.HTTPConnection(parts.hostname, port, timeout=left), target
    context = ssl.create_default_context()
    return http.client.HTTPSConnection(parts.hostname, port, timeout=left, context=context), target


def _redirected(request: Call, status: int, target: str) -> Call:
    url = urljoin(request.url, target)
    if urlsplit(url)[:2] != urlsplit(request.url)[:2]:  # secrets are for the server they were meant for
        kept = [(name, value) for name, value in request.headers if name.lower() not in _SECRET]
        request = request._replace(headers=kept)
    if status in (307, 308):
        return request._replace(url=url)
    return Call("GET", url, request.headers, b"")


def _end(connection: http.client.HTTPConnection) -> None:
    """Close a connection whose time is over, whatever it waits for."""
    sock = connection.sock
    if sock is not None:
        try:
            sock.shutdown(2)
        except OSError:
            pass
