"""The dead-letter tool: finding letters, and sending them on without losing or changing anything."""

from __future__ import annotations

import time

import pytest

import penstock
from penstock.model import constants as mq
from penstock.model.descriptor_format import format_put_time
from penstock.model.failure_properties import failure_of
from penstock.model.headers import DeadLetterHeader, TransmissionHeader
from penstock.tools import dead_letters as tool

HOUR = 3600.0


@pytest.fixture
def qm():
    with penstock.embed("QM1", create=True, file_pages=64, primary_files=2) as opened:
        for name in ("DLQ", "ORDERS", "OTHER", "R"):
            opened.mqsc(f"DEFINE QLOCAL({name})")
        opened.mqsc("ALTER QMGR DEADQ(DLQ)")
        yield opened


def bury(qm, body=b"apples", reason=2053, queue="ORDERS", qmgr="QM1", age=0.0, **fields):
    date, moment = format_put_time(time.time() - age)
    header = DeadLetterHeader(reason, queue, qmgr, 273, 819, "MINE", put_date=date, put_time=moment)
    return qm.put("DLQ", header.pack() + body, format="MQDEAD", **fields)


def find(qm, **wanted):
    return tool.find(qm, "DLQ", tool.Filter(**wanted), time.time())


def test_the_queue_managers_own_queue_is_the_default(qm):
    assert tool.dead_letter_queue(qm) == "DLQ"
    assert tool.dead_letter_queue(qm, "OTHER") == "OTHER"
    qm.mqsc("ALTER QMGR DEADQ(' ')")
    with pytest.raises(penstock.MQError, match="2085"):
        tool.dead_letter_queue(qm)


@pytest.mark.parametrize(
    ("wanted", "bodies"),
    [
        ({}, [b"1", b"2", b"3"]),
        ({"reason": 2085}, [b"2"]),
        ({"destination": "OTHER"}, [b"3"]),
        ({"selector": "colour = 'red'"}, [b"1"]),
        ({"age_seconds": HOUR}, [b"2"]),
        ({"count": 2}, [b"1", b"2"]),
        ({"reason": 2085, "destination": "OTHER"}, []),
    ],
)
def test_filters(qm, wanted, bodies):
    bury(qm, b"1", properties={"colour": "red"})
    bury(qm, b"2", reason=2085, age=2 * HOUR)
    bury(qm, b"3", queue="OTHER")

    assert [letter.body for letter in find(qm, **wanted)] == bodies


def test_one_message_by_its_id(qm):
    bury(qm, b"1")
    receipt = bury(qm, b"2")

    assert [letter.body for letter in find(qm, msg_id=receipt.msg_id)] == [b"2"]


def test_retry_restores_the_message(qm):
    receipt = bury(
        qm, persistent=True, priority=6, correl_id=b"c" * 24, reply_to="R", properties={"n": 1}, expiry=6000.0
    )

    assert tool.retry(qm, "DLQ", find(qm)[0])

    message = qm.get("ORDERS")
    descriptor = message.descriptor
    assert (message.body, message.format) == (b"apples", "MINE")
    assert (descriptor.encoding, descriptor.ccsid) == (273, 819)
    assert (message.msg_id, message.correl_id, message.put_time) == (
        receipt.msg_id,
        b"c" * 24,
        receipt.put_time,
    )
    assert (message.persistent, message.priority, message.properties["n"]) == (True, 6, 1)
    assert (message.reply_to, message.user_id) == ("R", receipt.descriptor.user_id)
    assert 5000 < message.expiry <= 6000
    assert qm.get("DLQ") is None


@pytest.mark.parametrize("wrapped", [False, True])
def test_a_dead_letter_that_a_flow_backed_out_goes_back_as_it_was(qm, wrapped):
    """From a backout queue with the header that it had; from DEADQ without the second one."""
    own = DeadLetterHeader(2053, "OTHER", "QM1", 273, 819, "MINE").pack() + b"apples"
    body = own
    if wrapped:
        header = DeadLetterHeader(mq.MQRC_BACKOUT_THRESHOLD_REACHED, "ORDERS", "QM1", 546, 1208, "MQDEAD")
        body = header.pack() + own
    why = failure_of(None, "orders", "In", "ORDERS", time.time(), mq.MQRC_BACKOUT_THRESHOLD_REACHED)
    qm.put("DLQ", body, format="MQDEAD", properties=why.properties())

    assert tool.retry(qm, "DLQ", find(qm)[0])

    message = qm.get("ORDERS")
    assert (message.body, message.format, dict(message.properties or {})) == (own, "MQDEAD", {})
    assert qm.get("OTHER") is None


def test_a_retry_that_fails_leaves_the_letter(qm):
    qm.mqsc("ALTER QLOCAL(ORDERS) MAXDEPTH(0)")
    bury(qm)

    with pytest.raises(penstock.MQError, match="2053"):
        tool.retry(qm, "DLQ", find(qm)[0])

    assert [letter.body for letter in find(qm)] == [b"apples"]


def test_a_letter_that_is_gone_is_not_sent(qm):
    bury(qm)
    letter = find(qm)[0]
    qm.get("DLQ")

    assert not tool.retry(qm, "DLQ", letter)
    assert qm.get("ORDERS") is None


def test_letters_with_the_same_ids_are_kept_apart(qm):
    bury(qm, b"1", msg_id=b"same")
    bury(qm, b"2", msg_id=b"same")

    assert tool.retry(qm, "DLQ", find(qm)[1])

    assert qm.get("ORDERS").body == b"2"
    assert [letter.body for letter in find(qm)] == [b"1"]


def test_retry_to_another_queue_manager_uses_its_transmission_queue(qm):
    qm.mqsc("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    bury(qm, queue="THERE", qmgr="QM2")

    tool.retry(qm, "DLQ", find(qm)[0])

    header = TransmissionHeader.unpack(qm.get("QM2").body)
    assert (header.queue, header.qmgr) == ("THERE", "QM2")


@pytest.mark.parametrize("body", [b"", b"DLH ", b"x" * 200])
def test_what_has_no_header_is_found_but_cannot_be_retried(qm, body):
    qm.put("DLQ", body, format="MQDEAD")

    letter = find(qm)[0]

    assert (letter.header, letter.body, letter.destination) == (None, body, "")
    with pytest.raises(penstock.MQError, match="2141"):
        tool.retry(qm, "DLQ", letter)


@pytest.mark.parametrize("keep_header", [True, False])
def test_move_with_or_without_header(qm, keep_header):
    bury(qm)

    tool.move(qm, "DLQ", find(qm)[0], "OTHER", keep_header)

    message = qm.get("OTHER")
    assert message.format == ("MQDEAD" if keep_header else "MINE")
    assert message.length == (172 + 6 if keep_header else 6)


def test_remove_takes_it_off(qm):
    bury(qm)

    assert tool.remove(qm, "DLQ", find(qm)[0])
    assert find(qm) == []


def test_a_retried_message_still_asks_for_its_reports(qm):
    bury(qm, report=mq.MQRO_COD, reply_to="R")

    tool.retry(qm, "DLQ", find(qm)[0])
    assert qm.get("R") is None
    qm.get("ORDERS")

    assert qm.get("R").feedback == mq.MQFB_COD
