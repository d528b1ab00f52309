"""Clients that are idle, stopped or dead: who keeps the connection, and whose unit is backed out."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import penstock
import penstock.aio
from tests.patience import ends, until
from tests.served import Served

pytestmark = pytest.mark.installed

QUICK = """
DEFINE CHANNEL(QUICK.SVRCONN) CHLTYPE(SVRCONN) HBINT(1) REPLACE
SET CHLAUTH(QUICK.SVRCONN) TYPE(ADDRESSMAP) ADDRESS('127.0.0.1') USERSRC(MAP) MCAUSER('app') ACTION(REPLACE)
"""
SOME_HEARTBEATS = 3.5  # seconds
HOLDER = """
import sys, penstock
qm = penstock.connect(sys.argv[1])
qm.begin()
qm.put("APP.Q", b"held", persistent=True)
print("holds", flush=True)
sys.stdin.readline()
qm.commit()
print("committed", flush=True)
sys.stdin.readline()
"""


@pytest.fixture(scope="module")
def quick(served: Served) -> str:
    """The address of a channel with a heartbeat a second."""
    with served.local() as qm:
        assert not [reply for reply in qm.mqsc(QUICK) if reply.failed]
    return served.address("QUICK.SVRCONN")


@pytest.fixture
def holder(quick: str) -> Iterator[subprocess.Popen[str]]:
    """A client process with a put in a unit of work."""
    process = subprocess.Popen(
        [sys.executable, "-c", HOLDER, quick], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline() == "holds\n"
    yield process
    process.kill()
    process.wait()
    process.stdin.close()
    process.stdout.close()


def units(served: Served) -> int:
    with served.local() as qm:
        return qm.status().logged_units


def test_an_idle_blocking_client_is_not_cut_off_by_heartbeats_it_cannot_answer(quick: str) -> None:
    with penstock.connect(quick, share=False) as qm:
        time.sleep(5)

        qm.put("APP.Q", b"still here")
        message = qm.get("APP.Q")
    assert message is not None
    assert message.body == b"still here"


def test_a_client_that_waits_answers_heartbeats(quick: str) -> None:
    with penstock.connect(quick, share=False) as qm:
        assert qm.get("APP.Q", wait=SOME_HEARTBEATS) is None
        assert qm.get("APP.Q") is None


def test_a_stopped_client_keeps_its_unit_while_its_kernel_answers(
    served: Served, holder: subprocess.Popen[str]
) -> None:
    assert holder.stdin is not None
    assert holder.stdout is not None
    os.kill(holder.pid, signal.SIGSTOP)
    time.sleep(SOME_HEARTBEATS)
    held = units(served)
    os.kill(holder.pid, signal.SIGCONT)
    holder.stdin.write("\n")
    holder.stdin.flush()

    assert held == 1
    assert holder.stdout.readline() == "committed\n"
    with served.local() as qm:
        assert qm.get("APP.Q") is not None


def test_the_unit_of_a_killed_client_is_backed_out_at_once(
    served: Served, holder: subprocess.Popen[str]
) -> None:
    assert units(served) == 1

    holder.kill()
    holder.wait()
    until(lambda: units(served) == 0)


def test_the_server_has_the_kernel_ask_about_a_silent_client(quick: str) -> None:
    port = int(quick.partition("127.0.0.1:")[2].partition("/")[0])
    with penstock.connect(quick, share=False) as qm:
        qm.put("APP.Q", b"")
        qm.get("APP.Q")
        seconds = until(lambda: keep_alive_seconds(port))  # what was sent must be acknowledged first
    assert min(seconds) <= 5.5, seconds


def keep_alive_seconds(port: int) -> list[float]:
    """Return when the keep-alive timers (02 in /proc/net/tcp) of a port's connections end."""
    timers = [row.split()[5] for row in rows_of(port)]
    return [int(each.partition(":")[2], 16) / 100 for each in timers if each.startswith("02")]


def rows_of(port: int) -> list[str]:
    """Return the established connections whose own end is a port."""
    rows = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return [row for row in rows if row.split()[1].endswith(f":{port:04X}") and row.split()[3] == "01"]


@pytest.mark.parametrize("way", ["alone", "shared", "asyncio"])
def test_a_connect_to_a_server_that_hangs_takes_no_longer_than_it_may(own: Served, way: str) -> None:
    assert own.process is not None
    with own.connect() as first:
        own.process.send_signal(signal.SIGSTOP)
        try:
            with ends(), pytest.raises(penstock.MQError, match="in time") as caught:
                _connect(own, way)
        finally:
            own.process.send_signal(signal.SIGCONT)
        assert caught.value.reason in (2009, 2538)
        assert first.link.failure is None or way == "shared"


def _connect(own: Served, way: str) -> None:
    if way == "asyncio":
        asyncio.run(penstock.aio.connect(own.address(), connect_timeout=0.5))
    else:
        own.connect(share=way == "shared", connect_timeout=0.5)
