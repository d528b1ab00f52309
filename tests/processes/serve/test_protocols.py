"""A listener takes several protocols: the first bytes of a connection say which."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.serve.entry.protocols import Spoken, begins_with
from tests.processes.serve.test_calm_loop import served_while

pytestmark = pytest.mark.installed


class Echo(asyncio.Protocol):
    """A protocol that sends back what it gets."""

    def __init__(self, server: Any, peer: Any, connection: Any) -> None:
        self.server, self.connection = server, connection
        self.transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.transport.write(data)

    def connection_lost(self, cause: Exception | None) -> None:
        self.server.connections.leave(self.connection)


def test_a_protocol_that_registers_gets_the_connections_that_begin_as_it_does(tmp_path: Path) -> None:
    def drive(server: Any, address: str) -> None:
        server.listeners.arrivals.protocols.add(Spoken("an echo client", begins_with(b"ECHO"), Echo))
        port = server.listeners.status()[0].port
        with socket.create_connection(("127.0.0.1", port), 60) as sock:
            sock.sendall(b"ECHO hello")
            answer = b""
            while len(answer) < 10:
                answer += sock.recv(100)
        assert answer == b"ECHO hello"
        with penstock.connect(address, share=False) as qm:  # and the others theirs
            qm.put("APP.Q", b"")
            assert qm.get("APP.Q") is not None

    served_while(tmp_path, drive)
