"""MQDLH (section 5): reason, destination and what the message was."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import DeadLetterHeader
from penstock.tools import dead_letters


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


def test_the_descriptor_describes_the_header_not_the_body(letter):
    descriptor = letter.descriptor
    header = DeadLetterHeader.unpack(letter.body, descriptor.encoding, descriptor.ccsid)
    assert (header.reason, header.queue, header.encoding, header.ccsid) == (2085, "NONE", 273, 819)


def test_a_letter_of_a_mainframe_is_sent_on_as_it_was(qm, run):
    """Its body is big-endian EBCDIC, its header is not."""
    run("ALTER QMGR DEADQ(SYSTEM.DEAD.LETTER.QUEUE)")
    run("DEFINE QLOCAL(ORDERS) BOTHRESH(1) CUSTOM('BACKOUT(MOVE)')")
    qm.put("ORDERS", b"\xc1\xc2\x00", format="MQSTR", ccsid=37, encoding=785)
    qm.begin()
    qm.get("ORDERS")
    qm.backout()
    [found] = dead_letters.find(qm, "SYSTEM.DEAD.LETTER.QUEUE", dead_letters.Filter(reason=2362), 0.0)
    assert (found.destination, found.body) == ("ORDERS", b"\xc1\xc2\x00")
    assert dead_letters.retry(qm, "SYSTEM.DEAD.LETTER.QUEUE", found)
    again = qm.get("ORDERS")
    descriptor = again.descriptor
    assert (again.body, again.format) == (b"\xc1\xc2\x00", "MQSTR")
    assert (descriptor.ccsid, descriptor.encoding) == (37, 785)


def test_it_says_who_and_when(letter):
    header = DeadLetterHeader.unpack(letter.body)
    assert (header.put_appl_type, header.put_appl_name) == (mq.MQAT_QMGR, "QM1")
    assert (len(header.put_date), len(header.put_time)) == (8, 8)
