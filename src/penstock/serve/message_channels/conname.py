"""CONNAME and LOCLADDR of a channel: where it dials, and from where."""

from __future__ import annotations

import re
from dataclasses import dataclass

from penstock.model import constants as mq
from penstock.model.errors import error

PORT_DEFAULT = 1414
PORT_MAX = 65535
_ADDRESS = re.compile(r"\s*([^()\s,]*)\s*(?:\(\s*(\d+)\s*(?:,\s*(\d+)\s*)?\))?\s*(?:,|$)")


@dataclass(frozen=True, slots=True)
class Address:
    """A host and the ports that may be used there; one port unless it is a local address."""

    host: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{self.host}({self.first})"


def targets(conname: str) -> list[Address]:
    """Return the addresses to dial, in order; 4017 when they cannot be read.

    >>> [str(each) for each in targets("mq.example.com(1415), 10.0.0.1")]
    ['mq.example.com(1415)', '10.0.0.1(1414)']
    """
    found = _addresses(conname, PORT_DEFAULT)
    if not found or any(not each.host or each.first != each.last for each in found):
        raise error(mq.MQRCCF_CONN_NAME_ERROR, f"CONNAME({conname}) is not host(port),host(port)")
    return found


def local_addresses(address: str) -> list[Address]:
    """Return the local addresses to dial from, empty for any.

    >>> local_addresses("10.0.0.9(1500,1510)")
    [Address(host='10.0.0.9', first=1500, last=1510)]
    """
    return _addresses(address, 0) if address.strip() else []


def _addresses(text: str, port_default: int) -> list[Address]:
    found: list[Address] = []
    at = 0
    while at < len(text):
        match = _ADDRESS.match(text, at)
        if match is None or match.end() == at:
            raise error(mq.MQRCCF_CONN_NAME_ERROR, f"{text} is not host(port),host(port)")
        first = int(match[2]) if match[2] else port_default
        last = int(match[3]) if match[3] else first
        if not first <= last <= PORT_MAX:
            raise error(mq.MQRCCF_CONN_NAME_ERROR, f"{text} has no port from 1 to {PORT_MAX}")
        found.append(Address(match[1], first, last))
        at = match.end()
    return found
