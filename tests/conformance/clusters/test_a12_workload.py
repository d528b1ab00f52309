"""A12, A13: messages are distributed, bound and sent another way; channels with queues of their own."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq
from tests.channel_pairs import bodies
from tests.cluster_group import Group
from tests.conformance.clusters.test_a10_who_knows_what import rows
from tests.patience import until

pytestmark = pytest.mark.xdist_group("cluster")


def define(group: Group, queue: str, more: str = "", where: tuple[str, ...] = ("NEWYORK", "PARIS")) -> None:
    for name in where:
        group.run(name, f"DEFINE QLOCAL({queue}) CLUSTER(INVENTORY) MAXDEPTH(90000) {more} REPLACE")
    until(lambda: len(rows(group["LONDON"], f"DISPLAY QCLUSTER({queue})")) == len(where))


def until_running(group: Group) -> None:
    """Have both channels run: one that starts is avoided while another one runs."""
    for name in ("NEWYORK", "PARIS"):
        group.run(name, "DEFINE QLOCAL(A12.WAKE) REPLACE")
        group["LONDON"].put("A12.WAKE", b"", qmgr=name)
        until(lambda name=name: group.members("LONDON")[name]["STATUS"] == "RUNNING")


def depths(group: Group, queue: str) -> list[int]:
    return [group.depth(name, queue) for name in ("NEWYORK", "PARIS")]


def test_the_status_of_a_member_has_its_cluster_channels(group: Group) -> None:
    until_running(group)
    group.run("LONDON", "DEFINE QLOCAL(A12.WAKE) REPLACE")
    group["PARIS"].put("A12.WAKE", b"", qmgr="LONDON")
    until(lambda: {"CLUSSDR", "CLUSRCVR"} <= {each.type for each in group["PARIS"].status().message_channels})


def test_messages_take_turns_when_they_are_not_bound(group: Group) -> None:
    define(group, "A12.TURNS", "DEFBIND(NOTFIXED)")
    until_running(group)

    for _ in range(6):
        group["LONDON"].put("A12.TURNS", b"", persistent=True)

    until(lambda: depths(group, "A12.TURNS") == [3, 3])


def test_a_handle_bound_at_open_keeps_its_instance(group: Group) -> None:
    define(group, "A12.BOUND")

    with group["LONDON"].open("A12.BOUND", mq.MQOO_OUTPUT) as handle:
        for _ in range(5):
            handle.put(b"")

    until(lambda: sorted(depths(group, "A12.BOUND")) == [0, 5])


def test_a_local_instance_is_used_unless_any_may_be(group: Group) -> None:
    define(group, "A12.LOCAL", "DEFBIND(NOTFIXED)", ("LONDON", "PARIS"))
    group["LONDON"].put("A12.LOCAL", b"")
    assert group.depth("LONDON", "A12.LOCAL") == 1

    group.run("LONDON", "ALTER QLOCAL(A12.LOCAL) CLWLUSEQ(ANY)")
    for _ in range(4):
        group["LONDON"].put("A12.LOCAL", b"")

    until(lambda: group.depth("PARIS", "A12.LOCAL") == 2)


def test_puts_fail_when_every_instance_is_disabled(group: Group) -> None:
    define(group, "A12.CLOSED", "PUT(DISABLED) DEFBIND(NOTFIXED)")

    with pytest.raises(penstock.MQError) as failed:
        group["LONDON"].put("A12.CLOSED", b"")

    assert failed.value.reason == 2268


def test_a_queue_manager_is_addressed_by_its_name(group: Group) -> None:
    group.run("PARIS", "DEFINE QLOCAL(A12.PRIVATE) REPLACE")

    group["LONDON"].put("A12.PRIVATE", b"by name", qmgr="PARIS")

    assert bodies(group["PARIS"], "A12.PRIVATE", 1) == [b"by name"]


def test_a_channel_gets_a_queue_of_its_own_without_loss_or_disorder(group: Group) -> None:
    define(group, "A13.ORDER", "", ("PARIS",))
    group.run("LONDON", "STOP CHANNEL(INVENT.PARIS)")
    until(lambda: group.members("LONDON")["PARIS"]["STATUS"] == "STOPPED")
    for number in range(40):
        group["LONDON"].put("A13.ORDER", b"%02d" % number, persistent=number % 2 == 0)
    group.run("LONDON", "ALTER QMGR DEFCLXQ(CHANNEL)")

    group.run("LONDON", "START CHANNEL(INVENT.PARIS)")

    arrived = bodies(group["PARIS"], "A13.ORDER", 40)  # those that are not persistent may overtake others
    for kind in (0, 1):
        assert [int(each) for each in arrived if int(each) % 2 == kind] == list(range(kind, 40, 2))
    assert group.members("LONDON")["PARIS"]["XMITQ"] == "SYSTEM.CLUSTER.TRANSMIT.INVENT.PARIS"
    group.run("LONDON", "ALTER QMGR DEFCLXQ(SCTQ)")


def test_a_local_instance_that_takes_no_puts_leaves_them_to_others(group: Group) -> None:
    define(group, "A12.SHUT", "DEFBIND(NOTFIXED)", ("LONDON", "PARIS"))
    group.run("LONDON", "DEFINE QALIAS(A12.SHUT.ALIAS) TARGET(A12.SHUT) DEFBIND(NOTFIXED) REPLACE")
    with group["LONDON"].open("A12.SHUT", mq.MQOO_OUTPUT) as handle:
        handle.put(b"here")
        group.run("LONDON", "ALTER QLOCAL(A12.SHUT) PUT(DISABLED)")

        handle.put(b"handle")
        group["LONDON"].put("A12.SHUT", b"one")
        group["LONDON"].put("A12.SHUT.ALIAS", b"alias")

        assert sorted(bodies(group["PARIS"], "A12.SHUT", 3)) == [b"alias", b"handle", b"one"]
        assert bodies(group["LONDON"], "A12.SHUT", 1) == [b"here"]
    group.run("LONDON", "ALTER QALIAS(A12.SHUT.ALIAS) PUT(DISABLED)")
    with pytest.raises(penstock.MQError) as failed:
        group["LONDON"].put("A12.SHUT.ALIAS", b"")
    assert failed.value.reason == 2051
    group.run("PARIS", "ALTER QLOCAL(A12.SHUT) PUT(DISABLED)")
    until(lambda: rows(group["LONDON"], "DISPLAY QCLUSTER(A12.SHUT) WHERE(PUT EQ ENABLED)") == [])
    with pytest.raises(penstock.MQError) as failed:
        group["LONDON"].put("A12.SHUT", b"")
    assert failed.value.reason == 2051
