"""TLS from a client: a context from the address's options, and the handshake. Blocking."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from penstock.model.errors import error

if TYPE_CHECKING:
    import socket

    from penstock.wire.client.address import Address


def secure(sock: socket.socket, host: str, address: Address) -> socket.socket:
    """Return the socket with TLS on it; 2393 when the handshake fails."""
    try:
        return context_for(address).wrap_socket(sock, server_hostname=host)
    except (ssl.SSLError, OSError) as failure:
        sock.close()
        raise error(2393, f"TLS with {host} failed: {failure}") from failure


def context_for(address: Address) -> ssl.SSLContext:
    """Return the context that an address asks for."""
    options = address.options
    context = ssl.create_default_context(cafile=options.get("ca"))
    if "certificate" in options:
        context.load_cert_chain(options["certificate"], options.get("key"))
    return context
