"""The nearest host of an address: executors beside a queue manager do not take the long way to it."""

from __future__ import annotations

import socket

from penstock.client.address import is_address, parse_address, split_address


def nearest_first(url: str) -> str:
    """Return an address whose hosts are ordered: this machine, its network, all others.

    All of them lead to the same queue manager; they are tried in this order.

    >>> nearest_first("mq://192.0.2.1:1414,127.0.0.1:1415/QM1")
    'mq://127.0.0.1:1415,192.0.2.1:1414/QM1'
    """
    scheme, listed, rest = split_address(url)
    if not is_address(url) or "," not in listed:
        return url
    hosts = sorted(parse_address(url).hosts, key=lambda each: _distance(each[0]))
    ordered = ",".join(f"{written_host(host)}:{port}" for host, port in hosts)
    return f"{scheme}://{ordered}{rest}"


def written_host(host: str) -> str:
    """Return a host as an address writes it."""
    return f"[{host}]" if ":" in host else host


def _distance(host: str) -> int:
    """Return 0 for this machine, 1 for a host of the same network, 2 for others and unknown ones."""
    try:
        family, _, _, _, address = socket.getaddrinfo(host, 0, type=socket.SOCK_DGRAM)[0]
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((address[0], 9))  # sends nothing: it chooses the interface
            own = str(probe.getsockname()[0])
    except OSError:
        return 2
    if own == address[0]:
        return 0
    mark = ":" if family == socket.AF_INET6 else "."
    return 1 if own.rpartition(mark)[0] == str(address[0]).rpartition(mark)[0] else 2
