"""The protocol of a new connection: a table from its first bytes to a factory.

`Arrivals` looks the first bytes up. An entry without a factory is a protocol that is recognised only to tell
the error log who tried. Whatever a factory makes is in `Server.links` from then on. What comes by TLS, or by
the local socket, is Penstock's own protocol.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.serve.connections import Connection
    from penstock.serve.entry.peer import Peer
    from penstock.serve.server import Server

    Factory = Callable[[Server, Peer, Connection], "Speaker"]


class Speaker(Protocol):
    """An asyncio protocol that is a client's connection to a server."""

    transport: Any

    def connection_lost(self, cause: Exception | None) -> None:
        """Give back everything that the connection holds."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A protocol: its first bytes, and its factory; None with an advice for a refused one."""

    name: str
    begins: Callable[[bytes], bool]
    factory: Factory | None = None
    advice: str = ""


def begins_with(*starts: bytes) -> Callable[[bytes], bool]:
    """Return a test of first bytes."""
    return lambda first: first.startswith(starts)


def _is_mqtt(first: bytes) -> bool:
    return first[:1] == b"\x10" and b"MQ" in first


FOREIGN = (
    Spoken(
        "a client of IBM MQ's own protocol",
        begins_with(b"TSH"),
        advice="Penstock speaks its own protocol: use penstock.connect.",
    ),
    Spoken(
        "an HTTP client",
        begins_with(b"GET ", b"POST", b"HEAD", b"PUT "),
        advice="There is no web page at this port.",
    ),
    Spoken("an AMQP client", begins_with(b"AMQP"), advice="This port takes clients of Penstock."),
    Spoken("an MQTT client", _is_mqtt, advice="This port takes clients of Penstock."),
)


class Protocols:
    """The protocols that the listeners of a server take."""

    def __init__(self, own: Factory) -> None:
        self._table: list[Spoken] = [*FOREIGN, Spoken("a client of Penstock", begins_with(b""), own)]

    def add(self, spoken: Spoken) -> None:
        """Register a protocol; it takes precedence over those registered before."""
        self._table.insert(0, spoken)

    def find(self, first: bytes) -> Spoken:
        """Return the protocol of a connection by its first bytes."""
        return next(each for each in self._table if each.begins(first))
