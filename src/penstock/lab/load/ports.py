"""Ports for servers under test."""

from __future__ import annotations

import random
import socket

LOOPBACK = "127.0.0.1"
# Below the ports that systems give to outgoing connections (from 32768 on Linux): while a server is down, no
# outgoing connection can get its port, so that it can start again at the same one.
FIRST, LAST = 20_000, 32_000
_choice = random.SystemRandom()


def free_port() -> int:
    """Return a port without a listener that is not used for outgoing connections."""
    while True:
        port = _choice.randint(FIRST, LAST)
        with socket.socket() as probe:
            try:
                probe.bind((LOOPBACK, port))
            except OSError:
                continue
        return port
