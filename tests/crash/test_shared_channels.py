"""Shared channels: one member sends from a shared transmission queue, and a peer goes on when it dies."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock.model import constants as mq
from tests.channel_pairs import refusal, run, status
from tests.group_servers import GroupServers, group_servers
from tests.patience import until
from tests.postgresql import restartable_server

pytestmark = [
    pytest.mark.crash,
    pytest.mark.skipif(os.environ.get("PENSTOCK_UNCOMPILED", "0") != "0", reason="runs the installed server"),
]


@pytest.fixture
def servers(postgresql: str, tmp_path: Path) -> Iterator[GroupServers]:
    with group_servers(postgresql, tmp_path) as found:
        yield found


def put(qm: Any, first: int, count: int, persistent: bool = True) -> None:
    with qm.unit_of_work():
        for number in range(first, first + count):
            qm.put("CH.R", b"%d" % number, persistent=persistent)


def arrived(servers: GroupServers, count: int) -> list[int]:
    out, found = servers.admins["OUT"], []
    for _ in range(count):
        message = out.get("CH.T", wait=60)
        assert message is not None, f"{len(found)} of {count}"
        found.append(int(message.body))
    assert out.get("CH.T") is None
    return found


def test_a_peer_goes_on_with_the_channel_of_a_dead_member(servers: GroupServers) -> None:
    servers.link("CH")
    one, two = servers.admins["QM1"], servers.admins["QM2"]
    run(one, "START CHANNEL(CH) CHLDISP(SHARED)")
    put(two, 0, 120)
    assert arrived(servers, 120) == list(range(120))
    put(one, 120, 5, persistent=False)
    assert arrived(servers, 5) == list(range(120, 125))
    row = status(one, "CH")
    assert (row["STATUS"], row["CHLDISP"], row["QMNAME"]) == ("RUNNING", "SHARED", "QM1")
    until(lambda: status(two, "CH", "CHLDISP(SHARED) ALL").get("STATUS") == "RUNNING")
    elsewhere = status(two, "CH")
    assert (elsewhere["QMNAME"], elsewhere["XMITQ"], elsewhere["RQMNAME"]) == ("QM1", "CH.X", "OUT")
    assert status(two, "CH", "CHLDISP(PRIVATE) ALL") == {}
    servers.kill("QM1")
    put(two, 125, 120)
    assert arrived(servers, 120) == list(range(125, 245))
    assert status(two, "CH")["QMNAME"] == "QM2"
    servers.start("QM1")
    put(servers.admins["QM1"], 245, 10)
    assert arrived(servers, 10) == list(range(245, 255))
    assert servers.rows("select count(*) from held_unit") == [(0,)]


def test_any_member_stops_and_starts_the_channel(servers: GroupServers) -> None:
    servers.link("CH")
    one, two = servers.admins["QM1"], servers.admins["QM2"]
    assert "does not fit" in refusal(one, "START CHANNEL(CH) CHLDISP(PRIVATE)").text
    put(one, 0, 3)
    assert arrived(servers, 3) == [0, 1, 2]  # a trigger has started it
    run(two, "STOP CHANNEL(CH)")
    for qm in (one, two):
        until(lambda qm=qm: status(qm, "CH").get("STATUS") == "STOPPED")  # type: ignore[misc]
    put(one, 3, 3)
    time.sleep(1.5)
    assert servers.admins["OUT"].get("CH.T") is None
    run(two, "START CHANNEL(CH)")
    assert arrived(servers, 3) == [3, 4, 5]
    assert status(two, "CH")["STATUS"] == "RUNNING"
    for qm in (one, two):  # QM2 runs it
        for command in ("RESET CHANNEL(CH) SEQNUM(1)", "RESOLVE CHANNEL(CH) ACTION(BACKOUT)"):
            assert refusal(qm, command).reason in (mq.MQRC_OBJECT_IN_USE, mq.MQRCCF_CHANNEL_IN_USE)


def stopped(servers: GroupServers, name: str) -> None:
    run(servers.admins[name], "STOP CHANNEL(CH)")
    for member in ("QM1", "QM2"):
        until(lambda member=member: status(servers.admins[member], "CH").get("STATUS") == "STOPPED")  # type: ignore[misc]
    until(lambda: servers.rows("select count(*) from opened where exclusive") == [(0,)])


def test_any_member_resets_the_numbers_of_the_channel_at_both_ends(servers: GroupServers) -> None:
    servers.link("CH")
    one, two = servers.admins["QM1"], servers.admins["QM2"]
    assert "begin with 1" in refusal(one, "RESET CHANNEL(CH) SEQNUM(5)").text
    run(one, "START CHANNEL(CH)")
    put(one, 0, 7)
    assert arrived(servers, 7) == list(range(7))
    stopped(servers, "QM1")
    run(two, "RESET CHANNEL(CH) SEQNUM(100)")
    put(one, 7, 3)
    for starter, last in ((two, 102), (one, 105)):  # the second start has nothing to reset
        run(starter, "START CHANNEL(CH)")
        assert arrived(servers, 3) == [7, 8, 9]
        until(lambda last=last: servers.rows("select seq, reset from channel_sync") == [(last, 0)])  # type: ignore[misc]
        stopped(servers, "QM1")
        put(one, 7, 3)


@pytest.mark.parametrize("action", ["COMMIT", "BACKOUT"])
def test_any_member_resolves_batches_in_doubt_by_hand(servers: GroupServers, action: str) -> None:
    """The partner dies with a batch whose end it does not answer; the group is told what became of it."""
    servers.link("CH")
    one, two = servers.admins["QM1"], servers.admins["QM2"]
    assert "no batch in doubt" in refusal(one, f"RESOLVE CHANNEL(CH) ACTION({action})").text
    run(one, "START CHANNEL(CH)")
    put(one, 0, 3)
    arrived(servers, 3)
    servers.served["OUT"].process.send_signal(signal.SIGSTOP)
    put(one, 3, 3)
    until(lambda: servers.rows("select count(*) from held_unit") == [(1,)])
    run(one, "STOP CHANNEL(CH) MODE(FORCE)")
    stopped(servers, "QM1")
    servers.kill("OUT")
    assert refusal(two, "RESET CHANNEL(CH) SEQNUM(1)").reason == mq.MQRCCF_CHANNEL_INDOUBT
    run(two, f"RESOLVE CHANNEL(CH) ACTION({action})")
    assert servers.rows("select count(*) from held_unit") == [(0,)]
    kept = 0 if action == "COMMIT" else 3
    assert servers.rows("select count(*) from p") == [(kept,)]


def test_a_receiving_channel_puts_to_shared_queues(servers: GroupServers) -> None:
    servers.link("CH")
    run(
        servers.admins["QM1"],
        "DEFINE CHANNEL(IN) CHLTYPE(RCVR)\nDEFINE QLOCAL(S) QSGDISP(SHARED) CFSTRUCT(APPL1)",
    )
    run(
        servers.admins["OUT"],
        "DEFINE QLOCAL(IN.X) USAGE(XMITQ)\nDEFINE QREMOTE(IN.R) RNAME(S) RQMNAME(QM1) XMITQ(IN.X)\n"
        f"DEFINE CHANNEL(IN) CHLTYPE(SDR) XMITQ(IN.X) CONNAME('127.0.0.1({servers.ports['QM1']})')\n"
        "START CHANNEL(IN)",
    )
    until(lambda: status(servers.admins["OUT"], "IN").get("STATUS") == "RUNNING")
    for number in range(3):  # one by one: nothing else has the journal written
        servers.admins["OUT"].put("IN.R", b"%d" % number, persistent=True)
        found = servers.admins["QM2"].get("S", wait=60)
        assert found.body == b"%d" % number


def test_each_message_arrives_once_though_members_partner_and_server_die(tmp_path: Path, scale: int) -> None:
    chance = random.Random(7)
    with restartable_server() as server, group_servers(server.url, tmp_path) as servers:
        servers.link("CH", "BATCHSZ(5)")
        sent = 0
        accidents = ["QM1", "QM2", "OUT", "server"] * scale
        for victim in accidents:
            for _ in range(20):
                sent = put_again(servers, sent)
            time.sleep(chance.random() * 0.2)
            if victim == "server":
                server.stop_at_once()
                server.start()
            else:
                servers.kill(victim)
                servers.start(victim)
        assert arrived(servers, sent) == sorted(range(sent))


def put_again(servers: GroupServers, sent: int) -> int:
    """Put a unit of ten at a member that takes it; return the next number."""
    while True:
        for name in ("QM1", "QM2"):
            try:
                put(servers.admins[name], sent, 10)
            except penstock.MQError as failure:
                assert failure.reason in (2003, 2345, 2009), failure
                time.sleep(0.05)
            else:
                return sent + 10
