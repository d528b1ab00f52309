"""A channel's dial against a partner that closes at once."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import Any

import pytest

from penstock.model.errors import MQError
from penstock.serve.message_channels.conname import Address
from penstock.serve.message_channels.dialling import _dial


class Closing(asyncio.Protocol):
    closed = False

    def connection_lost(self, cause: Exception | None) -> None:
        self.closed = True


class LateLoop:
    """The running loop, which returns a connection only when its end was heard."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.getaddrinfo, self.sock_connect, self._loop = loop.getaddrinfo, loop.sock_connect, loop

    async def create_connection(self, make: Any, **options: Any) -> tuple[Any, Any]:
        transport, link = await self._loop.create_connection(make, **options)
        while not link.closed:
            await asyncio.sleep(0.001)
        return transport, link


def test_a_link_that_ended_while_it_was_dialled_is_a_failed_dial() -> None:
    async def dial(port: int) -> None:
        server: Any = SimpleNamespace(loop=LateLoop(), connections=SimpleNamespace(has_room=lambda: True))
        make: Any = lambda peer: Closing()  # noqa: E731
        await _dial(server, Address("127.0.0.1", port, port), [], None, make)

    async def both() -> None:
        partner = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        sock: socket.socket = partner.sockets[0]
        async with partner:
            await dial(sock.getsockname()[1])

    with pytest.raises(MQError) as failed:
        asyncio.run(both())
    assert failed.value.reason == 2538
    assert "as soon as it was made" in str(failed.value)
