"""BOTHRESH and BOQNAME (section 4): by default only stored; the queue manager counts."""

from __future__ import annotations

from penstock.model import constants as mq


def back_out(qm, queue, times):
    for _ in range(times):
        qm.begin()
        qm.get(queue)
        qm.backout()


def test_nothing_is_moved_by_default(qm, run):
    run("DEFINE QLOCAL(BO)")
    run("DEFINE QLOCAL(Q) BOTHRESH(2) BOQNAME(BO)")
    qm.put("Q", b"a")
    back_out(qm, "Q", 5)
    assert qm.get("BO") is None
    assert qm.get("Q").backout_count == 5


def test_applications_can_read_both(qm, run):
    run("DEFINE QLOCAL(Q) BOTHRESH(2) BOQNAME(BO)")
    with qm.open("Q", mq.MQOO_INQUIRE) as handle:
        found = handle.inquire(mq.MQIA_BACKOUT_THRESHOLD, mq.MQCA_BACKOUT_REQ_Q_NAME)
    assert list(found.values()) == [2, "BO".ljust(48)]
