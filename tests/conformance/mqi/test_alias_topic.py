"""Alias queues that name a topic: output only."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def alias(run):
    run("DEFINE TOPIC(T) TOPICSTR('price/fruit')")
    run("DEFINE QALIAS(A) TARGET(T) TARGTYPE(TOPIC)")


def test_put_is_taken(qm, alias):
    receipt = qm.put("A", b"a")
    assert receipt.warning == 0
    assert receipt.resolved_queue == "T"


def test_without_subscriber_the_warning_is_given_when_asked_for(qm, alias):
    with qm.open("A", mq.MQOO_OUTPUT) as handle:
        assert handle.put(b"a", options=mq.MQPMO_WARN_IF_NO_SUBS_MATCHED).warning == 2550


@pytest.mark.parametrize("option", [mq.MQOO_INPUT_SHARED, mq.MQOO_BROWSE, mq.MQOO_INQUIRE, mq.MQOO_SET])
def test_other_uses_are_refused(qm, alias, fails, option):
    with fails(2045):
        qm.open("A", option)


def test_get_is_refused(qm, alias, fails):
    with fails(2045):
        qm.get("A")


def test_a_missing_topic_is_2082(qm, run, fails):
    run("DEFINE QALIAS(B) TARGET(NONE) TARGTYPE(TOPIC)")
    with fails(2082):
        qm.put("B", b"a")


def test_pub_disabled_is_2051(qm, alias, run, fails):
    with qm.open("A", mq.MQOO_OUTPUT) as handle:
        run("ALTER TOPIC(T) PUB(DISABLED)")
        with fails(2051):
            handle.put(b"a")
