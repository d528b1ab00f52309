"""Exception reports (section 5) are for those who cannot deliver: a put that fails says so itself."""

from __future__ import annotations

from penstock.model import constants as mq


def test_decision_a_failed_put_makes_no_exception_report(qm, run, fails):
    run("DEFINE QLOCAL(Q) MAXDEPTH(0)")
    run("DEFINE QLOCAL(R)")
    with fails(2053):
        qm.put("Q", b"a", report=mq.MQRO_EXCEPTION, reply_to="R")
    assert qm.get("R") is None


def test_the_option_travels_with_the_message(qm, queue):
    qm.put(queue, b"a", report=mq.MQRO_EXCEPTION_WITH_DATA | mq.MQRO_DISCARD_MSG, reply_to="R")
    assert qm.get(queue).descriptor.report == mq.MQRO_EXCEPTION_WITH_DATA | mq.MQRO_DISCARD_MSG
