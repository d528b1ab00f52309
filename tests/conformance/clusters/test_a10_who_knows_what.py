"""A10, A11: joining by plain MQSC, what full and partial repositories know, and the cluster commands."""

from __future__ import annotations

from typing import Any

import pytest

import penstock
from tests.channel_pairs import refusal
from tests.cluster_group import Group
from tests.patience import until

pytestmark = pytest.mark.xdist_group("cluster")


def rows(qm: Any, command: str) -> list[dict[str, Any]]:
    return [dict(reply.attributes) for reply in qm.mqsc(command) if reply.attributes]


def test_a_member_that_joins_learns_of_all_full_repositories(group: Group) -> None:
    found = group.until_knows("PARIS", {"LONDON", "NEWYORK", "PARIS"})

    assert {name: (row["DEFTYPE"], row["QMTYPE"]) for name, row in found.items()} == {
        "PARIS": ("CLUSRCVR", "NORMAL"),
        "LONDON": ("CLUSSDRB", "REPOS"),
        "NEWYORK": ("CLUSSDRA", "REPOS"),
    }


def test_a_queue_is_known_to_full_repositories_and_to_who_asks(group: Group) -> None:
    group.run("NEWYORK", "DEFINE QLOCAL(A10.KNOWN) CLUSTER(INVENTORY)")
    until(lambda: rows(group["LONDON"], "DISPLAY QCLUSTER(A10.KNOWN)"))
    before = rows(group["PARIS"], "DISPLAY QCLUSTER(A10.KNOWN)")

    group["PARIS"].put("A10.KNOWN", b"first")

    after = rows(group["PARIS"], "DISPLAY QCLUSTER(A10.KNOWN) ALL")
    assert (before, [row["CLUSQMGR"] for row in after]) == ([], ["NEWYORK"])
    until(lambda: group.depth("NEWYORK", "A10.KNOWN") == 1)


def test_an_unknown_name_is_refused_after_the_answer(group: Group) -> None:
    with pytest.raises(penstock.MQError) as failed:
        group["PARIS"].put("A10.NOWHERE", b"")

    assert failed.value.reason == 2085


def test_a_deleted_queue_is_gone_everywhere(group: Group) -> None:
    group.run("NEWYORK", "DEFINE QLOCAL(A10.GONE) CLUSTER(INVENTORY)")
    group["PARIS"].put("A10.GONE", b"")
    until(lambda: group.depth("NEWYORK", "A10.GONE") == 1)

    group.run("NEWYORK", "DELETE QLOCAL(A10.GONE) PURGE")

    for name in ("LONDON", "PARIS"):
        until(lambda name=name: not rows(group[name], "DISPLAY QCLUSTER(A10.GONE)"))


def test_a_suspended_member_is_avoided_until_it_is_resumed(group: Group) -> None:
    for name in ("NEWYORK", "PARIS"):
        group.run(name, "DEFINE QLOCAL(A11.BOTH) CLUSTER(INVENTORY) DEFBIND(NOTFIXED)")
    until(lambda: len(rows(group["LONDON"], "DISPLAY QCLUSTER(A11.BOTH)")) == 2)
    group.run("PARIS", "SUSPEND QMGR CLUSTER(INVENTORY)")
    until(lambda: group.members("LONDON")["PARIS"]["SUSPEND"] == "YES")

    for _ in range(4):
        group["LONDON"].put("A11.BOTH", b"")

    until(lambda: group.depth("NEWYORK", "A11.BOTH") == 4)
    group.run("PARIS", "RESUME QMGR CLUSTER(INVENTORY)")
    until(lambda: group.members("LONDON")["PARIS"]["SUSPEND"] == "NO")


def test_refresh_keeps_what_is_known_in_use(group: Group) -> None:
    group.run("NEWYORK", "DEFINE QLOCAL(A11.STAYS) CLUSTER(INVENTORY)")
    group["PARIS"].put("A11.STAYS", b"1")

    group.run("PARIS", "REFRESH CLUSTER(INVENTORY) REPOS(YES)")
    group["PARIS"].put("A11.STAYS", b"2")

    until(lambda: group.depth("NEWYORK", "A11.STAYS") == 2)


def test_commands_that_do_not_fit_are_refused(group: Group) -> None:
    assert refusal(group["LONDON"], "REFRESH CLUSTER(INVENTORY) REPOS(YES)").id == "AMQ9406E"
    assert refusal(group["PARIS"], "REFRESH CLUSTER(INVENTROY)").id == "AMQ8147E"
    reset = "RESET CLUSTER(INVENTORY) ACTION(FORCEREMOVE) QMNAME(LONDON)"
    assert refusal(group["PARIS"], reset).id == "AMQ8147E"


def test_a_member_removed_by_force_comes_back(group: Group) -> None:
    group.run("LONDON", "RESET CLUSTER(INVENTORY) ACTION(FORCEREMOVE) QMNAME(PARIS)")
    until(lambda: "PARIS" not in group.members("NEWYORK"))

    for name in ("LONDON", "NEWYORK"):
        group.until_knows(name, {"PARIS"})


def test_only_repositories_put_to_the_command_queue(group: Group) -> None:
    for where in ("", "NEWYORK"):
        with pytest.raises(penstock.MQError) as failed:
            group["LONDON"].put("SYSTEM.CLUSTER.COMMAND.QUEUE", b"\x81\xa1v\x01", qmgr=where)
        assert failed.value.reason == 2035


@pytest.mark.parametrize("command", ["DEFINE QLOCAL(A10.TYPO) REPLACE", "ALTER QLOCAL(A10.TYPO)"])
def test_a_likely_typo_in_the_name_of_a_cluster_is_noted(group: Group, command: str) -> None:
    group.run("PARIS", "DEFINE QLOCAL(A10.TYPO) REPLACE")

    (reply,) = group.run("PARIS", f"{command} CLUSTER(INVENTROY)")

    assert any("did you mean INVENTORY?" in note for note in reply.notes)
    group.run("PARIS", "DELETE QLOCAL(A10.TYPO)")


def test_queues_are_shown_with_their_instances(group: Group) -> None:
    group.run("NEWYORK", "DEFINE QLOCAL(A10.SHOWN) CLUSTER(INVENTORY) REPLACE")

    until(lambda: rows(group["LONDON"], "DISPLAY QCLUSTER(A10.SHOWN)"))

    (row,) = rows(group["LONDON"], "DISPLAY QUEUE(A10.SHOWN) CLUSINFO")
    assert (row["TYPE"], row["CLUSQMGR"], row["CLUSQT"]) == ("QCLUSTER", "NEWYORK", "QLOCAL")


def test_a_member_that_is_back_is_reached_before_the_next_retry(group: Group) -> None:
    slow = "ALTER CHANNEL(INVENT.PARIS) CHLTYPE(CLUSRCVR) SHORTTMR(3600)"
    group.run("PARIS", slow)
    until(lambda: group.members("LONDON")["PARIS"]["SHORTTMR"] == 3600)
    group.halt("PARIS")
    group["LONDON"].put("A10.BACK", b"x", persistent=True, qmgr="PARIS")
    group.halt("LONDON")
    group.start("LONDON")
    until(lambda: group.members("LONDON")["PARIS"]["STATUS"] == "RETRYING")

    group.start("PARIS")

    until(lambda: group.members("LONDON")["PARIS"]["STATUS"] == "RUNNING")
    group.run("PARIS", slow.replace("3600", "1"))
