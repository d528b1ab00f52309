"""Ids of reports (section 5): new or passed message id, message id or passed correlation id."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def report(qm, queue, run):
    run("DEFINE QLOCAL(R)")

    def of(options):
        receipt = qm.put(queue, b"a", correl_id=b"c" * 24, report=mq.MQRO_COA | options, reply_to="R")
        return receipt, qm.get("R")

    return of


def test_by_default_the_id_is_new_and_the_message_id_becomes_the_correlation_id(report):
    receipt, found = report(0)
    assert found.msg_id not in (receipt.msg_id, bytes(24))
    assert found.correl_id == receipt.msg_id


def test_pass_msg_id(report):
    receipt, found = report(mq.MQRO_PASS_MSG_ID)
    assert found.msg_id == receipt.msg_id


def test_pass_correl_id(report):
    receipt, found = report(mq.MQRO_PASS_CORREL_ID)
    assert found.correl_id == b"c" * 24
    assert found.msg_id != receipt.msg_id
