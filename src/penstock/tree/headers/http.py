"""HTTP headers as folders: of an incoming request, of its reply, of a request and of its response.

They are not part of a message's bytes: the listener and the request node send them. A folder holds one field
per header, in order; only `header_value` compares names without regard to case. Lines that could inject
another header (line ends, NUL) are refused.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.core._arena import Domain
from penstock.tree.core._values import as_characters
from penstock.tree.core.missing import MISSING, Missing
from penstock.tree.core.parse_error import parse_error

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

HTTP_FOLDERS = ("HTTPInputHeader", "HTTPReplyHeader", "HTTPRequestHeader", "HTTPResponseHeader")
HEADERS_MAX = 1000
_NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+")  # RFC 9110, token
_BAD = re.compile(r"[\r\n\0]")


class HTTPHeader(Domain):
    """The domain of one of the four folders."""

    def __init__(self, name: str) -> None:
        super().__init__(name, text=False, part=False)

    def parse_into(self, folder: Reference, data: bytes | list[tuple[str, str]]) -> None:
        pairs = header_lines(data) if isinstance(data, bytes) else data
        for name, value in pairs:
            folder.add_last_child(name, value)

    def serialise_from(self, folder: Reference) -> bytes:
        """Return the header lines, each with its CRLF."""
        lines = [f"{_checked(field)}: {_value(field)}\r\n" for field in folder]
        return "".join(lines).encode("latin-1")


def header_lines(data: bytes) -> list[tuple[str, str]]:
    """Return the headers in lines of the form `Name: value`; anything else raises 8101."""
    pairs: list[tuple[str, str]] = []
    offset = 0
    for line in data.decode("latin-1").split("\n"):
        here, offset = offset, offset + len(line) + 1
        text = line.removesuffix("\r")
        if not text:
            continue
        name, colon, value = text.partition(":")
        if not colon or not _NAME.fullmatch(name) or _BAD.search(value):
            raise parse_error(mq.PSRC_PARSE_ERROR, "no HTTP header", data, here)
        if len(pairs) == HEADERS_MAX:
            raise parse_error(mq.PSRC_PARSE_ERROR, f"more than {HEADERS_MAX} HTTP headers", data, here)
        pairs.append((name, value.strip(" \t")))
    return pairs


def header_value(folder: Reference, name: str) -> str | Missing:
    """Return the value of a header; its name is not case-sensitive."""
    for field in folder:
        if field.name.lower() == name.lower():
            return as_characters(field.value)
    return MISSING


def _checked(field: Reference) -> str:
    if not _NAME.fullmatch(field.name):
        raise error(
            mq.PSRC_HEADER_FIELD, f"{field.name!r:.60} is no name of an HTTP header", field=field.name
        )
    return field.name


def _value(field: Reference) -> str:
    text = as_characters(field.value)
    if _BAD.search(text) or (not text.isascii() and max(text) > "\xff"):
        what = "a line end, NUL or a character beyond Latin-1"
        raise error(mq.PSRC_HEADER_FIELD, f"header {field.name} holds {what}", field=field.name)
    return text
