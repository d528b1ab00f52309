"""A server is up when it listens, and stopping ends all that it started."""

from __future__ import annotations

import subprocess
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


STARTS = f"""
import sys, time
from pathlib import Path
from penstock.lab.load.server_process import ServerProcess
port = int(sys.argv[1])
command = [sys.executable, "-c", {LISTENS.replace("if os.fork() else sys.argv[2]", "")!r}, str(port)]
ServerProcess(command, Path(sys.argv[2]), port).start()
time.sleep(60)
"""


def test_a_server_ends_with_a_killed_starter(tmp_path):
    port = free_port()
    starter = subprocess.Popen([sys.executable, "-c", STARTS, str(port), str(tmp_path / "log")])
    try:
        until(lambda: listens(port))
    finally:
        starter.kill()
        starter.wait()

    until(lambda: not listens(port))


def test_a_server_that_ends_shows_its_log(tmp_path):
    command = [sys.executable, "-c", "print('no licence'); raise SystemExit(3)"]

    with pytest.raises(ServerFailed, match="no licence"):
        ServerProcess(command, tmp_path / "log", free_port()).start()
