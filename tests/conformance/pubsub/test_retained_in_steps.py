"""What is retained is delivered in steps: others publish between two, and nothing comes twice or by half."""

from __future__ import annotations

import time
from typing import Any

import pytest

import penstock
from penstock.qmgr.pubsub import delivering

TOPICS = 4


@pytest.fixture
def qm(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(delivering, "STEP_NODES", 1)
    with penstock.embed("QM1", create=True) as running:
        assert not any(reply.failed for reply in running.mqsc("DEFINE QLOCAL(OWN)"))
        for number in range(TOPICS):
            running.publish(f"r/{number}", b"old", retain=True, persistent=True)
        yield running


def step(qm: Any, delivery: Any) -> bool:
    with qm.step():
        return bool(delivery.step(time.time()))


def test_a_subscription_gets_all_in_one_piece(qm: Any) -> None:
    with qm.subscribe("r/#") as subscription:
        assert len(list(subscription.messages())) == TOPICS


def test_what_is_published_between_two_steps_comes_once(qm: Any) -> None:
    subscription = qm.subscribe("r/#", new_only=True)
    delivery = qm.engine.pubsub.deliver_retained(subscription.handle, time.time())
    assert not step(qm, delivery)
    for number in range(TOPICS):
        qm.publish(f"r/{number}", b"new", retain=True)
    while not step(qm, delivery):
        pass

    found = sorted(message.body for message in subscription.messages())
    assert found == [b"new"] * TOPICS + [b"old"]
    assert not qm.engine.pubsub.retained.deliveries


def test_what_is_not_sent_to_its_end_is_not_sent(qm: Any) -> None:
    subscription = qm.subscribe("r/#", new_only=True, queue="OWN")
    delivery = qm.engine.pubsub.deliver_retained(subscription.handle, time.time())
    assert not step(qm, delivery)
    subscription.close()

    assert step(qm, delivery)
    assert (qm.get("OWN"), qm.engine.queues["OWN"].depth) == (None, 0)
    assert not qm.engine.pubsub.retained.deliveries


def test_a_queue_that_is_full_in_the_middle_gets_nothing(qm: Any) -> None:
    qm.mqsc(f"ALTER QLOCAL(OWN) MAXDEPTH({TOPICS - 1})")
    with pytest.raises(penstock.MQError) as refused:
        qm.subscribe("r/#", queue="OWN", durable="S")
    assert refused.value.reason == 2526
    assert qm.engine.queues["OWN"].depth == 0
    assert qm.engine.pubsub.subscriptions.get("S") is None
