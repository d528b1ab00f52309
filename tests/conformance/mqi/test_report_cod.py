"""Confirm on delivery (section 5): when the message is got, at commit in a unit of work."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def replies(queue, run):
    run("DEFINE QLOCAL(R)")
    return {"report": mq.MQRO_COD, "reply_to": "R"}


@pytest.mark.parametrize("persistent", [False, True])
def test_it_comes_with_the_get(qm, queue, replies, persistent):
    receipt = qm.put(queue, b"a", persistent=persistent, **replies)
    assert qm.get("R") is None
    qm.get(queue)
    report = qm.get("R", wait=60.0)
    assert (report.feedback, report.correl_id) == (mq.MQFB_COD, receipt.msg_id)
    assert bool(report.persistent) is persistent


def test_a_browse_delivers_nothing(qm, queue, replies):
    qm.put(queue, b"a", **replies)
    assert [m.body for m in qm.browse(queue)] == [b"a"]
    assert qm.get("R") is None


@pytest.mark.parametrize("persistent", [False, True])
def test_in_a_unit_it_comes_with_the_commit(qm, embed, queue, replies, persistent):
    other = embed()
    qm.put(queue, b"a", persistent=persistent, **replies)
    with qm.unit_of_work():
        qm.get(queue)
        assert other.get("R") is None
    assert other.get("R").feedback == mq.MQFB_COD


def test_a_backed_out_get_reports_nothing(qm, queue, replies):
    qm.put(queue, b"a", **replies)
    qm.begin()
    qm.get(queue)
    qm.backout()
    assert qm.get("R") is None
    qm.get(queue)
    assert qm.get("R").feedback == mq.MQFB_COD


def test_a_getter_that_waits_delivers_too(qm, queue, replies, spawn, waiting):
    got = spawn(qm.get, queue, wait=120.0)
    waiting(qm, queue)
    qm.put(queue, b"a", **replies)
    assert got.result(60).body == b"a"
    assert qm.get("R").feedback == mq.MQFB_COD


def test_a_message_put_and_got_in_one_unit_reports_with_its_commit(qm, embed, queue, replies):
    other = embed()
    for commit in (False, True):
        qm.begin()
        qm.put(queue, b"a", **replies)
        assert qm.get(queue).body == b"a"
        assert other.get("R") is None
        qm.commit() if commit else qm.backout()
        assert (other.get("R") is not None) is commit


def test_clear_delivers_nothing(qm, queue, replies, run):
    qm.put(queue, b"a", **replies)
    run("CLEAR QLOCAL(Q)")
    assert qm.get("R") is None
