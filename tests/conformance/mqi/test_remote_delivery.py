"""A receiving end resolves a destination as an MQOPEN with both names does (A2): aliases, multi-hop."""

from __future__ import annotations

import time

import pytest

from penstock.model.errors import MQError
from penstock.model.headers import DeadLetterHeader, TransmissionHeader
from penstock.model.message import Descriptor, Message
from penstock.model.onward import HOPS_MAX, Onward
from penstock.qmgr.channels import delivery

OWN = Descriptor(
    user_id="alice", put_appl_name="orders", put_appl_type=28, reply_to="BACK", reply_to_qmgr="QM9"
)


@pytest.fixture
def deliver(qm):
    def arrive(queue, qmgr, hops=0, body=b"body", descriptor=OWN, **options):
        message = Message(body, b"m" * 24, b"c" * 24, descriptor=descriptor, put_time=1000.0)
        with qm.gate:
            onward = Onward(queue, qmgr, descriptor, hops=hops)
            now, how = time.time(), delivery.Delivery(**options)
            try:
                delivery.put(qm.engine, delivery.Destinations(qm.engine, how), onward, message, None, now)
            except MQError as failure:
                delivery.give_up(qm.engine, onward, message, failure, None, now, how)
                return failure.reason
            return 0

    return arrive


def test_a_message_for_a_queue_here_keeps_its_context(qm, queue, deliver):
    assert deliver(queue, "QM1") == 0
    message = qm.get(queue)
    assert (message.body, message.msg_id, message.correl_id) == (b"body", b"m" * 24, b"c" * 24)
    assert (message.user_id, message.descriptor.put_appl_name, message.put_time) == (
        "alice",
        "orders",
        1000.0,
    )


def test_a_queue_manager_alias_accepts_mail_for_another_name(qm, queue, deliver, run):
    run("DEFINE QREMOTE(EUROPE) RQMNAME(QM1)")
    assert deliver(queue, "EUROPE") == 0
    assert qm.get(queue).body == b"body"


def test_a_message_for_another_queue_manager_goes_to_the_next_transmission_queue(qm, deliver, run):
    run("DEFINE QLOCAL(QM3) USAGE(XMITQ)")
    assert deliver("ORDERS", "QM3", hops=2) == 0
    (stored,) = qm.engine.queues["QM3"].messages()
    assert stored.onward.hops == 3
    message = qm.get("QM3")
    header = TransmissionHeader.unpack(message.body)
    assert (header.queue, header.qmgr) == ("ORDERS", "QM3")
    assert (header.message.msg_id, header.message.user_id) == (b"m" * 24, "alice")
    assert message.body[428:] == b"body"


def test_defxmitq_takes_what_nothing_else_leads_to(qm, deliver, run):
    run("DEFINE QLOCAL(OUT) USAGE(XMITQ)\nALTER QMGR DEFXMITQ(OUT)")
    assert deliver("ORDERS", "FARAWAY") == 0
    assert TransmissionHeader.unpack(qm.get("OUT").body).qmgr == "FARAWAY"


def test_a_circle_ends_on_the_dead_letter_queue(qm, deliver, run):
    run("DEFINE QLOCAL(QM3) USAGE(XMITQ)\nDEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    assert deliver("ORDERS", "QM3", hops=HOPS_MAX - 1) == 0
    assert deliver("ORDERS", "QM3", hops=HOPS_MAX) == 8070
    letter = DeadLetterHeader.unpack(qm.get("DLQ").body)
    assert (letter.reason, letter.queue, letter.qmgr) == (8070, "ORDERS", "QM3")


def test_an_unknown_queue_is_a_dead_letter(qm, deliver, run):
    run("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    assert deliver("NOWHERE", "QM1") == 2085
    assert DeadLetterHeader.unpack(qm.get("DLQ").body).queue == "NOWHERE"


def test_without_a_dead_letter_queue_the_reason_is_raised(qm, deliver):
    with pytest.raises(MQError) as caught:
        deliver("NOWHERE", "QM1")
    assert caught.value.reason == 2085


def test_usedlq_no_raises_although_there_is_a_dead_letter_queue(qm, deliver, run):
    run("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)")
    with pytest.raises(MQError):
        deliver("NOWHERE", "QM1", uses_dead_letters=False)
    assert qm.get("DLQ") is None


def test_an_exception_report_names_the_reason(qm, deliver, run):
    run("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\nDEFINE QLOCAL(BACK)")
    asking = OWN.replace(report=0x01000000, reply_to_qmgr="QM1")
    assert deliver("NOWHERE", "QM1", descriptor=asking) == 2085
    assert qm.get("BACK").feedback == 2085
    assert qm.get("DLQ") is not None


def test_discard_with_a_report_leaves_no_dead_letter(qm, deliver, run):
    run("DEFINE QLOCAL(DLQ)\nALTER QMGR DEADQ(DLQ)\nDEFINE QLOCAL(BACK)")
    asking = OWN.replace(report=0x01000000 | 0x08000000, reply_to_qmgr="QM1")
    assert deliver("NOWHERE", "QM1", descriptor=asking) == 2085
    assert qm.get("BACK").feedback == 2085
    assert qm.get("DLQ") is None
