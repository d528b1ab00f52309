"""Addresses of queue managers: `mq://host:1414/QM1?channel=APP.SVRCONN`, `mqs://` for TLS, or a plain name.

Several hosts, separated by commas, are tried in turn. An address must not contain a password: addresses
end up in logs. Called by `connect`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from penstock.face.arguments import check_names
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

PORT_DEFAULT = 1414
CHANNEL_DEFAULT = "SYSTEM.DEF.SVRCONN"
AUTHORITY = re.compile(r"[^/?#]*")
KNOWN = {"channel", "ca", "certificate", "key", "peer", "cipher"}


@dataclass(frozen=True)
class Address:
    """Where a queue manager is, and by which channel."""

    hosts: tuple[tuple[str, int], ...]
    qmgr: str
    channel: str
    encrypted: bool = False
    options: dict[str, str] = field(default_factory=dict, hash=False)


def is_address(text: str) -> bool:
    """Return whether a text is an address rather than the name of a queue manager of this machine."""
    return text.startswith(("mq://", "mqs://"))


def parse_address(text: str) -> Address:
    """Read an address; 2538 for one that cannot be read.

    >>> parse_address("mq://a,b:1415/QM1?channel=APP").hosts
    (('a', 1414), ('b', 1415))
    """
    scheme, listed, rest = split_address(text)
    if scheme not in ("mq", "mqs") or not listed:
        raise _bad(text, "it should look like mq://host:1414/QM1?channel=APP.SVRCONN")
    if "@" in listed:
        raise _bad("(not shown)", "give user and password as arguments, not in the address")
    path, _, query = rest.partition("#")[0].partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    unknown = options.keys() - KNOWN
    if unknown:
        raise _bad(text, f"{', '.join(sorted(unknown))} is no option; there are {', '.join(sorted(KNOWN))}")
    channel = options.pop("channel", CHANNEL_DEFAULT)
    hosts = tuple(_host(each, text) for each in listed.split(","))
    return Address(hosts, unquote(path.strip("/")), channel, scheme == "mqs", options)


def split_address(text: str) -> tuple[str, str, str]:
    """Return scheme, hosts and the rest; recent versions of `urlsplit` refuse an IPv6 host behind another.

    >>> split_address("mq://a,[::1]:1415/QM1?channel=APP")
    ('mq', 'a,[::1]:1415', '/QM1?channel=APP')
    """
    scheme, _, others = text.partition("://")
    listed = AUTHORITY.match(others)[0]  # type: ignore[index]  # it always matches
    return scheme, listed, others[len(listed) :]


def check_arguments(connect: Callable[..., Any], unknown: Iterable[str]) -> None:
    """Refuse unknown arguments of `connect`; the error names those that belong in the address."""
    for name in unknown:
        from difflib import get_close_matches

        near = get_close_matches(name, KNOWN, 1)
        if near:
            example = f"mq://host:{PORT_DEFAULT}/QM1?{near[0]}=..."
            raise TypeError(f"connect has no argument {name!r}; {near[0]} is part of the address: {example}")
    check_names(connect, unknown)


def _host(text: str, whole: str) -> tuple[str, int]:
    host, separator, port = text.rpartition(":")
    if not separator or text.endswith("]"):
        host, port = text, str(PORT_DEFAULT)
    if not host or not port.isdigit() or not 0 < int(port) < 65536:
        raise _bad(whole, f"{text} is not host:port")
    return host.strip("[]"), int(port)


def _bad(text: str, why: str) -> Exception:
    return error(mq.MQRC_HOST_NOT_AVAILABLE, f"address {text} cannot be used: {why}")
