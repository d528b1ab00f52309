"""PUB(DISABLED) 2051, SUB(DISABLED) 2503, DURSUB(NO) 2436, PSMODE(DISABLED) 2531."""

from __future__ import annotations

from penstock.model import constants as mq


def test_publishing_is_2051(qm, run, fails):
    run("DEFINE TOPIC(T) TOPICSTR('a') PUB(DISABLED)")
    with fails(2051):
        qm.publish("a/b", b"m")
    with fails(2051):
        qm.open("T", mq.MQOO_OUTPUT, object_type=mq.MQOT_TOPIC)
    run("DEFINE TOPIC(U) TOPICSTR('a/b') PUB(ENABLED)")
    assert qm.publish("a/b", b"m").warning == 0


def test_subscribing_is_2503(qm, run, fails):
    run("DEFINE TOPIC(T) TOPICSTR('a') SUB(DISABLED)")
    for topic in ("a", "a/b", "a/#", "a/+/c"):
        with fails(2503):
            qm.subscribe(topic)
    assert qm.subscribe("#").topic == "#"


def test_existing_subscriptions_go_on(qm, run, bodies):
    run("DEFINE TOPIC(T) TOPICSTR('a')")
    with qm.subscribe("a") as sub:
        run("ALTER TOPIC(T) SUB(DISABLED)")
        qm.publish("a", b"m")
        assert bodies(sub) == [b"m"]


def test_durable_subscribing_is_2436(qm, run, fails):
    run("DEFINE TOPIC(T) TOPICSTR('a') DURSUB(NO)")
    with fails(2436):
        qm.subscribe("a", durable="s")
    assert not qm.subscribe("a").durable


def test_without_publish_subscribe_it_is_2531(qm, run, fails):
    run("ALTER QMGR PSMODE(DISABLED)")
    with fails(2531):
        qm.publish("a", b"m")
    with fails(2531):
        qm.subscribe("a")
