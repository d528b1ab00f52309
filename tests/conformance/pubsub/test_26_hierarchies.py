"""Clause 26: queue managers of a hierarchy (PARENT) pass proxy subscriptions and publications on.

The queue managers are in this process (`tests/pubsub_network.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penstock.model import constants as mq
from penstock.qmgr.pubsub.neighbours import CONTROL, PUBS
from tests.pubsub_network import Network, bodies, rows, run


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """ROOT with the children LEFT and RIGHT, for all tests that leave it so; each uses its own topics."""
    yield from made(tmp_path_factory.mktemp("tree"))


@pytest.fixture
def own_tree(tmp_path: Path) -> Iterator[Network]:
    """The same, for one test."""
    yield from made(tmp_path)


def made(home: Path) -> Iterator[Network]:
    network = Network(home, "ROOT", "LEFT", "RIGHT")
    for child in ("LEFT", "RIGHT"):
        run(network[child], "ALTER QMGR PARENT(ROOT)")
    network.run()
    yield network
    network.close()


def test_a_relation_is_active_on_both_sides(tree: Network) -> None:
    shown = rows(tree["ROOT"], "DISPLAY PUBSUB TYPE(ALL)")
    assert [(row["QMNAME"], row["TYPE"], row["STATUS"]) for row in shown] == [
        ("ROOT", "LOCAL", "ACTIVE"),
        ("LEFT", "CHILD", "ACTIVE"),
        ("RIGHT", "CHILD", "ACTIVE"),
    ]
    (parent,) = rows(tree["LEFT"], "DISPLAY PUBSUB TYPE(PARENT)")
    assert (parent["QMNAME"], parent["STATUS"]) == ("ROOT", "ACTIVE")


def test_a_publication_reaches_subscribers_of_all_once_and_in_order(tree: Network) -> None:
    subscriptions = [tree[name].subscribe("news/#") for name in ("ROOT", "LEFT", "RIGHT")]
    tree.run()
    for n in range(20):
        tree["LEFT"].publish("news/today", str(n).encode(), persistent=bool(n % 2))
    tree.run()
    for subscription in subscriptions:
        assert bodies(subscription) == [str(n).encode() for n in range(20)]
    assert [tree[name].engine.queues[PUBS].depth for name in tree.qms] == [0, 0, 0]


def test_what_nobody_wants_does_not_travel(tree: Network) -> None:
    subscription = tree["RIGHT"].subscribe("wanted/+")
    tree.run()
    tree["LEFT"].publish("other/x", b"no")
    assert tree["LEFT"].engine.queues["ROOT"].depth == 0
    subscription.close()
    tree.run()
    tree["LEFT"].publish("wanted/x", b"no more")
    assert tree["LEFT"].engine.queues["ROOT"].depth == 0


def test_a_proxy_is_shown_and_not_exported(tree: Network) -> None:
    tree["RIGHT"].subscribe("a/b")
    tree.run()
    shown = rows(tree["ROOT"], "DISPLAY SUB(*) SUBTYPE(PROXY) TOPICSTR DEST DESTQMGR")
    found = [(row["TOPICSTR"], row["DEST"], row["DESTQMGR"]) for row in shown]
    assert ("a/b", PUBS, "RIGHT") in found
    assert "SYSTEM.PROXY" not in tree["ROOT"].export()


@pytest.mark.parametrize("where", ["subscription", "topic", "publication", "publishing topic"])
def test_scope_keeps_it_at_home(tree: Network, where: str) -> None:
    at, scope = {"topic": ("RIGHT", "SUBSCOPE"), "publishing topic": ("LEFT", "PUBSCOPE")}.get(
        where, ("", "")
    )
    if at:
        run(tree[at], f"DEFINE TOPIC(SCOPE) TOPICSTR('{where}') {scope}(QMGR)")
    options = mq.MQSO_SCOPE_QMGR if where == "subscription" else 0
    base = mq.MQSO_CREATE | mq.MQSO_MANAGED
    subscription = tree["RIGHT"].subscribe(f"{where}/x", options=base | options)
    tree.run()
    tree["LEFT"].publish(f"{where}/x", b"1", options=mq.MQPMO_SCOPE_QMGR if where == "publication" else 0)
    tree.run()
    assert bodies(subscription) == []


def test_a_forced_proxy_brings_everything_below_its_topic(tree: Network) -> None:
    run(tree["ROOT"], "DEFINE TOPIC(T) TOPICSTR('forced') PROXYSUB(FORCE)")
    tree.run()
    tree["LEFT"].publish("forced/x", b"1")
    assert tree["LEFT"].engine.queues["ROOT"].depth == 1


def test_retained_publications_reach_a_later_subscriber(tree: Network) -> None:
    tree["LEFT"].publish("kept/a", b"old", options=mq.MQPMO_RETAIN)
    subscription = tree["RIGHT"].subscribe("kept/#")
    tree.run()
    message = subscription.get(wait=0.0)
    assert message.body == b"old"
    tree["LEFT"].publish("kept/a", b"new", options=mq.MQPMO_RETAIN)
    tree.run()
    assert bodies(subscription) == [b"new"]
    assert bodies(tree["RIGHT"].subscribe("kept/a")) == [b"new"]
    tree.run()
    assert bodies(subscription) == []  # the second proxy brings nothing that is here already


def test_a_publication_is_published_when_the_channel_commits(tree: Network) -> None:
    subscription = tree["ROOT"].subscribe("unit/x")
    tree.run()
    tree["LEFT"].publish("unit/x", b"1", persistent=True)
    tree.run(commit=False)
    assert bodies(subscription) == []
    tree["LEFT"].publish("unit/x", b"2", persistent=True)
    tree.run()
    assert bodies(subscription) == [b"2"]


def test_while_publishing_is_disabled_publications_wait_in_order(tree: Network) -> None:
    subscription = tree["ROOT"].subscribe("wait/x")
    tree.run()
    run(tree["ROOT"], "ALTER QMGR PSMODE(DISABLED)")
    for body in (b"1", b"2", b"3"):
        tree["LEFT"].publish("wait/x", body, persistent=True)
    tree.run()
    assert tree["ROOT"].engine.queues[PUBS].depth == 3
    run(tree["ROOT"], "ALTER QMGR PSMODE(ENABLED)")
    tree.run()
    assert bodies(subscription) == [b"1", b"2", b"3"]


def test_relations_and_proxies_outlive_a_restart(own_tree: Network) -> None:
    subscription = own_tree["RIGHT"].subscribe("stay/x", durable="stays")
    subscription.close()
    own_tree.run()
    own_tree["ROOT"].close()
    own_tree.start("ROOT")
    own_tree["LEFT"].publish("stay/x", b"1", persistent=True)
    own_tree.run()
    assert rows(own_tree["ROOT"], "DISPLAY PUBSUB TYPE(CHILD)")[0]["STATUS"] == "ACTIVE"
    again = own_tree["RIGHT"].subscribe("stay/x", durable="stays")
    assert bodies(again) == [b"1"]


def test_a_loop_is_found_by_its_fingerprint(tmp_path: Path) -> None:
    """Three queue managers, each the parent of the next: a publication comes back and is a dead letter."""
    ring = Network(tmp_path, "R1", "R2", "R3")
    try:
        for child, parent in (("R1", "R2"), ("R2", "R3"), ("R3", "R1")):
            run(ring[child], f"ALTER QMGR PARENT({parent})")
        ring.run()
        subscription = ring["R3"].subscribe("loop/x")
        ring.run()
        ring["R1"].publish("loop/x", b"1", persistent=True)
        ring.run()
        assert b"1" in bodies(subscription)
        letters = [each for qm in ring.qms.values() for each in qm.get_many("DLQ", 10)]
        assert letters
        assert all(int.from_bytes(each.body[8:12], "little") == 2541 for each in letters)
    finally:
        ring.close()


def test_a_parent_cannot_be_its_childs_child(own_tree: Network) -> None:
    run(own_tree["ROOT"], "ALTER QMGR PARENT(LEFT)")
    own_tree.run()
    assert rows(own_tree["ROOT"], "DISPLAY PUBSUB TYPE(ALL)")
    assert "LEFT" not in [
        row["QMNAME"] for row in rows_or_none(own_tree["ROOT"], "DISPLAY PUBSUB TYPE(PARENT)")
    ]


def rows_or_none(qm: Any, text: str) -> list[dict[str, Any]]:
    return [dict(each.attributes) for each in qm.mqsc(text) if each.attributes]


def test_leaving_removes_the_relation_and_its_proxies(own_tree: Network) -> None:
    own_tree["RIGHT"].subscribe("gone/x")
    own_tree.run()
    run(own_tree["RIGHT"], "ALTER QMGR PARENT(' ')")
    own_tree.run()
    assert [row["QMNAME"] for row in rows(own_tree["ROOT"], "DISPLAY PUBSUB TYPE(CHILD)")] == ["LEFT"]
    own_tree["LEFT"].publish("gone/x", b"1")
    assert own_tree["LEFT"].engine.queues["ROOT"].depth == 0


def test_reset_ends_one_side_and_refresh_sends_everything_again(own_tree: Network) -> None:
    own_tree["LEFT"].subscribe("r/x")
    own_tree.run()
    before = own_tree["LEFT"].engine.pubsub.neighbours.relations["ROOT"]
    run(own_tree["LEFT"], "REFRESH QMGR TYPE(PROXYSUB)")
    assert before.sent is None
    own_tree.run()
    assert before.sent == {("r/x", "TOPIC")}
    run(own_tree["ROOT"], "RESET QMGR TYPE(PUBSUB) CHILD(LEFT)")
    assert [row["QMNAME"] for row in rows(own_tree["ROOT"], "DISPLAY PUBSUB TYPE(CHILD)")] == ["RIGHT"]
    assert own_tree["ROOT"].mqsc("RESET QMGR TYPE(PUBSUB) CHILD(LEFT)")[0].failed
    assert own_tree["ROOT"].mqsc("RESET QMGR TYPE(PUBSUB)")[0].failed


def test_nonsense_on_the_control_queue_is_a_dead_letter(tree: Network) -> None:
    for body in (b"", b"nonsense", b"\x81\xa4kind\xa4JOIN"):
        tree["ROOT"].put(CONTROL, body, persistent=True)
        tree["ROOT"].put(PUBS, body, persistent=True)
    tree.run()
    assert tree["ROOT"].engine.queues["DLQ"].depth == 6
    assert len(rows(tree["ROOT"], "DISPLAY PUBSUB TYPE(CHILD)")) == 2


def test_a_parent_without_a_way_is_an_error_until_there_is_one(tmp_path: Path) -> None:
    network = Network(tmp_path, "ALONE")
    try:
        run(network["ALONE"], "ALTER QMGR PARENT(NOWHERE)")
        network.run()
        assert rows(network["ALONE"], "DISPLAY PUBSUB TYPE(PARENT)")[0]["STATUS"] == "ERROR"
    finally:
        network.close()


def test_two_subscriptions_of_a_child_bring_one_copy(tree: Network) -> None:
    subscriptions = [tree["RIGHT"].subscribe(text) for text in ("twice/#", "twice/x", "twice/+")]
    tree.run()
    tree["LEFT"].publish("twice/x", b"1")
    tree.run()
    assert [bodies(each) for each in subscriptions] == [[b"1"], [b"1"], [b"1"]]


def test_another_parent_takes_the_retained_copies_of_the_old_one_away(own_tree: Network) -> None:
    subscription = own_tree["RIGHT"].subscribe("kept/#")
    own_tree.run()
    own_tree["RIGHT"].publish("kept/own", b"own", options=mq.MQPMO_RETAIN, persistent=True)
    own_tree["ROOT"].publish("kept/a", b"of the old", options=mq.MQPMO_RETAIN, persistent=True)
    own_tree["LEFT"].publish("kept/b", b"through the old", options=mq.MQPMO_RETAIN, persistent=True)
    own_tree.run()
    assert sorted(bodies(subscription)) == [b"of the old", b"own", b"through the old"]
    run(own_tree["LEFT"], "ALTER QMGR PARENT(' ')")
    run(own_tree["RIGHT"], "ALTER QMGR PARENT(LEFT)")
    own_tree.run()
    assert bodies(subscription) == [b"through the old"]  # LEFT has published it, and sends it again
    assert sorted(bodies(own_tree["RIGHT"].subscribe("kept/#"))) == [b"own", b"through the old"]


def test_proxies_are_sent_after_the_clock_was_set_back(own_tree: Network) -> None:
    own_tree.now -= 86400.0
    subscription = own_tree["LEFT"].subscribe("late/#")
    own_tree.run()

    own_tree["RIGHT"].publish("late/x", b"1")
    own_tree.run()

    assert bodies(subscription) == [b"1"]
