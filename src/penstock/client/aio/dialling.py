"""From an address to a greeted link, for asyncio: the steps of `dialling`, without blocking the loop."""

from __future__ import annotations

import asyncio
import socket
import ssl
from typing import TYPE_CHECKING, Any

from penstock.client import dialling
from penstock.client.aio.link import AioLink
from penstock.client.encryption import check_peer, context_for
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.protocol import hello
from penstock.protocol import numbers as protocol
from penstock.protocol.heartbeat import keep_alive, silence_max

if TYPE_CHECKING:
    from penstock.client.dialling import Target

HANDSHAKE_FAILED = (ssl.SSLError, ConnectionResetError, ConnectionAbortedError, BrokenPipeError)


async def dial(target: Target, replaces: bytes = b"") -> AioLink:
    """Return a greeted link to the first channel of a table, or host of an address, that takes us.

    `replaces` is the token of a link that broke.
    """
    attempts = dialling.Attempts()
    for definition, each in dialling.candidates(target):
        if definition is None:
            return await _dial_hosts(each, replaces)
        try:
            return await _dial_hosts(each, replaces)
        except MQError as failure:
            dialling.channel_failed(target, definition, failure, attempts)
    raise attempts.failed()


async def _dial_hosts(target: Target, replaces: bytes) -> AioLink:
    facts = dialling.facts_of(target, replaces)
    if target.address is None:
        return await _greeted(await _local(target), target, facts)
    attempts = dialling.Attempts()
    for host, port in target.address.hosts:
        try:
            return await _greeted(await _remote(target, host, port), target, facts)
        except MQError as failure:
            attempts.add(f"{host}({port})", failure)
    raise attempts.failed()


async def _local(target: Target) -> AioLink:
    loop = asyncio.get_running_loop()
    sock = dialling.connect_locally(target.qmgr, target.home, target.timeout)  # the kernel answers at once
    sock.setblocking(False)
    try:
        return (await loop.create_unix_connection(lambda: AioLink(loop), sock=sock))[1]
    except OSError as failure:
        raise error(
            mq.MQRC_Q_MGR_NOT_AVAILABLE, f"queue manager {target.qmgr} does not run: {failure.strerror}"
        ) from failure


async def _remote(target: Target, host: str, port: int) -> AioLink:
    assert target.address is not None
    loop = asyncio.get_running_loop()
    encrypted = target.address.encrypted
    context = context_for(target.address) if encrypted else None
    try:
        async with asyncio.timeout(target.timeout):
            sock = await _connected(loop, host, port)
            transport, link = await loop.create_connection(
                lambda: AioLink(loop), sock=sock, ssl=context, server_hostname=host if encrypted else None
            )  # it closes the socket when the handshake fails
    except (OSError, TimeoutError) as failure:
        reason = (
            mq.MQRC_SSL_INITIALIZATION_ERROR
            if encrypted and isinstance(failure, HANDSHAKE_FAILED)
            else mq.MQRC_HOST_NOT_AVAILABLE
        )
        raise error(reason, f"no connection to {host}({port}): {_told(failure)}") from failure
    if encrypted:
        try:
            check_peer(transport.get_extra_info("ssl_object"), host, target.address)
        except MQError:
            transport.abort()
            raise
    if target.password is not None and not encrypted and not dialling.is_loopback(sock):
        transport.abort()
        raise error(mq.PSRC_TLS_REQUIRED, "a password is not sent over a network in clear: use mqs://")
    return link


async def _connected(loop: asyncio.AbstractEventLoop, host: str, port: int) -> socket.socket:
    """Return a socket that is connected to a host, by the first of its addresses that answers."""
    problem = OSError(f"{host} has no address")
    for family, kind, number, _, address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
        sock = socket.socket(family, kind, number)
        try:
            sock.setblocking(False)
            await loop.sock_connect(sock, address)
            dialling.check_other_end(sock)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return sock
        except OSError as failure:
            sock.close()
            problem = failure
        except BaseException:
            sock.close()
            raise
    raise problem


async def _greeted(link: AioLink, target: Target, facts: dict[str, Any]) -> AioLink:
    """Send the hello and read the welcome."""
    features = protocol.FEATURES | protocol.FEATURE_HEARTBEATS  # the loop reads even if no task waits
    link.out.frame(protocol.HELLO, 0, 0, 0, 0, hello.pack(facts, features))
    link.mark()
    try:
        async with asyncio.timeout(target.timeout):
            link.terms = hello.unpack(await link.greeted)
    except MQError as failure:
        if (
            failure.reason == mq.MQRC_CONNECTION_BROKEN
            and target.address is not None
            and target.address.encrypted
        ):
            raise dialling.greeting_failed(ConnectionError(failure.detail), True) from failure
        raise
    except (TimeoutError, ValueError) as failure:
        link.fail(error(mq.MQRC_CONNECTION_BROKEN, f"the greeting failed: {_told(failure)}"))
        raise link.failure_again() from failure
    except BaseException:  # cancelled: the link has no owner
        link.fail(error(mq.MQRC_CONNECTION_BROKEN, "the caller has given the connection up"))
        raise
    heartbeat = link.terms.number("heartbeat")
    if heartbeat:
        link.silence_max = silence_max(heartbeat)
    if target.address is not None:
        keep_alive(link.socket, heartbeat)
    return link


def _told(failure: Exception) -> str:
    """Return the text of a failure; a timeout has none, and a broken handshake none in asyncio."""
    return str(failure) or ("no answer in time" if isinstance(failure, TimeoutError) else "it hung up")
