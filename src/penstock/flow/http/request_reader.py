"""Reads one HTTP/1.1 request from a stream; refuses what is doubtful rather than guess.

Limits on lines, headers and bodies are here; time limits are the server's. A request with both lengths
(Content-Length and chunked), or two different ones, is refused: it is how requests are smuggled.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asyncio import StreamReader
    from collections.abc import Callable

LINE_BYTES_MAX = 8 << 10  # of a request's first line, and of one before a chunk
HEADER_BYTES_MAX = 64 << 10
HEADERS_MAX = 100
BODY_BYTES_MAX = 16 << 20
_METHOD = re.compile(r"[A-Z]{1,16}")
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, token
_LENGTH = re.compile(r"\d{1,18}")
_CHUNK = re.compile(rb"([0-9A-Fa-f]{1,8})[ \t]*(?:;.*)?")


class Refused(Exception):
    """A request that is answered with a status and nothing else; the connection then ends."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


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
        wanted = name.lower()
        return next((value for each, value in self.headers if each.lower() == wanted), "")

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]

    @property
    def query(self) -> str:
        """What stands behind the question mark."""
        return self.target.partition("?")[2]

    @property
    def keeps_alive(self) -> bool:
        """Say whether the client means to send another request."""
        said = self.header("Connection").lower()
        return "close" not in said if self.version == "HTTP/1.1" else "keep-alive" in said


async def read_request(
    reader: StreamReader, client: str, claim: Callable[[int], None], proceed: Callable[[], None]
) -> HttpRequest | None:
    """Read a request; None when the client has ended the connection before one.

    `claim` is told of every byte of a body before it is read, and may refuse; `proceed` is called when the
    client waits for leave to send its body.
    """
    first = await _line(reader, LINE_BYTES_MAX)
    if first is None:
        return None
    method, target, version = _start(first)
    request = HttpRequest(method, target, version, await _headers(reader), b"", client)
    if request.header("Expect").lower() == "100-continue":
        proceed()
    return replace(request, body=await _body(reader, request, claim))


def _start(line: bytes) -> tuple[str, str, str]:
    words = line.decode("latin-1").split(" ")
    if len(words) != 3 or not _METHOD.fullmatch(words[0]):
        raise Refused(400, "no request line")
    method, target, version = words
    if version not in ("HTTP/1.1", "HTTP/1.0"):
        raise Refused(505, "only HTTP/1.0 and HTTP/1.1 are spoken here")
    if not target.startswith("/") or not target.isprintable() or not target.isascii():
        raise Refused(400, "the target has to be a path")
    return method, target, version


async def _headers(reader: StreamReader) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    size = 0
    while line := await _line(reader):
        size += len(line)
        if len(found) == HEADERS_MAX or size > HEADER_BYTES_MAX:
            raise Refused(431, "too many headers")
        name, colon, value = line.decode("latin-1").partition(":")
        if not colon or not _NAME.fullmatch(name) or "\r" in value or "\0" in value:
            raise Refused(400, "a line is no header")
        found.append((name, value.strip(" \t")))
    return found


async def _body(reader: StreamReader, request: HttpRequest, claim: Callable[[int], None]) -> bytes:
    lengths = {value for name, value in request.headers if name.lower() == "content-length"}
    coding = request.header("Transfer-Encoding").lower()
    if coding:
        if lengths or coding != "chunked":
            raise Refused(400, "two lengths, or a transfer coding other than chunked")
        return await _chunked(reader, claim)
    if not lengths:
        return b""
    if len(lengths) > 1 or not _LENGTH.fullmatch(next(iter(lengths))):
        raise Refused(400, "a length that is none")
    length = int(lengths.pop())
    claim(length)
    try:
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError as raised:
        raise Refused(400, "the body ends too early") from raised


async def _chunked(reader: StreamReader, claim: Callable[[int], None]) -> bytes:
    body = bytearray()  # one: many small parts would hold far more than was claimed
    while True:
        found = _CHUNK.fullmatch(await _line(reader, LINE_BYTES_MAX) or b"")
        if found is None:
            raise Refused(400, "no chunk")
        size = int(found.group(1), 16)
        claim(size)
        if size == 0:
            await _headers(reader)  # trailers
            return bytes(body)
        try:
            data = await reader.readexactly(size + 2)
        except asyncio.IncompleteReadError as raised:
            raise Refused(400, "the body ends too early") from raised
        if not data.endswith(b"\r\n"):
            raise Refused(400, "a chunk is longer than it says")
        body += data[:-2]


async def _line(reader: StreamReader, most: int = HEADER_BYTES_MAX) -> bytes | None:
    """Read a line without its end; None at the end of the connection."""
    try:
        line = await reader.readuntil(b"\n")
    except asyncio.IncompleteReadError as raised:
        if raised.partial:
            raise Refused(400, "the request ends too early") from raised
        return None
    except asyncio.LimitOverrunError as raised:
        raise Refused(431, "a line is too long") from raised
    if len(line) > most:
        raise Refused(431, f"a line may have {most} bytes")
    return line.removesuffix(b"\n").removesuffix(b"\r")
