"""Retained publications (section 8): the last one of a topic, for those who subscribe later."""

from __future__ import annotations

import threading
import time

import pytest

from penstock.model import constants as mq


def test_a_new_subscription_gets_it(qm):
    qm.publish("a", b"old", retain=True)
    qm.publish("a", b"new", retain=True)
    with qm.subscribe("a") as sub:
        message = sub.get()
        assert (message.body, sub.get()) == (b"new", None)
        assert message.properties == {"MQTopicString": "a", "MQPubLevel": 9, "MQIsRetained": True}


def test_those_that_are_there_get_it_as_any_other(qm):
    with qm.subscribe("a") as sub:
        qm.publish("a", b"m", retain=True)
        assert "MQIsRetained" not in sub.get().properties


def test_wildcards_get_all_that_match(qm, bodies):
    for topic in ("a", "a/b", "a/b/c", "x"):
        qm.publish(topic, topic.encode(), retain=True)
    cases = {
        "a/#": [b"a", b"a/b", b"a/b/c"],
        "a/+": [b"a/b"],
        "#/c": [b"a/b/c"],
        "+": [b"a", b"x"],
        "nothing/#": [],
    }
    for pattern, expected in cases.items():
        with qm.subscribe(pattern) as sub:
            assert sorted(bodies(sub)) == expected, pattern
    with qm.subscribe("a*b", wildcard="char") as sub:
        assert bodies(sub) == [b"a/b"]


def test_new_publications_only(qm, bodies):
    qm.publish("a", b"old", retain=True)
    with qm.subscribe("a", new_only=True) as sub:
        qm.publish("a", b"new")
        assert bodies(sub) == [b"new"]


def test_a_selector_chooses_among_them(qm, bodies):
    qm.publish("a/1", b"1", retain=True, properties={"size": 1})
    qm.publish("a/2", b"2", retain=True, properties={"size": 2})
    with qm.subscribe("a/#", selector="size = 2") as sub:
        assert bodies(sub) == [b"2"]


def test_a_publication_that_is_not_retained_leaves_it(qm, bodies):
    qm.publish("a", b"kept", retain=True)
    qm.publish("a", b"passing")
    with qm.subscribe("a") as sub:
        assert bodies(sub) == [b"kept"]


def test_resuming_brings_nothing_again(qm, bodies):
    qm.publish("a", b"kept", retain=True)
    with qm.subscribe("a", durable="s") as sub:
        assert bodies(sub) == [b"kept"]
    with qm.subscribe(durable="s") as sub:
        assert bodies(sub) == []


def test_clear_removes_it(qm, run, bodies):
    for topic in ("a", "a/b", "c"):
        qm.publish(topic, b"m", retain=True, persistent=True)
    run("CLEAR TOPICSTR('a') CLRTYPE(RETAINED)")
    with qm.subscribe("#") as sub:
        assert len(bodies(sub)) == 2
    run("CLEAR TOPICSTR('a/#') CLRTYPE(RETAINED)")
    with qm.subscribe("#") as sub:
        assert len(bodies(sub)) == 1
    assert qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].depth == 1


def test_it_expires(qm, bodies):
    qm.publish("a", b"m", retain=True, expiry=0.1)
    time.sleep(0.15)
    with qm.subscribe("a") as sub:
        assert bodies(sub) == []


@pytest.mark.parametrize("persistent", [False, True])
def test_in_a_unit_it_counts_from_the_commit(qm, bodies, persistent):
    qm.publish("a", b"before", retain=True, persistent=persistent)
    qm.begin()
    qm.publish("a", b"after", retain=True, persistent=persistent)
    with qm.subscribe("a") as sub:
        assert [m.body for m in sub.messages()] == [b"before"]
    qm.commit()
    with qm.subscribe("a") as sub:
        assert bodies(sub) == [b"after"]
    qm.begin()
    qm.publish("a", b"never", retain=True, persistent=persistent)
    qm.backout()
    with qm.subscribe("a") as sub:
        assert bodies(sub) == [b"after"]
    assert qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].depth == 1


def test_status_tells(qm, run):
    qm.publish("a", b"m", retain=True)
    qm.publish("b", b"m")
    rows = {
        r.attributes["TOPICSTR"]: r.attributes["RETAINED"] for r in qm.mqsc("DISPLAY TPSTATUS('#') RETAINED")
    }
    assert (rows["a"], rows["b"]) == ("YES", "NO")


def test_one_that_somebody_got_from_its_queue_is_gone(qm, bodies):
    qm.publish("a", b"m", retain=True)
    assert qm.get("SYSTEM.RETAINED.PUB.QUEUE").body == b"m"
    with qm.subscribe("a") as sub:
        assert bodies(sub) == []
    qm.publish("a", b"n", retain=True)
    with qm.subscribe("a") as sub:
        assert bodies(sub) == [b"n"]


def test_a_long_one_that_memory_gave_up_is_read_again(embed, bodies):
    qm = embed("SPILL", default_q_buffer_size=4096, default_pq_buffer_size=4096)
    for number in range(100):
        qm.publish(f"a/{number}", bytes(1000) + str(number).encode(), retain=True, persistent=number % 2 == 0)
    qm.host.housekeeping(time.time())
    assert qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].spilled
    with qm.subscribe("a/#") as sub:
        assert sorted(int(body[1000:]) for body in bodies(sub)) == list(range(100))


def test_warning_counts_subscriptions_not_what_is_kept(qm):
    receipt = qm.publish("a", b"m", retain=True, options=mq.MQPMO_WARN_IF_NO_SUBS_MATCHED)
    assert receipt.warning == 2550


def test_a_body_on_disk_is_read_for_a_new_subscription_and_for_a_request(qm, bodies):
    qm.publish("a/b", b"kept", retain=True, persistent=True)
    qm.checkpoint()
    (message,) = qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].messages()
    for details in ({}, {"on_request": True}):
        with qm.gate:
            message.queue.drop_body(message)
        with qm.subscribe("a/#", **details) as sub:
            if details:
                assert sub.request() == 1
            assert bodies(sub) == [b"kept"]


def test_who_subscribes_while_others_publish_gets_each_once_and_in_order(qm, spawn, bodies):
    publishing = threading.Event()
    publishing.set()

    def publish() -> None:
        number = 0
        while publishing.is_set():
            qm.publish("a", b"%d" % number, retain=True)
            number += 1

    spawn(publish)
    try:
        for _ in range(200):
            with qm.subscribe("a") as sub:
                numbers = [int(body) for body in bodies(sub)]
            assert numbers == sorted(set(numbers))
    finally:
        publishing.clear()


def test_what_is_replaced_while_it_is_read_from_disk_comes_once(qm, bodies, monkeypatch):
    for topic in ("a/b", "a/c"):
        qm.publish(topic, b"old", retain=True, persistent=True)
    qm.checkpoint()
    with qm.gate:
        for message in qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].messages():
            message.queue.drop_body(message)
    read = qm.host.load

    def replaced(messages) -> None:
        qm.publish("a/b", b"new", retain=True)
        read(messages)

    monkeypatch.setattr(qm.host, "load", replaced)
    with qm.subscribe("a/#") as sub:
        assert sorted(bodies(sub)) == [b"new", b"old"]


def test_a_subscribe_that_cannot_have_what_is_retained_is_2526_and_leaves_nothing(qm, run, fails):
    run("DEFINE QLOCAL(SHUT) PUT(DISABLED)")
    qm.publish("a", b"kept", retain=True, persistent=True)
    before = len(qm.connection.handles)
    with fails(2526):
        qm.subscribe("a", durable="d", queue="SHUT")
    assert (qm.engine.pubsub.subscriptions, len(qm.connection.handles)) == ({}, before)
    run("ALTER QLOCAL(SHUT) PUT(ENABLED)")
    with qm.subscribe("a", durable="d", queue="SHUT") as sub:
        assert sub.get().body == b"kept"


@pytest.mark.parametrize("persistent", [False, True])
def test_a_subscribe_that_cannot_have_all_that_is_retained_has_none_of_it(qm, run, fails, persistent):
    run("DEFINE QLOCAL(SMALL) MAXDEPTH(2)")
    run("ALTER TOPIC(SYSTEM.BASE.TOPIC) NPMSGDLV(ALL)")
    for topic in "123":
        qm.publish(f"r/{topic}", b"kept", retain=True, persistent=persistent)
    with fails(2526):
        qm.subscribe("r/#", queue="SMALL", durable="s")
    qm.put("SMALL", b"mine", persistent=True)  # and what came before it is on disk
    assert [message.body for message in qm.get_many("SMALL", 5)] == [b"mine"]
    assert "s" not in qm.engine.pubsub.subscriptions
