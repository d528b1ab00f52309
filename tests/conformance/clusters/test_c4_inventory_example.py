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
