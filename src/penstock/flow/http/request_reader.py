"""Reads one HTTP/1.1 request from a stream; refuses doubtful input rather than guess.

`model.http_head` parses heads; this module has the lines, the bodies and their limits. Time limits are the
server's.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from penstock.model.http_head import (
    CHUNKED,
    HEADER_BYTES_MAX,
    HEADERS_MAX,
    HTTP_11,
    LINE_BYTES_MAX,
    Refused,
    body_length,
    check_trailers,
    header_of,
    start_of,
)

if TYPE_CHECKING:
    from asyncio import StreamReader
    from collections.abc import Callable

BODY_BYTES_MAX = 16 << 20
CHUNK_LINE_BYTES_MAX = 256  # a size and its extensions, which are ignored
EXTENSION_BYTES_MAX = 16 << 10  # of all chunks of a body
CONTINUE = "100-continue"
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[\t\x20-\x7e\x80-\xff]*)?")


@dataclass(frozen=True)
class HttpRequest:
    """A request: method, target as it came, headers in order, body."""

    method: str
    target: str
    version: str
    headers: list[tuple[str, str]]
    body: bytes
    client: str = ""

    def header(self, name: str) -> str:
        """Return the value of the first header of a name, or nothing."""
        return next(iter(self.values(name)), "")

    def values(self, name: str) -> list[str]:
        """Return the values of all headers of a name."""
        wanted = name.lower()
        return [value for each, value in self.headers if each.lower() == wanted]

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """The part of the target after the question mark."""
        return self.target.partition("?")[2]

    @property
    def keeps_alive(self) -> bool:
        """Return whether the client intends to send another request."""
        options = {word.strip().lower() for word in ",".join(self.values("Connection")).split(",")}
        return "close" not in options and (self.version == HTTP_11 or "keep-alive" in options)

    @property
    def expects_leave(self) -> bool:
        """Return whether the client waits for permission to send its body; 417 for other expectations."""
        expected = [value.lower() for value in self.values("Expect")]
        if self.version != HTTP_11 or not expected:
            return False
        if expected != [CONTINUE]:
            raise Refused(417, f"the only expectation known here is {CONTINUE}")
        return True


async def read_request(
    reader: StreamReader, client: str, claim: Callable[[int], None], proceed: Callable[[], None]
) -> HttpRequest | None:
    """Read a request; None if the client has closed the connection before one.

    `claim` is called with every number of body bytes before they are read, and may refuse; `proceed` is
    called when the client waits for permission to send its body.
    """
    first = await _line(reader, LINE_BYTES_MAX, 414)
    if first == b"":  # RFC 9112, section 2.2: an extra line end after the previous request
        first = await _line(reader, LINE_BYTES_MAX, 414)
    if first is None:
        return None
    method, target, version = start_of(first)
    request = HttpRequest(method, target, version, await _headers(reader), b"", client)
    length = body_length(version, request.headers)
    leave = request.expects_leave
    if length == 0:
        return request
    claim(max(length, 0))  # before permission is given
    if leave:
        proceed()
    body = _chunked(reader, claim) if length == CHUNKED else _exactly(reader, length)
    return replace(request, body=await body)


async def _headers(reader: StreamReader) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    left = HEADER_BYTES_MAX
    while line := await _line(reader, left, 431):
        left -= len(line)
        if len(found) == HEADERS_MAX:
            raise Refused(431, f"a request may have {HEADERS_MAX} headers")
        found.append(header_of(line))
    if line is None:
        raise Refused(400, "the request ends too early")
    return found


async def _exactly(reader: StreamReader, count: int) -> bytes:
    try:
        return await reader.readexactly(count)
    except asyncio.IncompleteReadError as raised:
        raise Refused(400, "the body ends too early") from raised


async def _chunked(reader: StreamReader, claim: Callable[[int], None]) -> bytes:
    body = bytearray()  # one: many small parts would hold far more than was claimed
    extensions = 0
    while True:
        line = await _line(reader, CHUNK_LINE_BYTES_MAX, 431) or b""
        found = _CHUNK.fullmatch(line)
        if found is None:
            raise Refused(400, "a chunk has no size")
        extensions += len(line) - found.end(1)
        if extensions > EXTENSION_BYTES_MAX:
            raise Refused(431, f"chunks may have {EXTENSION_BYTES_MAX} bytes of extensions")
        size = int(found.group(1), 16)
        if size == 0:
            check_trailers(await _headers(reader))
            return bytes(body)
        claim(size)
        data = await _exactly(reader, size + 2)
        if not data.endswith(b"\r\n"):
            raise Refused(400, "a chunk does not end where its size says")
        body += data[:-2]


async def _line(reader: StreamReader, most: int, status: int) -> bytes | None:
    """Read a line without its end, CR and LF; None at the end of the connection."""
    try:
        line = await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as raised:
        if raised.partial:
            raise Refused(400, "the request ends too early") from raised
        return None
    except asyncio.LimitOverrunError as raised:
        raise Refused(status, "a line is too long") from raised
    if len(line) > most:
        raise Refused(status, "a line is too long, or all headers together are")
    if not line.endswith(b"\r\n"):
        raise Refused(400, "a line ends without CR and LF")
    return line[:-2]
