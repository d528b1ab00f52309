"""Expiry of subscriptions (section 8): tenths of a second in MQSC, seconds in Python; then it is gone."""

from __future__ import annotations

import time


def test_an_expired_subscription_gets_nothing_and_goes(qm, bodies):
    with qm.subscribe("a", durable="s", expiry=600.0) as sub:
        qm.publish("a", b"1")
        queue = qm.engine.pubsub.subscriptions["s"].queue
        assert queue.depth == 1
        sub.alter(expiry=0.1)
    time.sleep(0.15)
    qm.publish("a", b"2")
    assert queue.depth == 1
    qm.host.housekeeping(time.time() + 10)
    assert "s" not in qm.engine.pubsub.subscriptions
    assert queue.name not in qm.engine.queues


def test_an_administrators(qm, run):
    run("DEFINE SUB(S) TOPICSTR('a') DESTCLAS(MANAGED) EXPIRY(20)")
    assert "S" in qm.engine.pubsub.subscriptions
    qm.host.housekeeping(time.time() + 3)
    assert "S" not in qm.engine.pubsub.subscriptions


def test_it_can_be_altered(qm):
    with qm.subscribe("a", durable="s", expiry=1.0) as sub:
        sub.alter(expiry=100.0)
        qm.host.housekeeping(time.time() + 10)
        assert "s" in qm.engine.pubsub.subscriptions


def test_nonsense_is_2013(qm, fails):
    for expiry in (0, -1, 1e12):
        with fails(2013):
            qm.subscribe("a", expiry=expiry)
