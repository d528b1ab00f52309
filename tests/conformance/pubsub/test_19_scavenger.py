"""TREELIFE (section 8): topics that nobody uses go, whole branches in one pass; what is in use stays."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq


@pytest.fixture
def sweep(qm):
    """Let time pass and the scavenger run once; return the topics that are left."""

    def run(seconds: float) -> set[str]:
        qm.host.housekeeping(time.time() + seconds)
        return {text for text in qm.engine.pubsub.tree.nodes if not text.startswith(("$SYS", "SYSTEM"))}

    return run


def test_a_dead_branch_goes_in_one_pass(qm, sweep):
    qm.publish("a/b/c/d/e/f", b"")
    assert len(sweep(0)) == 6
    assert len(sweep(1799)) == 6
    assert sweep(1801) == set()


def test_what_is_in_use_stays(qm, run, sweep):
    run("DEFINE TOPIC(T) TOPICSTR('object/x')")
    qm.publish("retained/x", b"", retain=True)
    with (
        qm.subscribe("subscribed/x"),
        qm.open("", mq.MQOO_OUTPUT, object_type=mq.MQOT_TOPIC, object_string="open/x"),
    ):
        qm.publish("dead/x", b"")
        left = {
            "object",
            "object/x",
            "retained",
            "retained/x",
            "subscribed",
            "subscribed/x",
            "open",
            "open/x",
        }
        assert sweep(2000) == left
    run("DELETE TOPIC(T)")
    run("CLEAR TOPICSTR('retained/x') CLRTYPE(RETAINED)")
    assert sweep(10_000) == set()


def test_the_time_can_be_set_and_zero_keeps_all(qm, run, sweep):
    run("ALTER QMGR TREELIFE(0)")
    qm.publish("a", b"")
    assert sweep(1e9) == {"a"}
    run("ALTER QMGR TREELIFE(10)")
    assert sweep(11) == set()


def test_use_begins_the_time_anew(qm, sweep, monkeypatch):
    qm.publish("a", b"")
    with qm.gate:
        qm.engine.pubsub.tree.node("a", time.time() + 1000)
    assert sweep(1801) == {"a"}
    assert sweep(4000) == set()


def test_a_topic_that_went_comes_back(qm, sweep, bodies):
    with qm.subscribe("a/#") as sub:
        qm.publish("a/b", b"1")
        sweep(2000)
        qm.publish("a/b", b"2")
        assert bodies(sub) == [b"1", b"2"]


def test_a_commit_after_the_topic_went_still_retains(qm, sweep, bodies):
    qm.begin()
    qm.publish("a/b", b"m", retain=True)
    sweep(2000)
    qm.commit()
    with qm.subscribe("a/#") as sub:
        assert bodies(sub) == [b"m"]


def test_many_topics_are_swept_in_slices(qm, sweep):
    for number in range(5000):
        qm.publish(f"t/{number % 50}/{number}", b"")
    assert sweep(2000) == set()
    assert qm.engine.pubsub.scavenger.removed == 5051
    assert len(qm.engine.pubsub.tree.slots) == len(qm.engine.pubsub.tree.nodes) + 5051
