"""A uniform cluster: reconnectable clients of one application are spread evenly over its members."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import penstock
from penstock import BackedOut, aio
from tests.conformance.client.test_connection_lists import write_table
from tests.conformance.clusters.test_a10_who_knows_what import rows
from tests.patience import until
from tests.ports import free_port
from tests.served import SCRIPT, Served

pytestmark = pytest.mark.xdist_group("cluster")
CLIENTS = 4


class Uniform:
    """UNI1 and UNI2, configured by the AutoCluster stanza alone."""

    def __init__(self, home: Path) -> None:
        self.names = ("UNI1", "UNI2")
        self.ports = {name: free_port() for name in self.names}
        self.served = {}
        for name in self.names:
            own = f"127.0.0.1({self.ports[name]})"
            receiver = (
                f"DEFINE CHANNEL(UNI_{name}) CHLTYPE(CLUSRCVR) CONNAME('{own}') CLUSTER(UNI) SHORTTMR(1)\n"
                "DEFINE QLOCAL(WORK) MAXDEPTH(900000) REPLACE\n"
                "SET AUTHREC PROFILE(WORK) OBJTYPE(QUEUE) PRINCIPAL('app') AUTHADD(ALLMQI)\n"
            )
            served = self.served[name] = Served(home, name, SCRIPT + receiver)
            with (served.folder / "qm.ini").open("a") as ini:
                ini.write("AutoCluster:\n   ClusterName=UNI\n   Type=Uniform\n")
                for number, each in enumerate(self.names, 1):
                    ini.write(f"   Repository{number}Name={each}\n")
                    ini.write(f"   Repository{number}Conname=127.0.0.1({self.ports[each]})\n")
            served.start(self.ports[name])
        self.admins = {name: served.local() for name, served in self.served.items()}

    def address(self) -> str:
        hosts = ",".join(f"127.0.0.1:{self.ports[name]}" for name in self.names)
        return f"mq://{hosts}/?channel=APP.SVRCONN"

    def stop(self) -> None:
        for name, served in self.served.items():
            self.admins[name].close()
            served.stop()


@pytest.fixture(scope="module")
def uniform(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Uniform]:
    running = Uniform(tmp_path_factory.mktemp("uniform"))
    yield running
    running.stop()


def shares(uniform: Uniform, application: str) -> list[int]:
    found = rows(uniform.admins["UNI1"], f"DISPLAY APSTATUS('{application}') TYPE(QMGR)")
    return [row["COUNT"] for row in sorted(found, key=lambda row: str(row["QMNAME"]))]


def test_clients_are_spread_evenly_and_lose_nothing(uniform: Uniform) -> None:
    clients = [
        penstock.connect(uniform.address(), application="worker", reconnect=True) for _ in range(CLIENTS)
    ]
    sent = 0

    def work() -> Any:
        nonlocal sent
        for client in clients:
            with client.unit_of_work():
                client.put("WORK", b"%d" % sent, persistent=True)
            client.put("WORK", b"%d" % (sent + 1))
            sent += 2
        return shares(uniform, "worker") == [2, 2]

    assert {client.name for client in clients} == {"UNI1"}
    until(work)

    balanced = {"APPLNAME": "worker", "TYPE": "APPL", "CLUSTER": "UNI"}
    balanced |= {"COUNT": 4, "MOVCOUNT": 4, "BALANCED": "YES"}
    until(lambda: rows(uniform.admins["UNI2"], "DISPLAY APSTATUS('worker')") == [balanced])
    local = rows(uniform.admins["UNI2"], "DISPLAY APSTATUS('worker') TYPE(LOCAL)")
    assert [(each["CONNS"], each["MOVABLE"]) for each in local] == [(1, "YES"), (1, "YES")]
    assert sorted(client.name for client in clients) == ["UNI1", "UNI1", "UNI2", "UNI2"]
    bodies = [int(qm.get("WORK").body) for qm in uniform.admins.values() for _ in range(depth(qm))]
    assert sorted(bodies) == list(range(sent))
    for client in clients:
        client.close()


@contextmanager
def suspended(uniform: Uniform) -> Iterator[None]:
    """Suspend UNI1, so that its clients are moved; then clear the queues."""
    uniform.admins["UNI1"].mqsc("SUSPEND QMGR CLUSTER(UNI)")
    yield
    uniform.admins["UNI1"].mqsc("RESUME QMGR CLUSTER(UNI)")
    for qm in uniform.admins.values():
        qm.mqsc("CLEAR QLOCAL(WORK)")


def here(uniform: Uniform, application: str, member: str = "UNI1") -> list[dict[str, Any]]:
    return rows(uniform.admins[member], f"DISPLAY APSTATUS('{application}') TYPE(LOCAL)")


def work_until_moved(uniform: Uniform, client: Any) -> None:
    with client.unit_of_work():
        client.put("WORK", b"backed out")
        assert [row["IMMREASN"] for row in here(uniform, "long")] in (["INTRANS"], ["MOVING"])
        until(lambda: not here(uniform, "long"))
        client.put("WORK", b"too late")


@pytest.mark.parametrize("give", ["program", "file"])
def test_a_long_unit_of_work_is_backed_out_when_the_time_to_move_is_up(
    uniform: Uniform, give: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ini = tmp_path / "mqclient.ini"
    ini.write_text("Application:\n   Name=long\n   Type=Simple\n   BalanceTimeout=1\n")
    monkeypatch.setenv("MQCLNTCF", str(ini) if give == "file" else "")
    balancing = penstock.Balancing(timeout=1) if give == "program" else None
    client = penstock.connect(uniform.address(), application="long", reconnect=True, balancing=balancing)
    (row,) = until(lambda: here(uniform, "long"))
    assert (row["BALTYPE"], row["BALTMOUT"], row["BALOPTS"]) == ("SIMPLE", 1, "NONE")

    with suspended(uniform):
        with pytest.raises(BackedOut):
            work_until_moved(uniform, client)
        client.put("WORK", b"at the other member")

        assert client.name == "UNI2"
        assert [depth(qm) for qm in uniform.admins.values()] == [0, 1]
        client.close()


def test_a_requester_gets_its_reply_before_it_is_moved(uniform: Uniform) -> None:
    never = penstock.Balancing("REQREP", timeout=None)
    client = penstock.connect(uniform.address(), application="asker", reconnect=True, balancing=never)
    client.put("WORK", b"a request, and its own reply")

    with suspended(uniform):
        until(lambda: [row["IMMREASN"] for row in here(uniform, "asker")] == ["MOVING"])
        reply = client.get("WORK", wait=60)
        assert (reply.body, client.name) == (b"a request, and its own reply", "UNI1")
        client.put("WORK", b"the next request")

        assert client.name == "UNI2"
        client.close()


def test_connections_with_one_tag_are_one_instance_and_move_together(uniform: Uniform) -> None:
    clients = [
        penstock.connect(uniform.address(), application="pair", reconnect=True, connection_tag="THE.PAIR")
        for _ in range(2)
    ]
    found = until(lambda: here(uniform, "pair"))
    assert [(row["CONNS"], row["CONNTAG"]) for row in found] == [(2, "THE.PAIR")]
    until(lambda: shares(uniform, "pair") == [1, 0])

    with suspended(uniform):
        until(lambda: all(client.put("WORK", b"") and client.name == "UNI2" for client in clients))
        until(lambda: shares(uniform, "pair") == [0, 1])
        for client in clients:
            client.close()


def depth(qm: Any) -> int:
    (row,) = rows(qm, "DISPLAY QSTATUS(WORK) CURDEPTH")
    return int(row["CURDEPTH"])


def test_waiting_gets_move_too_and_a_suspended_member_gets_none(uniform: Uniform) -> None:
    async def listen() -> list[str]:
        made = [
            await aio.connect(uniform.address(), application="listener", reconnect=True) for _ in range(2)
        ]
        waiting = [asyncio.create_task(each.get("WORK", wait=300)) for each in made]
        await asyncio.to_thread(until, lambda: shares(uniform, "listener") == [1, 1])
        uniform.admins["UNI1"].mqsc("SUSPEND QMGR CLUSTER(UNI)")
        await asyncio.to_thread(until, lambda: shares(uniform, "listener") == [0, 2])
        for _ in made:
            uniform.admins["UNI2"].put("WORK", b"arrived")
        bodies = [bytes((await each).body) for each in waiting]
        for each in made:
            await each.close()
        return [body.decode() for body in bodies]

    try:
        assert asyncio.run(listen()) == ["arrived", "arrived"]
    finally:
        uniform.admins["UNI1"].mqsc("RESUME QMGR CLUSTER(UNI)")


def test_a_client_of_a_channel_table_goes_by_what_the_table_says_now(
    uniform: Uniform, tmp_path: Path
) -> None:
    """It names the group that the client asked for, and each queue manager, as published tables do."""
    table, one = tmp_path / "ccdt.json", uniform.ports["UNI1"]
    write_table(table, ("APP.SVRCONN", one, "ANY"), ("APP.SVRCONN", free_port(), "ANY"))
    client = penstock.connect("*ANY", ccdt=table, application="reader", reconnect=True, share=False)
    assert client.name == "UNI1"

    rows_of_both = [("APP.SVRCONN", uniform.ports[name], name) for name in uniform.names]
    write_table(table, ("APP.SVRCONN", one, "ANY"), *rows_of_both)
    uniform.admins["UNI1"].mqsc("SUSPEND QMGR CLUSTER(UNI)")
    try:
        until(lambda: client.put("WORK", b"") and client.name == "UNI2")
    finally:
        uniform.admins["UNI1"].mqsc("RESUME QMGR CLUSTER(UNI)")
        client.close()
        for qm in uniform.admins.values():
            qm.mqsc("CLEAR QLOCAL(WORK)")


def test_a_client_that_does_not_reconnect_stays(uniform: Uniform) -> None:
    client = penstock.connect(uniform.address(), application="fixed", share=False)

    found = until(lambda: rows(uniform.admins["UNI1"], "DISPLAY APSTATUS('fixed') TYPE(LOCAL)"))

    assert [(row["MOVABLE"], row["IMMREASN"]) for row in found] == [("NO", "NOTRECONN")]
    client.close()
