"""A client that dials a port of its own machine at which nobody listens must not become the other end itself.

The accident: a queue manager is down, a client dials again and again, and once the system gives it the very
port that it dials. TCP then connects the socket to itself, and the queue manager cannot listen there again.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any

import pytest
import uvloop

import penstock
from tests.ports import LOOPBACK, free_port

pytestmark = pytest.mark.installed
HOST_NOT_AVAILABLE = 2538


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> int:
    """A free port, which every socket that this process makes has as its own."""
    found = free_port()

    class Bound(socket.socket):
        """A socket that the system has given the port that it dials."""

        def connect(self, address: Any) -> None:
            self.bind(address[:2])
            super().connect(address)

        def connect_ex(self, address: Any) -> int:
            self.bind(address[:2])
            return super().connect_ex(address)

    monkeypatch.setattr(socket, "socket", Bound)
    return found


def listens(port: int) -> bool:
    """Say whether somebody can listen at a port now."""
    with socket.socket() as listener:
        listener.bind((LOOPBACK, port))
        listener.listen()
    return True


def test_the_accident_can_happen(port: int) -> None:
    """Without this the tests below would show nothing."""
    with socket.create_connection((LOOPBACK, port)) as sock:
        assert sock.getsockname() == sock.getpeername()


@pytest.mark.parametrize("scheme", ["mq", "mqs"])
def test_a_blocking_client_does_not_connect_to_itself(port: int, scheme: str) -> None:
    with pytest.raises(penstock.MQError) as refused:
        penstock.connect(f"{scheme}://{LOOPBACK}:{port}/QM1")
    assert refused.value.reason == HOST_NOT_AVAILABLE
    assert listens(port)


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize("scheme", ["mq", "mqs"])
def test_an_asyncio_client_does_not_connect_to_itself(
    port: int, scheme: str, loop: Callable[[], asyncio.AbstractEventLoop]
) -> None:
    with asyncio.Runner(loop_factory=loop) as runner, pytest.raises(penstock.MQError) as refused:
        runner.run(penstock.aio.connect(f"{scheme}://{LOOPBACK}:{port}/QM1"))
    assert refused.value.reason == HOST_NOT_AVAILABLE
    assert listens(port)
