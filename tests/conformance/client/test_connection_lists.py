"""Clause 9: a client finds queue managers by a list of hosts, a channel table or MQSERVER."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq
from tests.conformance.client.conftest import Running, make
from tests.ports import free_port

pytestmark = pytest.mark.installed


@pytest.fixture(scope="module")
def members(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Running]]:
    """Two running queue managers, MEM1 and MEM2, in different homes than the clients'."""
    found = []
    for name in ("MEM1", "MEM2"):
        home = tmp_path_factory.mktemp(name)
        make(home, name)
        found.append(Running(home, name))
        found[-1].start()
    yield found
    for each in found:
        each.stop()


def write_table(path: Path, *rows: tuple[str, int, str], **management: Any) -> Path:
    channels = [
        {
            "name": name,
            "type": "clientConnection",
            "clientConnection": {"connection": [{"host": "127.0.0.1", "port": port}], "queueManager": qmgr},
            "connectionManagement": management,
        }
        for name, port, qmgr in rows
    ]
    path.write_text(json.dumps({"channel": channels}))
    return path


def connected(where: str, **more: Any) -> list[str]:
    """Return the names of the queue managers that both kinds of clients reach."""

    async def asynchronously() -> str:
        async with await penstock.aio.connect(where, **more) as qm:
            return qm.name

    with penstock.connect(where, **more) as qm:
        return [qm.name, asyncio.run(asynchronously())]


def test_the_next_host_of_a_list_is_taken(members: list[Running]) -> None:
    one, two = members
    where = f"mq://127.0.0.1:{free_port()},127.0.0.1:{one.port},127.0.0.1:{two.port}"
    assert connected(f"{where}/MEM2?channel=TEST.SVRCONN") == ["MEM2", "MEM2"]
    assert connected(f"{where}/*?channel=TEST.SVRCONN") == ["MEM1", "MEM1"]
    assert connected(f"{where}?channel=TEST.SVRCONN") == ["MEM1", "MEM1"]


def test_an_error_tells_what_became_of_every_host(members: list[Running]) -> None:
    away = free_port()
    where = f"mq://127.0.0.1:{members[0].port},127.0.0.1:{away}/NOWHERE?channel=TEST.SVRCONN"
    with pytest.raises(penstock.MQError) as failure:
        penstock.connect(where)
    assert failure.value.reason == 2538
    assert failure.value.fields["reasons"] == [2058, 2538]
    assert f"127.0.0.1({away})" in failure.value.detail


def test_a_table_leads_to_a_name_or_to_any_member_of_a_group(
    members: list[Running], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = members
    rows = [("TEST.SVRCONN", one.port, "GRP"), ("TEST.SVRCONN", two.port, "GRP")]
    named = [("TEST.SVRCONN", one.port, "MEM1"), ("TEST.SVRCONN", one.port, "MEM2")]
    file = write_table(tmp_path / "ccdt.json", *rows, *named, ("TEST.SVRCONN", two.port, "MEM2"))
    assert connected("MEM2", ccdt=file) == ["MEM2", "MEM2"]
    assert set(connected("*GRP", ccdt=file)) <= {"MEM1", "MEM2"}
    monkeypatch.setenv("MQCCDTURL", file.as_uri())
    assert connected("MEM1") == ["MEM1", "MEM1"]
    monkeypatch.setenv("MQSERVER", f"TEST.SVRCONN/TCP/127.0.0.1({two.port})")
    assert connected("MEM2") == ["MEM2", "MEM2"]


def test_connections_of_one_process_spread_over_a_group(members: list[Running], tmp_path: Path) -> None:
    rows = [("TEST.SVRCONN", each.port, "GRP") for each in members]
    file = write_table(tmp_path / "ccdt.json", *rows, clientWeight=1, affinity="none")
    opened = [penstock.connect("*GRP", ccdt=file) for _ in range(40)]
    names = {qm.name for qm in opened}
    for qm in opened:
        qm.close()
    assert names == {"MEM1", "MEM2"}


def test_a_name_of_this_machine_comes_before_the_environment(
    members: list[Running], server: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MQSERVER", f"TEST.SVRCONN/TCP/127.0.0.1({members[0].port})")
    assert connected("QM1") == ["QM1", "QM1"]


def test_a_group_without_a_table_says_what_to_give(fails: Callable[[int], Any]) -> None:
    with fails(2058) as failure:
        penstock.connect("*GRP")
    assert "MQCCDTURL" in str(failure.value)


def test_the_command_line_takes_a_table(members: list[Running], tmp_path: Path) -> None:
    file = write_table(tmp_path / "ccdt.json", ("TEST.SVRCONN", members[0].port, "GRP"))
    command = [
        sys.executable,
        "-m",
        "penstock.cli.main",
        "put",
        "Q",
        "hello",
        "--qmgr",
        "*GRP",
        "--ccdt",
        str(file),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    with penstock.connect(members[0].address) as qm:
        assert qm.get("Q", wait=60.0).body == b"hello"


@pytest.mark.parametrize("asked", [True, None])
def test_a_connection_comes_back_at_another_member(tmp_path: Path, asked: bool | None) -> None:
    """The handle is opened again there; DEFRECON of the table is enough."""
    running = []
    for name in ("MEM3", "MEM4"):
        make(tmp_path / name, name)
        running.append(Running(tmp_path / name, name))
        running[-1].start()
    one, two = running
    rows = [("TEST.SVRCONN", one.port, "GRP"), ("TEST.SVRCONN", two.port, "GRP")]
    file = write_table(tmp_path / "ccdt.json", *rows, defaultReconnect="yes")
    events: list[int] = []
    try:
        with penstock.connect(
            "*GRP",
            ccdt=file,
            reconnect=asked,
            reconnect_timeout=60,
            on_event=lambda e: events.append(e.reason),
        ) as qm:
            handle = qm.open("Q", mq.MQOO_OUTPUT | mq.MQOO_INPUT_SHARED)
            assert qm.name == "MEM3"
            one.kill()
            assert qm.get("Q") is None
            handle.put(b"at the other one")
            assert qm.name == "MEM4"
        with penstock.connect(two.address) as qm:
            assert qm.get("Q", wait=60.0).body == b"at the other one"
    finally:
        one.kill()
        two.stop()
    assert events == [2544, 2545]
