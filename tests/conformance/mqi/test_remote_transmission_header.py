"""Remote queues (section 2): the message lands on the transmission queue behind an MQXQH."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import DescriptorExtension, TransmissionHeader


@pytest.fixture
def remote(run):
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")
    run("DEFINE QREMOTE(R) RNAME(ORDERS) RQMNAME(QM2)")


def test_the_header_names_queue_and_queue_manager(qm, remote):
    receipt = qm.put("R", b"body", format="MQSTR", priority=4)
    message = qm.get("QM2")
    header = TransmissionHeader.unpack(message.body)
    assert (header.queue, header.qmgr) == ("ORDERS", "QM2")
    assert message.body[428:] == b"body"
    assert (receipt.resolved_queue, receipt.resolved_qmgr) == ("ORDERS", "QM2")


def test_the_embedded_descriptor_is_the_applications(qm, remote):
    receipt = qm.put(
        "R", b"body", format="MQSTR", correl_id=b"c" * 24, reply_to="BACK", msg_type=mq.MQMT_REQUEST
    )
    inner = TransmissionHeader.unpack(qm.get("QM2").body).message
    assert (inner.msg_id, inner.correl_id) == (receipt.msg_id, b"c" * 24)
    assert (inner.format, inner.reply_to, inner.reply_to_qmgr) == ("MQSTR", "BACK", "QM1")
    assert inner.msg_type == mq.MQMT_REQUEST


def test_the_outer_descriptor_is_the_queue_managers(qm, remote):
    receipt = qm.put("R", b"body", persistent=True, priority=7, report=mq.MQRO_COA, reply_to="BACK")
    outer = qm.get("QM2")
    assert outer.format == "MQXMIT"
    assert outer.msg_id != receipt.msg_id
    assert outer.correl_id == receipt.msg_id
    assert (outer.persistent, outer.priority) == (True, 7)
    assert outer.descriptor.report == 0


def test_expiry_goes_into_both(qm, remote):
    qm.put("R", b"body", expiry=3000.0)
    outer = qm.get("QM2")
    inner = TransmissionHeader.unpack(outer.body, now=outer.put_time).message
    assert 2900 < outer.expiry <= 3000
    assert 2900 < inner.expires_at - outer.put_time <= 3000.1


def test_a_grouped_message_carries_an_extension(qm, remote):
    with qm.open("R", mq.MQOO_OUTPUT) as handle:
        receipt = handle.put(
            b"body", options=mq.MQPMO_LOGICAL_ORDER, flags=mq.MQMF_MSG_IN_GROUP, format="MQSTR"
        )
    body = qm.get("QM2").body
    extension = DescriptorExtension.unpack(body[428:])
    assert TransmissionHeader.unpack(body).message.format == "MQHMDE"
    assert (extension.group_id, extension.format) == (receipt.group_id, "MQSTR")
    assert body[428 + 72 :] == b"body"


def test_decision_properties_stay_with_the_transmission_message(qm, remote):
    qm.put("R", b"body", properties={"colour": "red"})
    assert dict(qm.get("QM2").properties) == {"colour": "red"}
