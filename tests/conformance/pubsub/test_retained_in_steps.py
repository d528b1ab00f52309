"""What is retained is delivered in steps: others publish between two, and nothing comes twice or by half."""

from __future__ import annotations

import time
from typing import Any

import pytest

import penstock
from penstock.admin import mqsc
from penstock.host import administration
from penstock.model.rfh2 import Rfh2
from penstock.qmgr.pubsub import delivering, queued_pubsub
from tests.patience import until

TOPICS = 4
CONTROL = "SYSTEM.BROKER.CONTROL.QUEUE"


@pytest.fixture
def qm(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(delivering, "STEP_NODES", 1)
    with penstock.embed("QM1", create=True) as running:
        assert not any(reply.failed for reply in running.mqsc("DEFINE QLOCAL(OWN)"))
        for number in range(TOPICS):
            running.publish(f"r/{number}", b"old", retain=True, persistent=True)
        yield running


def step(qm: Any, delivery: Any) -> bool:
    with qm.session.step():
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


def send(qm: Any, content: str) -> None:
    qm.put(
        CONTROL, Rfh2((f"<psc>{content}<QName>OWN</QName></psc>",)).pack(), format="MQHRF2", persistent=True
    )


@pytest.fixture
def long(qm: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Make every command a long one, and housekeeping wait: return what takes a step."""
    monkeypatch.setattr(queued_pubsub, "STEP_NODES", 1)
    monkeypatch.setattr(queued_pubsub, "STEP_REMOVALS", 1)
    qm.host.checkpoint_lock.acquire()
    queued = qm.engine.pubsub.queued

    def take(count: int = 1000) -> bool:
        for _ in range(count):
            with qm.session.step():
                queued.go_on(time.time())
            if not queued.long:
                return True
        return False

    yield take
    qm.host.checkpoint_lock.release()


def test_a_long_registration_is_one_thing(qm: Any, long: Any) -> None:
    send(qm, "<Command>RegSub</Command><Topic>r/#</Topic>")
    assert not long(2)
    qm.publish("r/0", b"new")
    send(qm, "<Command>DeregSub</Command><RegOpt>DeregAll</RegOpt>")  # waits for the one before
    assert [message.body[-3:] for message in qm.browse("OWN")] == [b"new"]

    assert long()
    assert sorted(message.body[-3:] for message in qm.browse("OWN")) == [b"new"] + [b"old"] * TOPICS
    assert not any(name.startswith("RFH2:") for name in qm.engine.pubsub.subscriptions)


def test_a_long_registration_that_is_refused_in_the_middle_leaves_nothing(qm: Any, long: Any) -> None:
    qm.mqsc(f"ALTER QLOCAL(OWN) MAXDEPTH({TOPICS - 1})")
    send(qm, "<Command>RegSub</Command><Topic>r/#</Topic>")
    assert long()
    assert qm.engine.queues["OWN"].depth == 0
    assert not any(name.startswith("RFH2:") for name in qm.engine.pubsub.subscriptions)
    assert not qm.engine.pubsub.retained.deliveries


def test_what_is_retained_is_deleted_in_steps(qm: Any, long: Any) -> None:
    send(qm, "<Command>DelPub</Command><Topic>r/#</Topic>")
    assert not long(2)
    assert 0 < qm.engine.pubsub.tree.root.retained_below < TOPICS
    assert long()
    assert qm.engine.pubsub.tree.root.retained_below == 0


def test_a_crash_in_the_middle_of_a_long_registration_begins_it_again(qm: Any, long: Any) -> None:
    send(qm, "<Command>RegSub</Command><Topic>r/#</Topic>")
    assert not long(3)
    home = qm.host.folder.path.parent
    qm.host.checkpoint_lock.release()
    qm.host.abandon()
    with penstock.embed("QM1", home=home) as again:
        bodies = until(lambda: [message.body[-3:] for message in again.browse("OWN")])
    qm.host.checkpoint_lock.acquire()
    assert bodies == [b"old"] * TOPICS


def test_a_definition_gets_all_in_steps(qm: Any) -> None:
    assert not any(reply.failed for reply in qm.mqsc("DEFINE SUB(S) TOPICSTR('r/#') DEST(OWN)"))
    assert [message.body for message in qm.browse("OWN")] == [b"old"] * TOPICS
    assert not qm.engine.pubsub.retained.deliveries


def test_a_definition_whose_script_is_abandoned_gets_the_rest_from_housekeeping(qm: Any) -> None:
    pieces = administration.pieces(qm, ["DEFINE SUB(S) TOPICSTR('r/#') DEST(OWN)"])
    next(piece for piece in pieces if isinstance(piece, mqsc.Pause))
    assert qm.get("OWN") is None
    pieces.close()

    until(lambda: not qm.engine.pubsub.retained.deliveries)
    assert [message.body for message in qm.browse("OWN")] == [b"old"] * TOPICS
    assert not qm.engine.pubsub.left


def test_topics_are_cleared_in_steps(qm: Any) -> None:
    pieces = administration.pieces(qm, ["CLEAR TOPICSTR('r/#') CLRTYPE(RETAINED)"])
    next(piece for piece in pieces if isinstance(piece, mqsc.Pause))
    assert 0 < qm.engine.pubsub.tree.root.retained_below < TOPICS
    assert len(list(pieces)) > 1
    assert qm.engine.pubsub.tree.root.retained_below == 0
