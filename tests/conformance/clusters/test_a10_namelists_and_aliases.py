"""A10, A13: objects in several clusters, aliases, remote definitions, own transmission queues."""

from __future__ import annotations

import pytest

from tests.channel_pairs import bodies, refusal
from tests.cluster_group import QUICK, Group
from tests.conformance.clusters.test_a10_who_knows_what import rows
from tests.patience import until

pytestmark = pytest.mark.xdist_group("cluster")


def clusters_of(group: Group, name: str, queue: str) -> list[str]:
    return sorted(str(row["CLUSTER"]) for row in rows(group[name], f"DISPLAY QCLUSTER({queue})"))


def test_a_namelist_puts_objects_into_several_clusters(group: Group) -> None:
    london, paris = group.address("LONDON"), group.address("PARIS")
    group.run(
        "LONDON",
        "DEFINE NAMELIST(FULL) NAMES(INVENTORY,EAST,WEST) REPLACE\n"
        "DEFINE NAMELIST(EW) NAMES(EAST,WEST) REPLACE\n"
        "ALTER QMGR REPOS(' ') REPOSNL(FULL)\n"
        f"DEFINE CHANNEL(EW.LONDON) CHLTYPE(CLUSRCVR) CONNAME('{london}') CLUSNL(EW) {QUICK}",
    )
    group.run(
        "PARIS",
        "DEFINE NAMELIST(EW) NAMES(EAST,WEST) REPLACE\n"
        f"DEFINE CHANNEL(EW.PARIS) CHLTYPE(CLUSRCVR) CONNAME('{paris}') CLUSNL(EW) {QUICK}\n"
        f"DEFINE CHANNEL(EW.LONDON) CHLTYPE(CLUSSDR) CONNAME('{london}') CLUSNL(EW) {QUICK}\n"
        "DEFINE QLOCAL(NL.Q) CLUSNL(EW)",
    )
    until(lambda: clusters_of(group, "LONDON", "NL.Q") == ["EAST", "WEST"])
    assert group.members("NEWYORK")["LONDON"]["QMTYPE"] == "REPOS"

    group["LONDON"].put("NL.Q", b"by either")

    assert bodies(group["PARIS"], "NL.Q", 1) == [b"by either"]
    assert refusal(group["PARIS"], "DEFINE QLOCAL(NL.TWO) CLUSTER(EAST) CLUSNL(EW)").failed
    group.run("PARIS", "ALTER NAMELIST(EW) NAMES(EAST)")
    until(lambda: clusters_of(group, "LONDON", "NL.Q") == ["EAST"])
    group.run("PARIS", "ALTER CHANNEL(EW.PARIS) CHLTYPE(CLUSRCVR) CLUSNL(' ')")
    until(lambda: clusters_of(group, "LONDON", "NL.Q") == [])
    group.run("PARIS", "ALTER CHANNEL(EW.LONDON) CHLTYPE(CLUSSDR) CLUSNL(' ')")
    group.run("LONDON", "ALTER CHANNEL(EW.LONDON) CHLTYPE(CLUSRCVR) CLUSNL(' ')")
    group.run("LONDON", "ALTER QMGR REPOSNL(' ') REPOS(INVENTORY)")


def test_aliases_and_remote_definitions_are_known_to_the_cluster(group: Group) -> None:
    group.run("PARIS", "DEFINE QLOCAL(CL.FINAL) REPLACE")
    group.run(
        "NEWYORK",
        "DEFINE QLOCAL(CL.BASE) REPLACE\n"
        "DEFINE QALIAS(CL.ALIAS) TARGET(CL.BASE) CLUSTER(INVENTORY) REPLACE\n"
        "DEFINE QREMOTE(CL.REMOTE) RNAME(CL.FINAL) RQMNAME(PARIS) CLUSTER(INVENTORY) REPLACE\n"
        "DEFINE QREMOTE(CL.GATE) RNAME(' ') RQMNAME(NEWYORK) CLUSTER(INVENTORY) REPLACE",
    )
    group.run("PARIS", "DEFINE QREMOTE(ANY.CLUSTER) RNAME(' ') RQMNAME(' ') REPLACE")
    shown = {}
    until(lambda: len(rows(group["LONDON"], "DISPLAY QCLUSTER(CL.*)")) == 3)
    for row in rows(group["LONDON"], "DISPLAY QCLUSTER(CL.*) CLUSQT"):
        shown[row["QUEUE"]] = row["CLUSQT"]

    group["LONDON"].put("CL.ALIAS", b"alias")
    group["LONDON"].put("CL.REMOTE", b"forwarded")
    group["LONDON"].put("CL.BASE", b"gate", qmgr="CL.GATE")
    group["PARIS"].put("CL.ALIAS", b"any", qmgr="ANY.CLUSTER")
    group["PARIS"].put("CL.BASE", b"asked for", qmgr="CL.GATE")

    assert sorted(bodies(group["NEWYORK"], "CL.BASE", 4)) == [b"alias", b"any", b"asked for", b"gate"]
    assert bodies(group["PARIS"], "CL.FINAL", 1) == [b"forwarded"]
    assert shown == {"CL.ALIAS": "QALIAS", "CL.REMOTE": "QREMOTE", "CL.GATE": "QMGR"}


def test_a_channel_goes_to_its_own_queue_and_back_in_order(group: Group) -> None:
    group.run("PARIS", "DEFINE QLOCAL(CH.ORDER) CLUSTER(INVENTORY) MAXDEPTH(9000) REPLACE")
    group.run("LONDON", "DEFINE QLOCAL(XQ.PARIS) USAGE(XMITQ) MAXDEPTH(9000) CLCHNAME('INVENT.P*') REPLACE")
    until(lambda: rows(group["LONDON"], "DISPLAY QCLUSTER(CH.ORDER)"))
    sent = 0
    for wanted, change in (
        ("XQ.PARIS", "ALTER QLOCAL(XQ.PARIS) CLCHNAME('INVENT.P*')"),
        ("SYSTEM.CLUSTER.TRANSMIT.QUEUE", "ALTER QLOCAL(XQ.PARIS) CLCHNAME(' ')"),
    ):
        group.run("LONDON", "STOP CHANNEL(INVENT.PARIS)")
        until(lambda: group.members("LONDON")["PARIS"]["STATUS"] == "STOPPED")
        group.run("LONDON", change)
        for number in range(sent, sent + 20):
            group["LONDON"].put("CH.ORDER", b"%03d" % number, persistent=True)
        sent += 20
        row = group.members("LONDON")["PARIS"]
        assert row["SWITCHTO"] == wanted
        assert int(row["SWLEFT"]) >= 20  # repository messages may wait with them

        group.run("LONDON", "START CHANNEL(INVENT.PARIS)")

        until(lambda wanted=wanted: group.members("LONDON")["PARIS"]["XMITQ"] == wanted)
        assert group.members("LONDON")["PARIS"]["SWITCHTO"] == ""
    assert bodies(group["PARIS"], "CH.ORDER", sent) == [b"%03d" % number for number in range(sent)]
    group.run("LONDON", "DELETE QLOCAL(XQ.PARIS)")
