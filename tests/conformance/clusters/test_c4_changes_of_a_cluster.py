"""C4: a full repository is moved, a network of channels becomes a cluster, a gateway joins two clusters."""

from __future__ import annotations

import pytest

from tests.channel_pairs import bodies
from tests.cluster_group import QUICK, Group
from tests.conformance.clusters.test_a10_who_knows_what import rows
from tests.patience import until

pytestmark = pytest.mark.xdist_group("cluster")


def sender(group: Group, channel: str, target: str, cluster: str) -> str:
    place = f"CONNAME('{group.address(target)}') CLUSTER({cluster})"
    return f"DEFINE CHANNEL({channel}) CHLTYPE(CLUSSDR) TRPTYPE(TCP) {place} {QUICK} REPLACE"


def receiver(group: Group, channel: str, own: str, cluster: str) -> str:
    return sender(group, channel, own, cluster).replace("CLUSSDR", "CLUSRCVR")


def unused(channel: str, kind: str = "CLUSSDR") -> str:
    return f"ALTER CHANNEL({channel}) CHLTYPE({kind}) CLUSTER(' ')"


def until_full(group: Group, names: set[str]) -> None:
    """Wait until every member knows these full repositories, and no others."""
    for name in group.names:
        until(
            lambda name=name: (
                {each for each, row in group.members(name).items() if row["QMTYPE"] == "REPOS"} == names
            )
        )


def until_hosted(group: Group, at: str, queue: str, cluster: str) -> None:
    until(lambda: any(row["CLUSTER"] == cluster for row in rows(group[at], f"DISPLAY QCLUSTER({queue})")))


def test_a_full_repository_is_moved_and_every_put_succeeds_meanwhile(group: Group) -> None:
    group.run("NEWYORK", "DEFINE QLOCAL(C4.MOVED) CLUSTER(INVENTORY) REPLACE")
    group["PARIS"].put("C4.MOVED", b"1")
    group.run(
        "PARIS", f"{sender(group, 'INVENT.NEWYORK', 'NEWYORK', 'INVENTORY')}\nALTER QMGR REPOS(INVENTORY)"
    )
    group.run("LONDON", sender(group, "INVENT.PARIS", "PARIS", "INVENTORY"))
    until_full(group, {"LONDON", "NEWYORK", "PARIS"})
    group["PARIS"].put("C4.MOVED", b"2")

    group.run("NEWYORK", "ALTER QMGR REPOS(' ')")
    group["PARIS"].put("C4.MOVED", b"3")
    until_full(group, {"LONDON", "PARIS"})
    group.run("PARIS", "DEFINE QLOCAL(C4.LATER) CLUSTER(INVENTORY) REPLACE")
    until_hosted(group, "LONDON", "C4.LATER", "INVENTORY")
    group["NEWYORK"].put("C4.LATER", b"by a member that has to ask now")

    assert bodies(group["PARIS"], "C4.LATER", 1) == [b"by a member that has to ask now"]
    group.run("NEWYORK", "ALTER QMGR REPOS(INVENTORY)")
    until_full(group, {"LONDON", "NEWYORK", "PARIS"})
    group.run("PARIS", f"ALTER QMGR REPOS(' ')\n{unused('INVENT.NEWYORK')}")
    group.run("LONDON", unused("INVENT.PARIS"))
    until_full(group, {"LONDON", "NEWYORK"})
    group["PARIS"].put("C4.MOVED", b"4")
    assert bodies(group["NEWYORK"], "C4.MOVED", 4) == [b"1", b"2", b"3", b"4"]
    group.run("PARIS", "DELETE QLOCAL(C4.LATER) PURGE")


def test_a_network_of_channels_becomes_a_cluster(group: Group) -> None:
    group.run(
        "PARIS",
        "DEFINE QLOCAL(C4.PRICES) REPLACE\n"
        "DEFINE CHANNEL(C4.LONDON.PARIS) CHLTYPE(RCVR) TRPTYPE(TCP) REPLACE",
    )
    group.run(
        "LONDON",
        "DEFINE QLOCAL(C4.TO.PARIS) USAGE(XMITQ) REPLACE\n"
        "DEFINE QREMOTE(C4.PRICES) RNAME(C4.PRICES) RQMNAME(PARIS) XMITQ(C4.TO.PARIS) REPLACE\n"
        f"DEFINE CHANNEL(C4.LONDON.PARIS) CHLTYPE(SDR) CONNAME('{group.address('PARIS')}')"
        f" XMITQ(C4.TO.PARIS) {QUICK} REPLACE",
    )
    group["LONDON"].put("C4.PRICES", b"waits for the channel")

    group.run("PARIS", "ALTER QLOCAL(C4.PRICES) CLUSTER(INVENTORY)")
    until_hosted(group, "LONDON", "C4.PRICES", "INVENTORY")
    group.run("LONDON", "DELETE QREMOTE(C4.PRICES)")
    group["LONDON"].put("C4.PRICES", b"by the cluster")
    group.run("LONDON", "START CHANNEL(C4.LONDON.PARIS)")

    assert set(bodies(group["PARIS"], "C4.PRICES", 2)) == {b"waits for the channel", b"by the cluster"}
    group.run("LONDON", "STOP CHANNEL(C4.LONDON.PARIS)")


def test_a_gateway_leads_from_one_cluster_to_another(group: Group) -> None:
    """LONDON knows FRONT, NEWYORK knows BACK, PARIS both: an alias in FRONT leads to a queue of BACK."""
    for cluster, member in (("FRONT", "LONDON"), ("BACK", "NEWYORK")):
        group.run(
            "PARIS",
            f"{receiver(group, f'{cluster}.PARIS', 'PARIS', cluster)}\n"
            f"{sender(group, f'{cluster}.{member}', member, cluster)}",
        )
        group.run(
            member,
            f"DEFINE NAMELIST(C4.FULL) NAMES(INVENTORY,{cluster}) REPLACE\n"
            "ALTER QMGR REPOS(' ') REPOSNL(C4.FULL)\n"
            f"{receiver(group, f'{cluster}.{member}', member, cluster)}",
        )
    group.run("NEWYORK", "DEFINE QLOCAL(C4.BACK) CLUSTER(BACK) REPLACE")
    group.run("PARIS", "DEFINE QALIAS(C4.FRONT) TARGET(C4.BACK) CLUSTER(FRONT) DEFBIND(NOTFIXED) REPLACE")
    until_hosted(group, "LONDON", "C4.FRONT", "FRONT")

    group["LONDON"].put("C4.FRONT", b"over the gateway")

    assert bodies(group["NEWYORK"], "C4.BACK", 1) == [b"over the gateway"]
    assert rows(group["LONDON"], "DISPLAY QCLUSTER(C4.BACK)") == []
    for cluster, member in (("FRONT", "LONDON"), ("BACK", "NEWYORK")):
        for name in ("PARIS", member):
            group.run(name, unused(f"{cluster}.{name}", "CLUSRCVR"))
        group.run("PARIS", unused(f"{cluster}.{member}"))
        group.run(member, "ALTER QMGR REPOSNL(' ') REPOS(INVENTORY)")
    until_full(group, {"LONDON", "NEWYORK"})
