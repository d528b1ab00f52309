"""Confirm on arrival (section 5): when the message is put, at commit in a unit of work."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def replies(queue, run):
    run("DEFINE QLOCAL(R)")
    return {"report": mq.MQRO_COA, "reply_to": "R"}


@pytest.mark.parametrize("persistent", [False, True])
def test_it_comes_with_the_put(qm, queue, replies, persistent):
    receipt = qm.put(queue, b"a", persistent=persistent, priority=7, **replies)
    report = qm.get("R")
    assert (report.msg_type, report.feedback) == (mq.MQMT_REPORT, mq.MQFB_COA)
    assert report.correl_id == receipt.msg_id
    assert (bool(report.persistent), report.priority, report.body) == (persistent, 7, b"")
    assert report.descriptor.put_appl_type == mq.MQAT_QMGR


@pytest.mark.parametrize("persistent", [False, True])
def test_in_a_unit_it_comes_with_the_commit(qm, embed, queue, replies, persistent):
    other = embed()
    with qm.unit_of_work():
        qm.put(queue, b"a", persistent=persistent, **replies)
        assert other.get("R") is None
    assert other.get("R").feedback == mq.MQFB_COA


def test_a_backed_out_put_reports_nothing(qm, queue, replies):
    qm.begin()
    qm.put(queue, b"a", **replies)
    qm.backout()
    assert qm.get("R") is None


def test_a_refused_put_reports_nothing(qm, replies, run, fails):
    run("ALTER QLOCAL(Q) MAXDEPTH(0)")
    for persistent in (False, True):
        with fails(2053):
            qm.put("Q", b"a", persistent=persistent, **replies)
    assert qm.get("R") is None


def test_message_and_report_of_a_persistent_put_survive_together(qm, embed, queue, replies):
    qm.put(queue, b"a", persistent=True, **replies)
    qm.close()
    again = embed()
    assert again.get(queue).body == b"a"
    assert again.get("R").feedback == mq.MQFB_COA


def test_a_report_asks_for_no_report(qm, queue, replies):
    qm.put(queue, b"a", **replies)
    assert qm.get("R").descriptor.report == 0


def test_a_waiting_getter_does_not_swallow_it(qm, queue, replies, spawn, waiting):
    got = spawn(qm.get, queue, wait=120.0)
    waiting(qm, queue)
    qm.put(queue, b"a", **replies)
    assert got.result(60).body == b"a"
    assert qm.get("R").feedback == mq.MQFB_COA
