"""C4: the inventory example: a queue is hosted, a second host joins, work is shared, a member leaves.

The steps are plain MQSC, as administrators give them; TORONTO joins a cluster that runs.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import penstock
from tests.channel_pairs import bodies
from tests.cluster_group import Group
from tests.conformance.clusters.test_a10_who_knows_what import rows
from tests.patience import until
from tests.ports import free_port

pytestmark = pytest.mark.xdist_group("cluster")


@pytest.fixture(scope="module")
def toronto(group: Group, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Group]:
    """A fourth queue manager, not in the cluster yet, with the addresses of the others."""
    alone = Group(tmp_path_factory.mktemp("toronto"), ("TORONTO",))
    alone.ports.update(group.ports)
    yield alone
    alone.stop()


def hosts(group: Group, at: str, queue: str) -> set[str]:
    return {str(row["CLUSQMGR"]) for row in rows(group[at], f"DISPLAY QCLUSTER({queue}) ALL")}


def test_inventory_example(group: Group, toronto: Group) -> None:
    group.run("NEWYORK", "DEFINE QLOCAL(INVENTQ) CLUSTER(INVENTORY)")
    until(lambda: hosts(group, "LONDON", "INVENTQ") == {"NEWYORK"})
    group["LONDON"].put("INVENTQ", b"order from London")
    assert bodies(group["NEWYORK"], "INVENTQ", 1) == [b"order from London"]

    _who_is_not_admitted_does_not_join(group, toronto)
    _a_member_joins_that_hosts_the_queue(group, toronto)
    _a_member_replies_to_one_that_it_has_not_known(group, toronto)
    _the_member_is_found_without_a_connection_name(group, toronto)
    _the_queue_is_taken_away_from_one(group, toronto)
    _the_member_leaves(group, toronto)
    group.run("NEWYORK", "DELETE QLOCAL(INVENTQ) PURGE")


def _who_is_not_admitted_does_not_join(group: Group, toronto: Group) -> None:
    rule = "SET CHLAUTH('INVENT.*') TYPE(QMGRMAP) QMNAME(TORONTO)"
    group.run("NEWYORK", f"{rule} USERSRC(NOACCESS)")
    toronto.join("TORONTO", "INVENTORY", "NEWYORK")

    def is_refused() -> bool:
        shown = rows(toronto["TORONTO"], "DISPLAY CLUSQMGR(*) WHERE(CHANNEL EQ INVENT.NEWYORK) STATUS")
        return [row["STATUS"] for row in shown] == ["RETRYING"]

    until(is_refused)
    assert "TORONTO" not in group.members("NEWYORK")
    group.run("NEWYORK", f"{rule} ACTION(REMOVE)")


def _a_member_joins_that_hosts_the_queue(group: Group, toronto: Group) -> None:
    toronto.run("TORONTO", "DEFINE QLOCAL(INVENTQ) CLUSTER(INVENTORY) DEFBIND(NOTFIXED)")
    group.run("NEWYORK", "ALTER QLOCAL(INVENTQ) DEFBIND(NOTFIXED)")
    for name in ("LONDON", "NEWYORK"):
        until(lambda name=name: hosts(group, name, "INVENTQ") == {"NEWYORK", "TORONTO"})
    until(lambda: not rows(group["LONDON"], "DISPLAY QCLUSTER(INVENTQ) WHERE(DEFBIND EQ OPEN)"))

    for _ in range(10):
        group["LONDON"].put("INVENTQ", b"shared")

    until(lambda: group.depth("NEWYORK", "INVENTQ") + toronto.depth("TORONTO", "INVENTQ") == 10)
    assert min(group.depth("NEWYORK", "INVENTQ"), toronto.depth("TORONTO", "INVENTQ")) >= 1


def _a_member_replies_to_one_that_it_has_not_known(group: Group, toronto: Group) -> None:
    """PARIS and TORONTO are partial repositories: a server program knows the names of the reply-to queue."""
    group.run("PARIS", "DEFINE QLOCAL(REPLIES)")
    assert "PARIS" not in toronto.members("TORONTO")

    toronto["TORONTO"].put("REPLIES", b"reply", qmgr="PARIS")

    assert bodies(group["PARIS"], "REPLIES", 1) == [b"reply"]
    with pytest.raises(penstock.MQError) as failed:
        toronto["TORONTO"].put("REPLIES", b"reply", qmgr="NOWHERE")
    assert failed.value.reason == 2087


def _the_member_is_found_without_a_connection_name(group: Group, toronto: Group) -> None:
    """As with DHCP: an empty CONNAME is the address of a listener, and `(port)` has its host."""

    def conname() -> str:
        return str(group.members("LONDON")["TORONTO"]["CONNAME"])

    toronto.run("TORONTO", "ALTER CHANNEL(INVENT.TORONTO) CHLTYPE(CLUSRCVR) CONNAME(' ')")
    assert not str(rows(toronto["TORONTO"], "DISPLAY CHANNEL(INVENT.TORONTO) CONNAME")[0]["CONNAME"]).strip()
    until(lambda: conname() == toronto.address("TORONTO"))
    port = free_port()
    toronto.run("TORONTO", f"DEFINE LISTENER(SECOND) TRPTYPE(TCP) PORT({port})\nSTART LISTENER(SECOND)")
    toronto.run("TORONTO", f"ALTER CHANNEL(INVENT.TORONTO) CHLTYPE(CLUSRCVR) CONNAME('({port})')")
    until(lambda: conname() == f"127.0.0.1({port})")


def _the_queue_is_taken_away_from_one(group: Group, toronto: Group) -> None:
    before = toronto.depth("TORONTO", "INVENTQ")
    toronto.run("TORONTO", "ALTER QLOCAL(INVENTQ) CLUSTER(' ')")
    until(lambda: hosts(group, "LONDON", "INVENTQ") == {"NEWYORK"})

    for _ in range(4):
        group["LONDON"].put("INVENTQ", b"after")

    until(lambda: group.depth("NEWYORK", "INVENTQ") == 14 - before)
    assert toronto.depth("TORONTO", "INVENTQ") == before  # nothing that waits there is lost


def _the_member_leaves(group: Group, toronto: Group) -> None:
    toronto.run("TORONTO", "SUSPEND QMGR CLUSTER(INVENTORY)")
    until(lambda: group.members("LONDON")["TORONTO"]["SUSPEND"] == "YES")
    toronto.run("TORONTO", "ALTER CHANNEL(INVENT.TORONTO) CHLTYPE(CLUSRCVR) CLUSTER(' ')")
    for name in ("LONDON", "NEWYORK"):
        until(lambda name=name: "TORONTO" not in group.members(name))
    toronto.run("TORONTO", "ALTER CHANNEL(INVENT.NEWYORK) CHLTYPE(CLUSSDR) CLUSTER(' ')")
    with pytest.raises(penstock.MQError) as failed:
        group["LONDON"].put("INVENTQ", b"", qmgr="TORONTO")
    assert failed.value.reason in (2087, 2189)
