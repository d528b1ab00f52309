"""Expiration reports (section 5): when an expired message is discarded."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq


@pytest.fixture
def replies(queue, run):
    run("DEFINE QLOCAL(R)")
    return {"report": mq.MQRO_EXPIRATION, "reply_to": "R", "expiry": 0.001}


@pytest.mark.parametrize("persistent", [False, True])
def test_it_comes_when_a_get_meets_the_message(qm, queue, replies, persistent):
    receipt = qm.put(queue, b"a", persistent=persistent, **replies)
    time.sleep(0.01)
    assert qm.get(queue) is None
    report = qm.get("R", wait=60.0)
    assert (report.feedback, report.correl_id) == (mq.MQFB_EXPIRATION, receipt.msg_id)


def test_it_comes_from_the_scan_too(qm, queue, replies):
    qm.put(queue, b"a", **replies)
    with qm.gate:
        qm.engine.tick(time.time() + 3600)
    assert qm.get("R").feedback == mq.MQFB_EXPIRATION


def test_a_message_that_was_got_in_time_reports_nothing(qm, queue, replies):
    qm.put(queue, b"a", **(replies | {"expiry": 60.0}))
    assert qm.get(queue).body == b"a"
    assert qm.get("R") is None


def test_the_report_does_not_expire(qm, queue, replies):
    qm.put(queue, b"a", **replies)
    time.sleep(0.01)
    qm.get(queue)
    assert qm.get("R").expiry is None


def test_passed_expiry_gives_the_report_one(qm, queue, replies):
    report = mq.MQRO_EXPIRATION | mq.MQRO_PASS_DISCARD_AND_EXPIRY
    qm.put(queue, b"a", **(replies | {"report": report}))
    time.sleep(0.01)
    qm.get(queue)
    assert qm.get("R").expiry is not None
