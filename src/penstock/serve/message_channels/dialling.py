"""Dialling for a channel: the addresses of CONNAME one after the other, from LOCLADDR, with TLS by SSLCIPH.

The other end's certificate is checked here (SSLPEER); everything else is checked by the greeting.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import TYPE_CHECKING, Any

from penstock.model import cipher_specs
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol.heartbeat import keep_alive
from penstock.serve.channels import number_of
from penstock.serve.entry import tls
from penstock.serve.entry.peer import Peer, Tls
from penstock.serve.message_channels.conname import Address, local_addresses, targets

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.objects import Definition
    from penstock.serve.message_channels.link import ChannelLink
    from penstock.serve.server import Server

CONNECT_SECONDS_MAX = 30.0
VERSIONS = {cipher_specs.TLS_12: ssl.TLSVersion.TLSv1_2, cipher_specs.TLS_13: ssl.TLSVersion.TLSv1_3}


async def dial(server: Server, definition: Definition, make: Callable[[Peer], ChannelLink]) -> ChannelLink:
    """Return a link to the first address of CONNAME that answers; raise the last error if none does."""
    attributes = definition.attributes
    context = client_context(server, str(attributes.get("SSLCIPH", "")))
    sources = local_addresses(str(attributes.get("LOCLADDR", "")))
    failure: MQError | None = None
    for target in targets(str(attributes["CONNAME"])):
        try:
            link = await _dial(server, target, sources, context, make)
            if context is not None:
                _check_peer(link, definition)
            keep_alive(link.transport.get_extra_info("socket"), number_of(definition, "HBINT"))
            return link
        except MQError as refusal:
            failure = refusal
    assert failure is not None
    raise failure


async def _dial(
    server: Server,
    target: Address,
    sources: list[Address],
    context: ssl.SSLContext | None,
    make: Callable[[Peer], ChannelLink],
) -> ChannelLink:
    if not server.connections.has_room():
        raise error(mq.MQRC_CHANNEL_NOT_AVAILABLE, "the limit of open files allows no more connections")
    peer = Peer(target.host, target.first, tls=Tls() if context is not None else None)
    failure: Exception | None = None
    for local in _local_addresses(sources):
        try:
            async with asyncio.timeout(CONNECT_SECONDS_MAX):
                sock = await _connect(server, target, local)
                peer.address = sock.getpeername()[0]
                _, link = await server.loop.create_connection(
                    lambda: make(peer),  # type: ignore[type-var]
                    sock=sock,
                    ssl=context,
                    server_hostname=target.host if context is not None else None,
                )
                if link.closed:  # its end would not be reported again
                    raise ConnectionResetError("the connection ended as soon as it was made")
        except (OSError, TimeoutError) as refused:
            failure = refused
            continue
        return link
    if isinstance(failure, ssl.SSLError):
        raise error(mq.MQRC_SSL_INITIALIZATION_ERROR, f"TLS with {target} failed: {failure}") from failure
    if context is not None and isinstance(failure, ConnectionResetError):
        why = "the other end ended the handshake; its error log has the cause"
        raise error(mq.MQRC_SSL_INITIALIZATION_ERROR, f"TLS with {target} failed: {why}") from failure
    why = str(failure) or f"no answer within {CONNECT_SECONDS_MAX:.0f} seconds"
    raise error(mq.MQRC_HOST_NOT_AVAILABLE, f"{target} cannot be reached: {why}") from failure


def _local_addresses(sources: list[Address]) -> list[tuple[str, int] | None]:
    """Yield the local addresses to try, until one is free."""
    if not sources:
        return [None]
    return [(each.host, port) for each in sources for port in range(each.first, each.last + 1)]


async def _connect(server: Server, target: Address, local: tuple[str, int] | None) -> socket.socket:
    """Return a connected socket."""
    found = await server.loop.getaddrinfo(target.host, target.first, type=socket.SOCK_STREAM)
    failure: OSError = OSError(f"{target.host} has no address")
    for family, kind, number, _, address in found:
        sock = socket.socket(family, kind, number)
        try:
            sock.setblocking(False)
            if local is not None:
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                sock.bind((local[0] or ("::" if family == socket.AF_INET6 else "0.0.0.0"), local[1]))
            await server.loop.sock_connect(sock, address)
        except OSError as refused:
            failure = refused
            sock.close()
        except BaseException:
            sock.close()
            raise
        else:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
    raise failure


def client_context(server: Server, cipher: str) -> ssl.SSLContext | None:
    """Return the TLS context of SSLCIPH, with the queue manager's certificate; None without SSLCIPH."""
    if not cipher:
        return None
    why = cipher_specs.refusal(cipher)
    if why:
        raise error(mq.MQRC_SSL_INITIALIZATION_ERROR, f"SSLCIPH({cipher}) cannot be used: {why}")
    own, trusted = tls.key_files(server)
    try:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False  # the name in the certificate is held against SSLPEER instead
        context.load_verify_locations(trusted)
        if own.exists():
            context.load_cert_chain(own, password=tls.no_password)
        versions = [VERSIONS[version] for version in cipher_specs.versions_of(cipher)]
        context.minimum_version, context.maximum_version = min(versions), max(versions)
        suite = cipher_specs.SUITES_OF_TLS_12.get(cipher.upper())
        if suite is not None:
            context.set_ciphers(suite)
    except (OSError, ssl.SSLError) as failure:
        raise error(
            mq.MQRC_SSL_INITIALIZATION_ERROR, f"the key repository {own.parent} cannot be used: {failure}"
        ) from failure
    return context


def _check_peer(link: ChannelLink, definition: Definition) -> None:
    tls.describe(link.peer, link.transport)
    why = tls.refusal(definition, link.peer)
    if why:
        link.abort()
        raise error(mq.MQRC_SSL_PEER_NAME_MISMATCH, why)


def local_address(transport: Any) -> str:
    """Return the local end of a socket, as LOCLADDR of channel status shows it."""
    here = transport.get_extra_info("sockname") if transport is not None else None
    return f"{here[0]}({here[1]})" if here else ""
