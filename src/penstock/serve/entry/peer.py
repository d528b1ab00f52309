"""The peer of a socket, as far as the socket itself identifies it.

An address and port, or the process and operating-system user behind a local socket; with TLS the
names in the client's certificate. Made by `listeners`, read by `greeting` and by status displays.
"""

from __future__ import annotations

import asyncio
import ipaddress
import socket
import struct
from dataclasses import dataclass, field

HOST_NAME_SECONDS = 2.0
NETWORK_BITS = 64  # of an IPv6 address: one customer has any number of addresses behind them
_CREDENTIALS = struct.Struct("3i")


@dataclass(slots=True)
class Tls:
    """What a TLS handshake agreed on, and whose certificate the client showed."""

    protocol: str = ""
    cipher: str = ""
    peer: str = ""  # distinguished name of the client's certificate; empty without one
    issuer: str = ""
    serial: str = ""


@dataclass(slots=True)
class Peer:
    """The other end."""

    address: str = ""
    port: int = 0
    local_user: int = -1  # operating-system user id behind a local socket
    process: int = 0
    tls: Tls | None = field(default=None)

    @property
    def local(self) -> bool:
        """Whether the other end is on this machine, by the local socket."""
        return self.local_user >= 0

    @property
    def name(self) -> str:
        """The address as CONNAME shows it."""
        return "" if self.local else f"{self.address}({self.port})"

    @property
    def origin(self) -> str:
        """Whom connections are counted by: an address, the network of an IPv6 one, a local user."""
        if self.local:
            return f"user {self.local_user}"
        if ":" in self.address:
            return str(ipaddress.ip_network((self.address, NETWORK_BITS), strict=False))
        return self.address

    def __str__(self) -> str:
        return f"process {self.process} of this machine" if self.local else self.name


def peer_of(sock: socket.socket) -> Peer:
    """Return who is at the other end of an accepted socket."""
    if sock.family == socket.AF_UNIX:
        packed = sock.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        process, user, _ = _CREDENTIALS.unpack(packed)
        return Peer(local_user=user, process=process)
    address, port = sock.getpeername()[:2]
    return Peer(_plain(address), port)


def _plain(address: str) -> str:
    """Return an IPv4 address as such, also when it came in by an IPv6 socket."""
    return address.removeprefix("::ffff:") if "." in address else address.partition("%")[0]


async def host_name_of(peer: Peer, loop: asyncio.AbstractEventLoop) -> str:
    """Return the peer's host name, or nothing if no name server answers in time."""
    lookup = loop.getnameinfo((peer.address, peer.port), socket.NI_NAMEREQD)
    try:
        return (await asyncio.wait_for(lookup, HOST_NAME_SECONDS))[0]
    except (TimeoutError, OSError):
        return ""
