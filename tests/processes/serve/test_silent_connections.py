"""Connections that say nothing: they take neither the journal's files nor anybody's place."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import penstock
from penstock.channel import frames
from penstock.channel.terms import Terms
from penstock.protocol import numbers as protocol
from tests.patience import until
from tests.processes.serve.test_strangers import frame
from tests.served import SCRIPT, Served

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.installed


class Limited(Served):
    """A queue manager that may open few files."""

    def __init__(self, home: Path, soft: int, hard: int, script: str = SCRIPT) -> None:
        super().__init__(home, script=script)
        shell = f'ulimit -Sn {soft} && ulimit -Hn {hard} && exec "$0" "$@"'
        self.program = ("bash", "-c", shell, sys.executable, "-m", "penstock.cli.main")

    def open_files_limit(self) -> int:
        assert self.process is not None
        text = Path(f"/proc/{self.process.pid}/limits").read_text()
        return int(text.partition("Max open files")[2].split()[0])


@contextlib.contextmanager
def running(served: Served) -> Iterator[Served]:
    served.start()
    try:
        yield served
    finally:
        served.stop()


@contextlib.contextmanager
def silent(served: Served, count: int) -> Iterator[list[socket.socket]]:
    """So many connections that never send a byte."""
    with contextlib.ExitStack() as stack:
        yield [
            stack.enter_context(socket.create_connection(("127.0.0.1", served.port), 60))
            for _ in range(count)
        ]


def use(served: Served, number: int) -> None:
    """Put persistently as a client and take a checkpoint as the administrator."""
    with served.connect(share=False) as qm:
        qm.put("APP.Q", b"%d" % number, persistent=True)
    with served.local() as admin:
        admin.checkpoint()


def test_silent_connections_take_no_files_of_the_journal(tmp_path: Path) -> None:
    """The first persistent put comes when 300 sockets want the 200 files that there may be."""
    with running(Limited(tmp_path, 200, 200)) as served:
        with silent(served, 300):
            use(served, 0)
            use(served, 1)
        for number in range(2, 40):
            with served.connect(share=False) as qm:
                qm.put("APP.Q", b"%d" % number + bytes(90_000), persistent=True)
        use(served, 40)
        assert served.process is not None
        assert served.process.poll() is None
        assert "hung up on before it was greeted" in served.log()
        served.kill()
    with penstock.embed("QM1", home=tmp_path) as qm:
        found = [int((message.body or b"").rstrip(b"\0")) for message in qm.browse("APP.Q")]
    assert found == list(range(41))


def test_the_limit_of_open_files_is_raised_as_far_as_the_system_allows(tmp_path: Path) -> None:
    with running(Limited(tmp_path, 200, 1000)) as served:
        assert served.open_files_limit() == 1000
        with silent(served, 1200):
            use(served, 0)


def test_silent_connections_of_one_address_keep_nobody_out(tmp_path: Path) -> None:
    """The oldest of them are closed, a newcomer says hello and gets in, from any address."""
    with running(Limited(tmp_path, 300, 300)) as served, silent(served, 400) as sockets:
        for number in range(3):
            use(served, number)
        assert sockets[0].recv(1) == b""
        with (
            silent(served, 50),
            socket.create_connection(("127.0.0.1", served.port), 60, source_address=("127.0.0.2", 0)),
        ):
            use(served, 3)


def test_clients_that_are_in_stay_in_while_strangers_come(tmp_path: Path) -> None:
    with running(Limited(tmp_path, 400, 400)) as served, contextlib.ExitStack() as stack:
        clients = [stack.enter_context(served.connect(share=False)) for _ in range(100)]
        with silent(served, 500):
            for number, qm in enumerate(clients):
                qm.put("APP.Q", b"%d" % number)
                assert qm.get("APP.Q") is not None


def test_a_queue_manager_with_too_few_files_says_so(tmp_path: Path) -> None:
    import subprocess

    served = Limited(tmp_path, 100, 100)
    done = subprocess.run(
        [*served.program, "qmgr", "start", "QM1", "--port", "0"],
        env={**os.environ, "PENSTOCK_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    assert "limit of open files is 100" in done.stderr


@pytest.mark.parametrize("key", ["MaxChannels", "MaxActiveChannels"])
def test_the_queue_manager_takes_as_many_channels_as_qm_ini_says(tmp_path: Path, key: str) -> None:
    served = Served(tmp_path)
    ini = served.folder / "qm.ini"
    ini.write_text(ini.read_text() + f"\nChannels:\n   {key}=5\n")
    with running(served), served.local() as admin:
        with contextlib.ExitStack() as stack:
            for _ in range(5):
                stack.enter_context(served.connect(share=False))
            with pytest.raises(penstock.MQError) as caught:
                served.connect(share=False)
            assert caught.value.reason == 2537
            assert key in str(caught.value)
            assert len([row for row in admin.mqsc("DISPLAY CHSTATUS(*)") if row.attributes]) == 5
        assert f"{key} is 5" in served.log()
        until(lambda: not refusal(served))


def test_stopped_channels_count_for_maxchannels_alone(tmp_path: Path) -> None:
    """They are rows of DISPLAY CHSTATUS, and no instances."""
    served = Served(tmp_path, script=SCRIPT + "DEFINE CHANNEL(OTHER) CHLTYPE(SVRCONN)\n")
    ini = served.folder / "qm.ini"
    ini.write_text(ini.read_text() + "\nChannels:\n   MaxChannels=3\n   MaxActiveChannels=2\n")
    with running(served), served.local() as admin, served.connect(share=False):
        with served.connect(share=False), pytest.raises(penstock.MQError, match="MaxActiveChannels is 2"):
            served.connect(share=False)
        admin.mqsc("STOP CHANNEL(SYSTEM.DEF.SVRCONN)\nSTOP CHANNEL(OTHER)")
        until(lambda: "MaxChannels is 3" in refusal(served))
        admin.mqsc("START CHANNEL(OTHER)")
        until(lambda: not refusal(served))


def refusal(served: Served) -> str:
    """Return why a client is not let in; empty when it is."""
    try:
        served.connect(share=False).close()
    except penstock.MQError as failure:
        assert failure.reason == 2537
        return str(failure)
    return ""


def test_who_only_pings_a_channel_keeps_nobody_out(tmp_path: Path) -> None:
    """A stranger who knows a channel's name needs no password for that, and stays a minute."""
    script = SCRIPT + "DEFINE CHANNEL(PINGED) CHLTYPE(RCVR)"
    greeting = frames.greeting(
        protocol.HELLO, {"channel": "PINGED", "role": "ping", "from": "QMX", "qmid": "X", **Terms().facts()}
    )
    with running(Limited(tmp_path, 300, 300, script)) as served, contextlib.ExitStack() as stack:
        for _ in range(400):
            line = stack.enter_context(socket.create_connection(("127.0.0.1", served.port), 60))
            line.sendall(frame(protocol.HELLO, greeting.payload))
            assert line.recv(1 << 16)
        use(served, 1)
