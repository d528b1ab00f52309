"""The ways a server stops: what becomes of units, of gets that wait, and of whoever wants to come in."""

from __future__ import annotations

import asyncio
import contextlib
import getpass
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

import penstock
from penstock.host.folders.folder_lock import state_of
from tests.command_forks import Command
from tests.patience import until
from tests.served import Served

pytestmark = pytest.mark.installed


def told(own: Served, how: str) -> None:
    """Tell a server to stop."""
    assert own.process is not None
    if how.startswith("SIG"):
        own.process.send_signal(getattr(signal, how))
        return
    with own.local() as admin:
        admin.stop(how)


def reason_of(call: object) -> int:
    """Return the reason that a call fails with; 0 when it does not."""
    try:
        call()  # type: ignore[operator]
    except penstock.MQError as failure:
        return failure.reason
    return 0


def left(own: Served) -> list[bytes]:
    with penstock.embed(own.name, home=own.home) as qm:
        return [message.body for message in qm.browse("APP.Q")]


@pytest.mark.parametrize("how", ["quiesce", "SIGTERM", "SIGINT"])
def test_a_quiesce_lets_units_end_and_nothing_new_begin(own: Served, how: str) -> None:
    waited: list[int] = []
    waiter = own.connect(share=False)
    getter = threading.Thread(
        target=lambda: waited.append(reason_of(lambda: waiter.get("APP.REPLIES", wait=None)))
    )
    getter.start()
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)

    told(own, how)
    getter.join(60)
    qm.put("APP.Q", b"goes on", persistent=True)
    qm.commit()

    assert reason_of(lambda: qm.put("APP.Q", b"new")) == 2161
    assert waited == [2161]
    assert reason_of(lambda: own.connect(share=False)) in (2161, 2538)
    assert own.process is not None
    assert own.process.wait(60) == 0
    assert left(own) == [b"begun", b"goes on"]


@pytest.mark.parametrize("reconnect", [False, True], ids=["", "reconnecting"])
def test_who_retries_units_for_ever_does_not_hold_a_quiesce_up(own: Served, reconnect: bool) -> None:
    """The accident without that: `qmgr stop` waits for a program that tries again whatever comes."""
    over = threading.Event()
    reasons: set[int] = set()

    def retry() -> None:
        with contextlib.suppress(penstock.MQError):
            with own.connect(share=False, reconnect=reconnect, reconnect_timeout=1.0) as qm:
                while not over.is_set():
                    try:
                        with qm.unit_of_work():
                            qm.put("APP.Q", b"again", persistent=False)
                            qm.get("APP.Q", wait=0.0)
                    except penstock.MQError as failure:
                        reasons.add(failure.reason)

    program = threading.Thread(target=retry)
    program.start()
    told(own, "quiesce")
    try:
        assert own.process is not None
        assert own.process.wait(60) == 0
    finally:
        over.set()
        program.join(60)
    assert 2161 in reasons


def test_who_does_not_read_does_not_hold_a_quiesce_up(own: Served) -> None:
    """The accident without that: the queue manager waits until what it has written is read."""
    body, count = bytes(1_000_000), 30  # more than the buffers of a socket hold
    with own.connect(share=False) as qm:
        for _ in range(count):
            qm.put("APP.Q", body, persistent=False)

    async def ask_and_not_read() -> None:
        reader = await penstock.aio.connect(own.address())
        asking = [asyncio.create_task(reader.get("APP.Q")) for _ in range(count)]
        await asyncio.sleep(0)
        reader.link._transport.pause_reading()
        reader.link._looker.cancel()  # it does not mind that nothing comes
        with own.local() as admin:
            await asyncio.to_thread(until, lambda: admin.get("APP.Q") is None)
            admin.stop("quiesce")
        assert own.process is not None
        assert await asyncio.to_thread(own.process.wait, 60) == 0
        reader.link._transport.abort()
        await asyncio.gather(*asking, return_exceptions=True)

    asyncio.run(ask_and_not_read())


@pytest.mark.parametrize("way", ["plain", "handle"])
def test_a_get_in_a_unit_does_not_begin_to_wait_in_a_quiesce(own: Served, way: str) -> None:
    """The accident without that: the unit may be finished, and its get waits for what nobody puts."""
    qm = own.connect(share=False)
    handle = qm.open("APP.Q", penstock.Open.INPUT_SHARED)
    qm.begin()
    qm.put("APP.REPLIES", b"begun", persistent=True)
    told(own, "quiesce")
    wait_for_state(own, "Quiescing")

    get = handle.get if way == "handle" else lambda **more: qm.get("APP.Q", **more)
    assert reason_of(lambda: get(wait=None)) == 2161
    qm.commit()
    assert own.process is not None
    assert own.process.wait(60) == 0


@pytest.mark.parametrize("how", ["immediate", "preemptive"])
def test_the_harder_ways_back_units_out(own: Served, how: str) -> None:
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)

    told(own, how)
    assert own.process is not None
    assert own.process.wait(60) == 0

    assert reason_of(qm.commit) in (2009, 2162)
    assert left(own) == []


def test_a_second_signal_does_not_wait_for_units(own: Served) -> None:
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)

    told(own, "SIGTERM")
    until(lambda: reason_of(lambda: own.connect(share=False)) in (2161, 2538))
    told(own, "SIGTERM")

    assert own.process is not None
    assert own.process.wait(60) == 0
    assert left(own) == []


def state(own: Served) -> str:
    return state_of(own.folder / "lock")[0]


def wait_for_state(own: Served, wanted: str) -> None:
    until(lambda: state(own) == wanted)


@pytest.mark.parametrize("harder", ["immediate", "preemptive"])
def test_a_stop_under_way_is_seen_and_can_be_made_harder(own: Served, harder: str) -> None:
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)

    waiting = own.command("qmgr", "stop", "QM1", "--wait", "0.3")

    assert (waiting.returncode, "is stopping (quiesce)" in waiting.stdout) == (1, True)
    wait_for_state(own, "Quiescing")
    listed = json.loads(own.command("qmgr", "list", "--json").stdout)
    assert [each["status"] for each in listed] == ["Quiescing"]
    status = own.command("qmgr", "status", "QM1", "--json")
    assert (status.returncode, json.loads(status.stdout)["status"]) == (1, "Quiescing")
    display = own.command("mqsc", "QM1", "-c", "DISPLAY QMSTATUS STATUS")
    assert "STATUS(QUIESCING)" in display.stdout
    assert "Quiescing" in own.command("qmgr", "start", "QM1").stderr
    assert "2161" in own.command("put", "APP.Q", "new").stderr

    ended = own.command("qmgr", "stop", "QM1", f"--{harder}")

    assert (ended.returncode, "has stopped" in ended.stdout) == (0, True), ended.stderr
    assert own.process is not None
    assert own.process.wait(60) == 0
    assert (left(own), state(own)) == ([], "Ended")


def test_a_connection_for_commands_begins_no_work_and_holds_nobody_up(own: Served) -> None:
    admin = penstock.connect("QM1", home=own.home, commands_only=True)
    assert reason_of(lambda: admin.put("SECRET", b"x")) == 2035
    assert reason_of(lambda: admin.get("SECRET")) == 2035
    assert reason_of(lambda: admin.open("SECRET", 16)) == 2035
    assert reason_of(admin.prepared) == 2035
    assert reason_of(lambda: admin.batches.listing()) == 2035
    admin.close()
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)
    told(own, "quiesce")
    wait_for_state(own, "Quiescing")

    late = penstock.connect("QM1", home=own.home, commands_only=True, share=False)
    assert late.status().status == "QUIESCING"
    (reply,) = [each for each in late.mqsc("START LISTENER(SYSTEM.DEFAULT.LISTENER.TCP)") if each.failed]
    assert reply.reason == 2161
    qm.commit()
    qm.close()

    assert own.process is not None
    assert own.process.wait(60) == 0  # though `late` is still open


@pytest.mark.parametrize("first", ["SIGTERM", "SIGINT"])
def test_each_signal_makes_a_stop_harder(own: Served, first: str) -> None:
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)
    told(own, first)
    wait_for_state(own, "Quiescing")

    told(own, first)
    assert own.process is not None
    assert own.process.wait(60) == 0
    assert (left(own), state(own)) == ([], "Ended")


def test_signals_do_not_interrupt_the_last_checkpoint(own: Served) -> None:
    with own.local() as qm:
        for _ in range(20):
            qm.put_many("SECRET", [bytes(10_000)] * 100, persistent=True)

    assert own.process is not None
    while own.process.poll() is None:
        own.process.send_signal(signal.SIGTERM)
        time.sleep(0.002)

    assert own.process.returncode == 0
    assert state(own) == "Ended"


def test_a_stop_says_when_a_queue_manager_died_of_it(own: Served) -> None:
    qm = own.connect(share=False)
    qm.begin()
    qm.put("APP.Q", b"begun", persistent=True)
    told(own, "quiesce")
    wait_for_state(own, "Quiescing")
    stopping = Command(
        ["qmgr", "stop", "QM1"],
        env={**os.environ, "PENSTOCK_HOME": str(own.home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(0.5)
    own.kill()

    said, complained = stopping.communicate(timeout=60)
    late = "Ended unexpectedly" in complained  # it had not even begun to wait
    assert (stopping.returncode, late or "without its last checkpoint" in said) == (1, True)
    assert state(own) == "Ended unexpectedly"
    refused = own.command("qmgr", "stop", "QM1")
    assert (refused.returncode, "Ended unexpectedly" in refused.stderr) == (1, True)
    assert left(own) == []
    assert state(own) == "Ended"


def test_what_a_program_has_embedded_says_who_has_it(tmp_path: Path) -> None:
    own = Served(tmp_path)
    with penstock.embed("QM1", home=tmp_path):
        refused = own.command("qmgr", "stop", "QM1")
        assert (refused.returncode, f"process {os.getpid()} " in refused.stderr) == (1, True)
        status = own.command("qmgr", "status", "QM1", "--json")
        assert (status.returncode, json.loads(status.stdout)["holder"]["pid"]) == (0, os.getpid())


def test_status_of_one_that_does_not_run_shows_that_and_runs_nothing(tmp_path: Path) -> None:
    own = Served(tmp_path)
    before = [path.stat().st_mtime_ns for path in sorted(own.folder.rglob("*"))]

    status = own.command("qmgr", "status", "QM1", "--json")

    assert (status.returncode, json.loads(status.stdout)["status"]) == (1, "Ended")
    assert [path.stat().st_mtime_ns for path in sorted(own.folder.rglob("*"))] == before


ADMINISTRATORS = f"""
DEFINE CHANNEL(ADMIN.SVRCONN) CHLTYPE(SVRCONN) MCAUSER('{getpass.getuser()}')
SET CHLAUTH(ADMIN.SVRCONN) TYPE(BLOCKUSER) USERLIST('nobody')
ALTER AUTHINFO(SYSTEM.DEFAULT.AUTHINFO.IDPWOS) AUTHTYPE(IDPWOS) CHCKCLNT(OPTIONAL)
REFRESH SECURITY
"""


def test_a_queue_manager_is_stopped_by_its_address(own: Served) -> None:
    """`qmgr stop` with mq://: an administrator's channel stops it, and the command sees that it has gone."""
    with own.local() as admin:
        assert not [reply.text for reply in admin.mqsc(ADMINISTRATORS) if reply.failed]
    refused = own.command("qmgr", "stop", "--json", own.address())
    assert (refused.returncode, "2035" in refused.stderr) == (1, True)
    assert own.process is not None
    assert own.process.poll() is None

    done = own.command("qmgr", "stop", "--json", "--immediate", own.address("ADMIN.SVRCONN"))

    assert done.stderr == ""
    assert done.returncode == 0
    assert json.loads(done.stdout)["stopped"]
    assert own.process.wait(60) == 0
