"""MQDLH (section 5): reason, destination and what the message was."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader


@pytest.fixture
def letter(qm, queue, run):
    run("DEFINE QLOCAL(DLQ)")
    run("ALTER QMGR DEADQ(DLQ)")
    described = {"format": "MINE", "ccsid": 819, "encoding": 273}
    qm.put(queue, b"body", reply_to="NONE", report=mq.MQRO_COA_WITH_FULL_DATA, **described)
    return qm.get("DLQ")


def test_it_says_why_and_where(letter):
    header = DeadLetterHeader.unpack(letter.body)
    assert (header.reason, header.queue, header.qmgr) == (2085, "NONE", "QM1")


def test_it_keeps_what_the_message_was(letter):
    header = DeadLetterHeader.unpack(letter.body)
    assert (header.format, header.ccsid, header.encoding) == ("MINE", 819, 273)
    assert letter.format == "MQDEAD"
    assert letter.body[172:] == b"body"


def test_it_says_who_and_when(letter):
    header = DeadLetterHeader.unpack(letter.body)
    assert (header.put_appl_type, header.put_appl_name) == (mq.MQAT_QMGR, "QM1")
    assert (len(header.put_date), len(header.put_time)) == (8, 8)
