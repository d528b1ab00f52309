"""A server is up when it listens, and stopping ends all that it started."""

from __future__ import annotations

import sys

import pytest

from penstock.lab.load.server_process import ServerFailed, ServerProcess, listens
from tests.patience import until
from tests.ports import free_port

LISTENS = """
import socket, sys, time, os
port = sys.argv[1] if os.fork() else sys.argv[2]
listener = socket.create_server(("127.0.0.1", int(port)))
time.sleep(60)
"""


def test_a_server_listens_after_start_and_its_children_end_with_it(tmp_path):
    port, child_port = free_port(), free_port()
    server = ServerProcess(
        [sys.executable, "-c", LISTENS, str(port), str(child_port)], tmp_path / "log", port
    )

    server.start()
    try:
        assert listens(port)
        until(lambda: listens(child_port))
    finally:
        server.stop()

    assert not listens(port)
    until(lambda: not listens(child_port))


def test_a_server_that_ends_shows_its_log(tmp_path):
    command = [sys.executable, "-c", "print('no licence'); raise SystemExit(3)"]

    with pytest.raises(ServerFailed, match="no licence"):
        ServerProcess(command, tmp_path / "log", free_port()).start()
