"""The head of an HTTP/1.1 request: its first line, its headers, and how its body is framed.

Refuses whatever two programs could read in two ways (RFC 9112, section 11.2): that is how one request is
smuggled inside another. No I/O: `flow.http.request_reader` and `serve.metrics` read the lines, with limits
of their own in time.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LINE_BYTES_MAX = 8 << 10  # of a request's first line
HEADER_BYTES_MAX = 64 << 10
HEADERS_MAX = 100
HTTP_10, HTTP_11 = "HTTP/1.0", "HTTP/1.1"
CHUNKED: Final = -1  # instead of a length: the body contains its own end
CONTENT_LENGTH, TRANSFER_ENCODING, HOST = "content-length", "transfer-encoding", "host"
_FRAMING = frozenset((CONTENT_LENGTH, TRANSFER_ENCODING, HOST))
_START = re.compile(rb"([A-Z]{1,16}) ([\x21-\x7e]+) (HTTP/[0-9]\.[0-9])")
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, token
_CONTROL = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_LENGTH = re.compile(r"[0-9]{1,18}")
_HOST = re.compile(r"(?:[A-Za-z0-9._~%!$&'()*+;=-]+|\[([0-9A-Fa-f:.]+)\])(?::([0-9]{0,5}))?")
PORT_MAX = 65535


class Refused(Exception):
    """A request that is answered with only a status; the connection then ends."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


def start_of(line: bytes) -> tuple[str, str, str]:
    """Return method, target and version of a first line, without its line end."""
    found = _START.fullmatch(line)
    if found is None:
        raise Refused(400, "the first line is not METHOD /path HTTP/1.1")
    method, target, version = (part.decode("ascii") for part in found.groups())
    if version not in (HTTP_11, HTTP_10):
        raise Refused(505, "this server supports HTTP/1.0 and HTTP/1.1")
    if not target.startswith("/") or "#" in target:
        raise Refused(400, "the target has to be a path")
    return method, target, version


def header_of(line: bytes) -> tuple[str, str]:
    """Return name and value of a header line, without its line end."""
    name, colon, value = line.decode("latin-1").partition(":")
    if not colon or not _NAME.fullmatch(name) or _CONTROL.search(value):
        raise Refused(400, "a line is not a header")
    if "_" in name and name.lower().replace("_", "-") in _FRAMING:
        raise Refused(400, f"a header is called {name}")  # some programs take it for the one with hyphens
    return name, value.strip(" \t")


def body_length(version: str, headers: Sequence[tuple[str, str]]) -> int:
    """Return the length of the body that follows some headers, or CHUNKED; also checks Host."""
    found: dict[str, str] = {}
    for name, value in headers:
        key = name.lower()
        if key in found:
            raise Refused(400, f"there is more than one {name}")
        if key in _FRAMING:
            found[key] = value
    host = found.get(HOST)
    if host is None and version == HTTP_11:
        raise Refused(400, "there is no Host")
    if host and not _is_host(host):
        raise Refused(400, "Host is not a name with or without a port")
    coding, length = found.get(TRANSFER_ENCODING), found.get(CONTENT_LENGTH)
    if coding is not None:
        if length is not None or version == HTTP_10 or coding.lower() != "chunked":
            raise Refused(400, "Transfer-Encoding has to be chunked, without Content-Length, on HTTP/1.1")
        return CHUNKED
    if length is None:
        return 0
    if not _LENGTH.fullmatch(length):
        raise Refused(400, "Content-Length is not a number")
    return int(length)


def _is_host(text: str) -> bool:
    """Say whether a text is a name or an address, with or without a port that there is (RFC 3986, 3.2)."""
    found = _HOST.fullmatch(text)
    if found is None:
        return False
    address, port = found.groups()
    if port and not 0 < int(port) <= PORT_MAX:
        return False
    return address is None or _is_ipv6(address)


def _is_ipv6(text: str) -> bool:
    try:
        IPv6Address(text)
    except ValueError:
        return False
    return True


def check_trailers(trailers: Sequence[tuple[str, str]]) -> None:
    """Refuse trailers that belong before the body."""
    for name, _ in trailers:
        if name.lower() in _FRAMING:
            raise Refused(400, f"{name} is behind the body")
