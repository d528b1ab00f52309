"""Reports that cannot reach their queue go to the dead-letter queue and never fail the verb."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader, TransmissionHeader


@pytest.fixture
def dead(queue, run):
    run("DEFINE QLOCAL(DLQ)")
    run("ALTER QMGR DEADQ(DLQ)")


@pytest.mark.parametrize("persistent", [False, True])
def test_a_missing_reply_queue(qm, queue, dead, persistent):
    qm.put(queue, b"a", persistent=persistent, report=mq.MQRO_COA_WITH_FULL_DATA, reply_to="NONE")
    letter = qm.get("DLQ", wait=60.0)
    header = DeadLetterHeader.unpack(letter.body)
    assert (header.reason, header.queue, header.qmgr) == (2085, "NONE", "QM1")
    assert letter.body[172:] == b"a"
    assert (letter.format, letter.feedback) == (mq.MQFMT_DEAD_LETTER_HEADER, mq.MQFB_COA)
    assert qm.get(queue).body == b"a"


UNWILLING = [("MAXDEPTH(0)", 2053), ("PUT(DISABLED)", 2051), ("MAXMSGL(0)", 2030)]


@pytest.mark.parametrize(("attributes", "reason"), UNWILLING)
def test_a_reply_queue_that_takes_nothing(qm, queue, dead, run, attributes, reason):
    run(f"DEFINE QLOCAL(R) {attributes}")
    qm.put(queue, b"a", report=mq.MQRO_COA_WITH_FULL_DATA, reply_to="R")
    assert DeadLetterHeader.unpack(qm.get("DLQ").body).reason == reason


def test_in_a_unit_the_dead_letter_belongs_to_the_unit(qm, queue, dead):
    qm.begin()
    qm.put(queue, b"a", report=mq.MQRO_COA, reply_to="NONE")
    qm.backout()
    assert qm.get("DLQ") is None


@pytest.mark.parametrize("persistent", [False, True])
def test_without_a_dead_letter_queue_the_put_succeeds_all_the_same(qm, queue, persistent):
    qm.put(queue, b"a", persistent=persistent, report=mq.MQRO_COA, reply_to="NONE")
    assert qm.get(queue).body == b"a"


def test_a_report_to_another_queue_manager_goes_to_its_transmission_queue(qm, queue, run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    qm.put(queue, b"a", report=mq.MQRO_COA, reply_to="R", reply_to_qmgr="QM2")
    header = TransmissionHeader.unpack(qm.get("QM2").body)
    assert (header.queue, header.qmgr, header.message.feedback) == ("R", "QM2", mq.MQFB_COA)
