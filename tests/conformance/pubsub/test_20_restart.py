"""Restart (section 8): durable subscriptions, their messages, persistent retained publications are kept."""

from __future__ import annotations

import pytest


@pytest.fixture(params=["stop", "crash"])
def restart(request, embed):
    """End a queue manager, cleanly or as a crash would, and start it again."""

    def again(qm):
        if request.param == "crash":
            from penstock.host import registry

            with registry._lock:
                registry._hosts.clear()
            qm.host.abandon()
        else:
            qm.close()
        return embed()

    return again


def test_durable_subscriptions_and_their_messages(embed, restart, bodies):
    qm = embed()
    qm.subscribe("a/#", durable="s", selector="size > 1", user_data="u").close()
    qm.subscribe("a/b", durable="t").close()
    qm.subscribe("a/b")
    qm.publish("a/b", b"1", persistent=True, properties={"size": 2})
    qm = restart(qm)
    qm.publish("a/b", b"2", persistent=True, properties={"size": 2})
    qm.publish("a/b", b"3", persistent=True, properties={"size": 1})
    with qm.subscribe(durable="s") as sub, qm.subscribe(durable="t") as other:
        messages = list(sub.messages())
        assert [m.body for m in messages] == [b"1", b"2"]
        assert {m.properties["MQSubUserData"] for m in messages} == {"u"}
        assert bodies(other) == [b"1", b"2", b"3"]
    assert len(qm.engine.pubsub.subscriptions) == 2
    assert len([name for name in qm.engine.queues if name.startswith("SYSTEM.MANAGED")]) == 2


def test_retained_publications(embed, restart, bodies):
    qm = embed()
    qm.publish("a", b"old", retain=True, persistent=True)
    qm.publish("a", b"new", retain=True, persistent=True)
    qm.publish("b", b"lost", retain=True)
    qm.publish("c", b"cleared", retain=True, persistent=True)
    qm.mqsc("CLEAR TOPICSTR('c') CLRTYPE(RETAINED)")
    qm = restart(qm)
    with qm.subscribe("#") as sub:
        assert bodies(sub) == [b"new"]
    qm.publish("a", b"newer", retain=True, persistent=True)
    qm = restart(qm)
    with qm.subscribe("#") as sub:
        assert bodies(sub) == [b"newer"]
    assert qm.engine.queues["SYSTEM.RETAINED.PUB.QUEUE"].depth == 1


def test_administrators_subscriptions_and_topics(embed, restart, bodies):
    qm = embed()
    qm.mqsc("DEFINE TOPIC(T) TOPICSTR('a') DEFPSIST(YES)")
    qm.mqsc("DEFINE SUB(S) TOPICOBJ(T) TOPICSTR('#') DESTCLAS(MANAGED)")
    qm = restart(qm)
    qm.publish("a/b", b"m")
    with qm.subscribe(name="S", options=4) as sub:
        assert sub.get().persistent


def test_a_removed_subscription_stays_removed(embed, restart):
    qm = embed()
    qm.subscribe("a", durable="s").close()
    qm.unsubscribe("s")
    qm = restart(qm)
    assert qm.engine.pubsub.subscriptions == {}
    assert not [name for name in qm.engine.queues if name.startswith("SYSTEM.MANAGED")]


def test_an_altered_subscription_stays_altered(embed, restart):
    qm = embed()
    with qm.subscribe("a", durable="s") as sub:
        sub.alter(selector="size = 1")
    qm = restart(qm)
    qm.publish("a", b"m", persistent=True)
    with qm.subscribe(durable="s") as sub:
        assert sub.get() is None


def test_a_checkpoint_between(embed, restart, bodies):
    qm = embed()
    for name in "stu":
        qm.subscribe("a", durable=name).close()
    qm.publish("a", b"1", persistent=True)
    qm.checkpoint()
    qm.publish("a", b"2", persistent=True)
    with qm.subscribe(durable="s") as sub:
        assert sub.get().body == b"1"
    qm = restart(qm)
    found = {}
    for name in "stu":
        with qm.subscribe(durable=name) as sub:
            found[name] = bodies(sub)
    assert found == {"s": [b"2"], "t": [b"1", b"2"], "u": [b"1", b"2"]}
