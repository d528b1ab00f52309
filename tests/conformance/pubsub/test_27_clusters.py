"""Clause 27: publish/subscribe clusters: DIRECT, TOPICHOST, proxies, scope, retained publications, leaving.

The queue managers are in this process (`tests/pubsub_network.py`): A and B are full repositories, C and D
are not. D hosts the topics with CLROUTE(TOPICHOST), together with C where there are two hosts.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from penstock.model import constants as mq
from penstock.qmgr.pubsub import republishing
from penstock.qmgr.pubsub.neighbours import CONTROL, PUBS
from tests.pubsub_network import CLUSTER, Network, bodies, rows, run

ALL = ("A", "B", "C", "D")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Network]:
    """Four members, for all tests that leave it so; each has its own topics below direct, hosted and twin."""
    yield from made(tmp_path_factory.mktemp("cluster"))


@pytest.fixture
def own_cluster(tmp_path: Path) -> Iterator[Network]:
    """The same, for one test."""
    yield from made(tmp_path)


def made(home: Path) -> Iterator[Network]:
    network = Network(home, *ALL)
    for name in ALL:
        network.join(name, "B" if name == "A" else "A", full=name in "AB")
    network.run()
    run(network["A"], f"DEFINE TOPIC(DIRECT) TOPICSTR('direct') CLUSTER({CLUSTER})")
    run(network["D"], f"DEFINE TOPIC(HOSTED) TOPICSTR('hosted') CLUSTER({CLUSTER}) CLROUTE(TOPICHOST)")
    for name in ("C", "D"):
        run(network[name], f"DEFINE TOPIC(TWIN) TOPICSTR('twin') CLUSTER({CLUSTER}) CLROUTE(TOPICHOST)")
    network.run()
    yield network
    network.close()


def proxies(qm: Any) -> list[tuple[str, str]]:
    shown = qm.mqsc("DISPLAY SUB(*) SUBTYPE(PROXY) TOPICSTR DESTQMGR")
    return sorted(
        (each.attributes["TOPICSTR"], each.attributes["DESTQMGR"]) for each in shown if each.attributes
    )


def held(qm: Any, topic: str) -> list[str]:
    """Return the queue managers that a queue manager holds a proxy for a topic for."""
    return [name for text, name in proxies(qm) if text == topic]


# -- cluster topics in the tree --------------------------------------------------------------


def test_a_cluster_topic_is_in_the_tree_of_members_that_do_not_define_it(cluster: Network) -> None:
    (row,) = rows(cluster["C"], "DISPLAY TPSTATUS('hosted') CLUSTER CLROUTE ADMIN")
    assert (row["CLUSTER"], row["CLROUTE"], row["ADMIN"]) == (CLUSTER, "TOPICHOST", "HOSTED")
    cluster["C"].publish("direct/tree", b"x")
    (below,) = rows(cluster["C"], "DISPLAY TPSTATUS('direct/tree') CLUSTER CLROUTE ADMIN")
    assert (below["CLUSTER"], below["CLROUTE"], below["ADMIN"]) == (CLUSTER, "DIRECT", "")
    cluster["C"].publish("elsewhere", b"x")
    (other,) = rows(cluster["C"], "DISPLAY TPSTATUS('elsewhere') CLUSTER CLROUTE")
    assert (other["CLUSTER"], other["CLROUTE"]) == ("", "NONE")


def test_the_name_of_a_cluster_topic_can_be_opened_by_members_that_do_not_define_it(cluster: Network) -> None:
    subscription = cluster["B"].subscribe("by name", topic_object="DIRECT")
    cluster.run()
    cluster["C"].publish("by name", b"1", topic_object="DIRECT")
    cluster.run()
    assert bodies(subscription) == [b"1"]


def test_attributes_of_a_cluster_topic_hold_at_every_member_unless_it_defines_its_own(
    own_cluster: Network,
) -> None:
    run(own_cluster["A"], f"DEFINE TOPIC(T) TOPICSTR('t') CLUSTER({CLUSTER}) PUB(DISABLED) DEFPRTY(7)")
    own_cluster.run()
    with pytest.raises(Exception, match="2051"):
        own_cluster["C"].publish("t/x", b"1")
    run(own_cluster["C"], "DEFINE TOPIC(MINE) TOPICSTR('t') PUB(ENABLED)")
    own_cluster.run()
    (row,) = rows(own_cluster["C"], "DISPLAY TPSTATUS('t') CLUSTER CLROUTE PUB ADMIN")
    assert (row["CLUSTER"], row["PUB"], row["ADMIN"]) == (CLUSTER, "ENABLED", "MINE")
    run(own_cluster["A"], "DELETE TOPIC(T)")
    own_cluster.run()
    assert rows(own_cluster["C"], "DISPLAY TPSTATUS('t') CLUSTER")[0]["CLUSTER"] == ""


def test_displays_have_the_definitions_of_all_members(cluster: Network) -> None:
    for text in ("DISPLAY TCLUSTER(TWIN)", "DISPLAY TOPIC(TWIN) TYPE(CLUSTER)"):
        assert [row["CLUSQMGR"] for row in rows(cluster["A"], text)] == ["C", "D"]
    for text in ("DISPLAY TOPIC(TWIN) CLUSINFO TYPE", "DISPLAY TOPIC(TWIN) TYPE(ALL)"):
        assert [row["TYPE"] for row in rows(cluster["C"], text)] == ["LOCAL", "CLUSTER", "CLUSTER"]
    assert [row["TYPE"] for row in rows(cluster["C"], "DISPLAY TOPIC(TWIN) TYPE(LOCAL)")] == ["LOCAL"]
    assert cluster["C"].mqsc("DISPLAY TOPIC(NONE) TYPE(CLUSTER)")[0].failed
    assert cluster["C"].mqsc("CLEAR TOPICSTR('twin') CLRTYPE(RETAINED) SCOPE(GLOBAL)")[0].failed


# -- DIRECT ----------------------------------------------------------------------------------


def test_the_first_direct_topic_makes_all_members_known_to_each_other(tmp_path: Path) -> None:
    """C and D are partial repositories and have not met; their digests are compared only much later."""
    network = Network(tmp_path, *ALL)
    for name in ALL:
        network.join(name, "B" if name == "A" else "A", full=name in "AB")
    network.run()
    run(network["A"], f"DEFINE TOPIC(DIRECT) TOPICSTR('direct') CLUSTER({CLUSTER})")
    network.run()
    subscription = network["C"].subscribe("direct/x")
    network.run()

    network["D"].publish("direct/x", b"1")

    network.run()
    assert bodies(subscription) == [b"1"]
    network.close()


def test_direct_publications_reach_every_subscriber_once_and_in_order(cluster: Network) -> None:
    subscriptions = [cluster[name].subscribe("direct/all/#") for name in ALL]
    second = cluster["B"].subscribe("direct/all/x")  # two proxies of B fit: one copy travels
    cluster.run()
    assert held(cluster["C"], "direct/all/#") == ["A", "B", "D"]
    for number in range(20):
        cluster["C"].publish("direct/all/x", b"%d" % number, persistent=bool(number % 2))
    cluster.run()
    for subscription in (*subscriptions, second):
        assert bodies(subscription) == [b"%d" % number for number in range(20)]
    assert [cluster[name].engine.queues[PUBS].depth for name in ALL] == [0, 0, 0, 0]


def test_direct_publications_go_only_to_members_with_subscribers(cluster: Network) -> None:
    subscription = cluster["B"].subscribe("direct/some")
    cluster.run()
    before = cluster.carried
    cluster["D"].publish("direct/some", b"1")
    cluster["D"].publish("direct/none", b"2")
    cluster.run()
    assert (bodies(subscription), cluster.carried - before) == ([b"1"], 1)
    subscription.close()
    cluster.run()
    assert held(cluster["D"], "direct/some") == []


def test_topics_outside_the_cluster_stay_at_home(cluster: Network) -> None:
    wide = cluster["B"].subscribe("#")
    cluster.run()
    cluster["C"].publish("private/x", b"no")
    cluster["C"].publish("direct/wide", b"yes")
    cluster.run()
    assert bodies(wide) == [b"yes"]
    wide.close()
    cluster.run()


@pytest.mark.parametrize("where", ["subscription", "topic", "publication", "publishing topic"])
@pytest.mark.parametrize("route", ["direct", "hosted"])
def test_scope_keeps_it_at_home(cluster: Network, where: str, route: str) -> None:
    at, scope = {"topic": ("B", "SUBSCOPE"), "publishing topic": ("C", "PUBSCOPE")}.get(where, ("", ""))
    if at:
        run(cluster[at], f"DEFINE TOPIC(SCOPE) TOPICSTR('{route}/{where}') {scope}(QMGR)")
    options = mq.MQSO_SCOPE_QMGR if where == "subscription" else 0
    base = mq.MQSO_CREATE | mq.MQSO_MANAGED
    subscription = cluster["B"].subscribe(f"{route}/{where}/x", options=base | options)
    cluster.run()
    cluster["C"].publish(
        f"{route}/{where}/x", b"1", options=mq.MQPMO_SCOPE_QMGR if where == "publication" else 0
    )
    cluster.run()
    assert bodies(subscription) == []
    if at:
        run(cluster[at], "DELETE TOPIC(SCOPE)")


def test_a_forced_proxy_of_a_cluster_topic_is_at_every_member_at_once(own_cluster: Network) -> None:
    run(own_cluster["B"], f"DEFINE TOPIC(F) TOPICSTR('forced') CLUSTER({CLUSTER}) PROXYSUB(FORCE)")
    own_cluster.run()
    assert held(own_cluster["D"], "forced/#") == ["A", "B", "C"]
    before = own_cluster.carried
    own_cluster["D"].publish("forced/x", b"1")
    own_cluster.run()
    assert own_cluster.carried - before == 3


# -- TOPICHOST -------------------------------------------------------------------------------


def test_hosted_publications_go_through_the_host_and_reach_everybody_once(cluster: Network) -> None:
    subscriptions = [cluster[name].subscribe("hosted/all") for name in ALL]
    cluster.run()
    assert held(cluster["D"], "hosted/all") == ["A", "B", "C"]
    assert [held(cluster[name], "hosted/all") for name in "AB"] == [[], []]
    before = cluster.carried
    for number in range(10):
        cluster["C"].publish("hosted/all", b"%d" % number, persistent=True)
    cluster.run()
    for subscription in subscriptions:
        assert bodies(subscription) == [b"%d" % number for number in range(10)]
    assert cluster.carried - before == 30  # to the host, and from it to A and B


def test_publications_at_the_host_go_to_the_subscribers(cluster: Network) -> None:
    subscription = cluster["A"].subscribe("hosted/own")
    cluster.run()
    before = cluster.carried
    cluster["D"].publish("hosted/own", b"1")
    cluster.run()
    assert (bodies(subscription), cluster.carried - before) == ([b"1"], 1)


def test_several_hosts_share_the_publications_and_nobody_gets_one_twice(cluster: Network) -> None:
    subscriptions = [cluster[name].subscribe("twin/all") for name in ALL]
    cluster.run()
    assert (held(cluster["C"], "twin/all"), held(cluster["D"], "twin/all")) == (
        ["A", "B", "D"],
        ["A", "B", "C"],
    )
    counts = cluster["A"].engine.clusters.workload.chooser.counts
    before = {name: counts.get(f"TO.{name}", 0) for name in "CD"}
    for number in range(10):
        cluster["A"].publish("twin/all", b"%d" % number, persistent=True)
    cluster["C"].publish("twin/all", b"at a host", persistent=True)
    cluster.run()
    assert {name: counts[f"TO.{name}"] - before[name] for name in "CD"} == {"C": 5, "D": 5}
    for subscription in subscriptions:
        assert sorted(bodies(subscription)) == sorted([b"at a host", *(b"%d" % each for each in range(10))])


def test_a_host_that_is_away_is_passed_over_and_what_waits_for_it_takes_the_other(
    own_cluster: Network,
) -> None:
    network = own_cluster
    subscription = network["B"].subscribe("twin/away")
    network.run()
    network["A"].publish("twin/away", b"0")
    network["A"].publish("twin/away", b"1")  # one of both waits for C now
    network.depart("C")
    with network["A"].gate:
        network["A"].engine.clusters.workload.choose_again("TO.C", network.now)
    for number in range(2, 6):
        network["A"].publish("twin/away", b"%d" % number)
    network.run()
    assert sorted(bodies(subscription)) == [b"%d" % number for number in range(6)]
    network.come_back("C")
    network.run()
    assert bodies(subscription) == []


def test_a_host_with_publishing_disabled_gets_proxies_but_no_publications(own_cluster: Network) -> None:
    network = own_cluster
    define = f"DEFINE TOPIC(HOSTED) TOPICSTR('hosted') CLUSTER({CLUSTER}) CLROUTE(TOPICHOST)"
    subscription = network["A"].subscribe("hosted/x")
    network.run()
    run(network["C"], f"{define} PUB(DISABLED)")
    network.run()
    assert held(network["C"], "hosted/x") == ["A"]
    counts = network["B"].engine.clusters.workload.chooser.counts
    before = counts.get("TO.C", 0)
    network["B"].publish("hosted/x", b"1")
    network["B"].publish("hosted/x", b"2")
    assert counts.get("TO.C", 0) == before
    run(network["C"], "ALTER TOPIC(HOSTED) PUB(ENABLED)")
    network.run()
    for body in (b"3", b"4"):
        network["B"].publish("hosted/x", body)
    assert counts["TO.C"] == before + 1
    network.run()
    assert sorted(bodies(subscription)) == [b"1", b"2", b"3", b"4"]


# -- retained publications -------------------------------------------------------------------


@pytest.mark.parametrize("route", ["direct", "hosted", "twin"])
def test_retained_publications_reach_a_later_subscriber_once_and_the_newest_stays(
    cluster: Network, route: str
) -> None:
    topic = f"{route}/kept"
    first = cluster["A"].subscribe(topic)
    cluster.run()
    cluster["B"].publish(topic, b"old", options=mq.MQPMO_RETAIN, persistent=True)
    cluster.run()
    later = cluster["C"].subscribe(f"{route}/kept/#")
    cluster.run()
    assert (bodies(first), bodies(later)) == ([b"old"], [b"old"])
    cluster["D"].publish(topic, b"new", options=mq.MQPMO_RETAIN, persistent=True)
    cluster.run()
    assert (bodies(first), bodies(later)) == ([b"new"], [b"new"])
    last = cluster["D"].subscribe(topic)
    cluster.run()
    assert bodies(last) == [b"new"]
    assert (bodies(first), bodies(later)) == ([], [])


def test_plain_and_retained_publications_in_turn_keep_what_they_are(cluster: Network) -> None:
    subscription = cluster["B"].subscribe("direct/turns")
    cluster.run()
    for number in range(6):
        options = mq.MQPMO_RETAIN if number in (1, 4) else 0
        cluster["A"].publish("direct/turns", b"%d" % number, options=options)
        cluster["A"].publish("direct/turns", b"%d own" % number, properties={"own": number})
    cluster.run()
    found = [subscription.get(wait=0) for _ in range(12)]
    assert [each.body for each in found] == [b"%d%s" % (n, own) for n in range(6) for own in (b"", b" own")]
    assert [dict(each.properties).get("own") for each in found] == [
        value for number in range(6) for value in (None, number)
    ]
    assert all(not name.startswith("PSK") for each in found for name in each.properties)
    later = cluster["B"].subscribe("direct/turns")
    assert bodies(later) == [b"4"]


def test_a_retained_copy_goes_with_the_last_subscription_and_the_next_one_gets_the_current(
    cluster: Network,
) -> None:
    subscription = cluster["C"].subscribe("direct/stale")
    cluster.run()
    cluster["A"].publish("direct/stale", b"1", options=mq.MQPMO_RETAIN, persistent=True)
    cluster.run()
    assert rows(cluster["C"], "DISPLAY TPSTATUS('direct/stale') RETAINED")[0]["RETAINED"] == "YES"
    subscription.close()
    cluster.run()
    assert rows(cluster["C"], "DISPLAY TPSTATUS('direct/stale') RETAINED")[0]["RETAINED"] == "NO"
    cluster["A"].publish("direct/stale", b"2", options=mq.MQPMO_RETAIN, persistent=True)
    again = cluster["C"].subscribe("direct/stale")
    cluster.run()
    assert bodies(again) == [b"2"]


# -- life ------------------------------------------------------------------------------------


def test_a_member_that_leaves_loses_its_proxies(own_cluster: Network) -> None:
    network = own_cluster
    kept = network["B"].subscribe("direct/left")
    network["C"].subscribe("direct/left")
    network.run()
    assert held(network["A"], "direct/left") == ["B", "C"]
    run(network["C"], "DELETE TOPIC(TWIN)\nDELETE CHANNEL(TO.C)")
    network.run()
    assert held(network["A"], "direct/left") == ["B"]
    assert proxies(network["C"]) == []
    before = network.carried
    network["A"].publish("direct/left", b"1")
    network["C"].publish("direct/left", b"stays")
    network.run()
    assert (bodies(kept), network.carried - before) == ([b"1"], 1)


def test_a_restart_keeps_proxies_and_what_is_durable(own_cluster: Network) -> None:
    network = own_cluster
    network["B"].subscribe("direct/stay", durable="stays").close()
    network["B"].subscribe("direct/temporary")
    network.run()
    network["C"].publish("direct/stay", b"kept", options=mq.MQPMO_RETAIN, persistent=True)
    network.run()
    for name in ("B", "C"):
        network[name].close()
        network.start(name)
    network["C"].publish("direct/stay", b"1", persistent=True)  # before any tick: the proxies are there
    network.run()
    assert held(network["C"], "direct/stay") == ["B"]
    assert held(network["A"], "direct/temporary") == []
    assert bodies(network["B"].subscribe("direct/stay", durable="stays")) == [b"kept", b"1"]


def test_a_topic_that_is_deleted_ends_the_exchange(own_cluster: Network) -> None:
    network = own_cluster
    subscription = network["B"].subscribe("direct/x")
    network.run()
    run(network["A"], "DELETE TOPIC(DIRECT)")
    network.run()
    assert [held(network[name], "direct/x") for name in ALL] == [[], [], [], []]
    network["C"].publish("direct/x", b"1")
    network.run()
    assert bodies(subscription) == []


def test_proxies_that_were_lost_are_asked_for_again(own_cluster: Network) -> None:
    """A member restored from a backup has no proxies of others: sums differ, and the set is sent again."""
    network = own_cluster
    network["B"].subscribe("direct/lost")
    network["B"].subscribe("direct/kept")
    network.run()
    lost = next(
        each for each in network["A"].engine.objects.all("SUB") if each.name.endswith("TOPIC direct/lost")
    )
    with network["A"].gate:
        network["A"].engine.step.begin()
        network["A"].engine.delete(lost, network.now)
        network["A"].engine.step.end()
    assert held(network["A"], "direct/lost") == []
    qmid = network["A"].engine.definition.attributes["QMID"]
    network["B"].engine.clusters.member_started(qmid, "TO.A", network.now)
    network.run()
    assert held(network["A"], "direct/lost") == ["B"]
    run(network["A"], "REFRESH QMGR TYPE(PROXYSUB)")
    network.run()
    assert network["A"].engine.pubsub.neighbours.all()[0].sent is not None


# -- refusals --------------------------------------------------------------------------------


def test_psclus_disabled_is_refused_with_topics_and_refuses_topics(own_cluster: Network) -> None:
    network = own_cluster
    (refused,) = network["B"].mqsc("ALTER QMGR PSCLUS(DISABLED)")
    assert refused.failed
    assert "3360" in str(refused.reason) or "cluster topic" in refused.text
    run(network["A"], "DELETE TOPIC(DIRECT)")
    run(network["D"], "DELETE TOPIC(HOSTED)\nDELETE TOPIC(TWIN)")
    run(network["C"], "DELETE TOPIC(TWIN)")
    network.run()
    run(network["B"], "ALTER QMGR PSCLUS(DISABLED)")
    assert network["B"].mqsc(f"DEFINE TOPIC(N) TOPICSTR('n') CLUSTER({CLUSTER})")[0].failed
    run(network["A"], f"DEFINE TOPIC(DIRECT) TOPICSTR('direct') CLUSTER({CLUSTER})")
    network.run()
    subscription = network["B"].subscribe("direct/x")
    network.run()
    network["A"].publish("direct/x", b"1")
    network.run()
    assert bodies(subscription) == []


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        (f"DEFINE TOPIC(X) TOPICSTR('direct') CLUSTER({CLUSTER}) CLROUTE(TOPICHOST)", 3368),
        (f"DEFINE TOPIC(X) TOPICSTR('direct/below') CLUSTER({CLUSTER}) CLROUTE(TOPICHOST)", 3368),
        (f"DEFINE TOPIC(X) TOPICSTR('hosted/below') CLUSTER({CLUSTER})", 3368),
        ("ALTER TOPIC(TWIN) CLROUTE(DIRECT)", 3367),
        (f"ALTER TOPIC(SYSTEM.BASE.TOPIC) CLUSTER({CLUSTER})", 2425),
    ],
)
def test_contradicting_definitions_are_refused(cluster: Network, script: str, reason: int) -> None:
    (reply,) = cluster["C"].mqsc(script)
    assert (reply.failed, reply.reason) == (True, reason)


def test_of_two_contradicting_topics_made_at_once_one_is_invalid_everywhere(own_cluster: Network) -> None:
    network = own_cluster
    run(network["A"], f"DEFINE TOPIC(BOTH) TOPICSTR('both') CLUSTER({CLUSTER})")
    run(network["B"], f"DEFINE TOPIC(BOTH) TOPICSTR('both') CLUSTER({CLUSTER}) CLROUTE(TOPICHOST)")
    network.run()
    for name in ALL:
        shown = rows(network[name], "DISPLAY TCLUSTER(BOTH) CLSTATE CLROUTE")
        assert {(row["CLUSQMGR"], row["CLSTATE"]) for row in shown} == {("A", "ACTIVE"), ("B", "INVALID")}
    subscription = network["C"].subscribe("both/x")
    network.run()
    network["D"].publish("both/x", b"1")
    network.run()
    assert bodies(subscription) == [b"1"]


def test_requests_that_no_member_has_sent_are_dead_letters(cluster: Network) -> None:
    """A program, or a channel outside the cluster, cannot speak for a member."""
    qmid = cluster["C"].engine.definition.attributes["QMID"]
    facts = {"kind": "PROXIES", "from": "C", "qmid": qmid, "member": True, "sum": 0}
    body = msgspec.msgpack.encode({**facts, "changes": [(True, ("direct/forged", "TOPIC"))]})
    cluster["B"].put(CONTROL, body, format="PSKPUBSB", persistent=True)
    cluster.run()
    assert held(cluster["B"], "direct/forged") == []
    assert cluster["B"].engine.queues["DLQ"].depth == 1


# -- limits, hierarchies ---------------------------------------------------------------------


def test_a_unit_with_many_copies_lets_later_publications_wait_in_order(
    cluster: Network, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(republishing, "UNIT_COPIES_MAX", 10)
    many = [cluster["B"].subscribe("direct/many") for _ in range(4)]
    cluster.run()
    for number in range(8):
        cluster["A"].publish("direct/many", b"%d" % number, persistent=True)
    waited = []
    republish = cluster["B"].engine.pubsub.neighbours._readers[1]._carry_out
    monkeypatch.setattr(
        cluster["B"].engine.pubsub.neighbours._readers[1],
        "_carry_out",
        lambda message, unit, now: (waited.append(message), republish(message, unit, now)),
    )
    cluster.run()
    assert len(waited) == 5  # three publications of four copies reach the limit of ten
    for subscription in many:
        assert bodies(subscription) == [b"%d" % number for number in range(8)]


def test_a_hierarchy_brings_publications_into_a_cluster_and_out_of_it(tmp_path: Path) -> None:
    network = Network(tmp_path, "A", "B", "OUT")
    try:
        network.join("A", "B", full=True)
        network.join("B", "A", full=True)
        network.run()
        run(network["A"], f"DEFINE TOPIC(T) TOPICSTR('t') CLUSTER({CLUSTER})")
        run(network["OUT"], "ALTER QMGR PARENT(A)")
        run(network["B"], "ALTER QMGR PARENT(A)")  # twice related: still one copy of each publication
        network.run()
        subscriptions = {name: network[name].subscribe("t/#") for name in ("A", "B", "OUT")}
        network.run()
        for name in ("A", "B", "OUT"):
            network[name].publish("t/x", name.encode(), persistent=True)
        network.run()
        for subscription in subscriptions.values():
            assert sorted(bodies(subscription)) == [b"A", b"B", b"OUT"]
    finally:
        network.close()


def test_a_member_removed_by_force_comes_back_with_its_proxies(own_cluster: Network) -> None:
    network = own_cluster
    subscription = network["C"].subscribe("direct/removed")
    network.run()
    run(network["A"], f"RESET CLUSTER({CLUSTER}) ACTION(FORCEREMOVE) QMNAME(C)")
    network.run()
    for _ in range(5):  # it returns after ten seconds, and is asked for its proxies
        network.tick()
        network.run()
    assert [held(network[name], "direct/removed") for name in "ABD"] == [["C"], ["C"], ["C"]]
    network["D"].publish("direct/removed", b"1")
    network.run()
    assert bodies(subscription) == [b"1"]
