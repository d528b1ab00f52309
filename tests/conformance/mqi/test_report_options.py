"""Report options on put (section 1): 2061 for unknown ones, 2027 without a reply queue."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.mark.parametrize("report", [0x10000000, 0x00040000, 0x00080000, 0x200])
def test_options_that_are_not_known_are_refused(qm, queue, fails, report):
    with fails(2061):
        qm.put(queue, b"a", report=report, reply_to="R")
    assert qm.get(queue) is None


@pytest.mark.parametrize("report", [mq.MQRO_COA, mq.MQRO_COD, mq.MQRO_EXPIRATION, mq.MQRO_EXCEPTION])
def test_a_report_needs_a_reply_queue(qm, queue, fails, report):
    with fails(2027):
        qm.put(queue, b"a", report=report)


def test_options_that_ask_for_no_report_need_none(qm, queue):
    report = mq.MQRO_PASS_MSG_ID | mq.MQRO_PASS_CORREL_ID | mq.MQRO_DISCARD_MSG
    qm.put(queue, b"a", report=report)
    assert qm.get(queue).descriptor.report == report
