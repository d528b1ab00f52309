"""A program may put MQXQH on a transmission queue itself (A3): a channel sends what is behind it."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.headers import TransmissionHeader, extension_of
from penstock.model.message import Descriptor, Message
from penstock.model.onward import original


@pytest.fixture
def stored(qm, run):
    """Put a body to a transmission queue and return the message as a channel finds it."""
    run("DEFINE QLOCAL(QM2) USAGE(XMITQ)")

    def put(body, **options):
        qm.put("QM2", body, format="MQXMIT", **options)
        (message,) = qm.engine.queues["QM2"].messages()
        return message

    return put


def test_destination_and_message_come_from_the_header(stored):
    inner = Message(b"", b"m" * 24, b"c" * 24, descriptor=Descriptor(format="MQSTR", user_id="alice"))
    found = stored(TransmissionHeader("ORDERS", "QM2", inner).pack() + b"body", persistent=True, priority=3)
    assert found.onward is None
    onward, message = original(found, time.time())
    assert (onward.queue, onward.qmgr, onward.hops) == ("ORDERS", "QM2", 0)
    assert (message.body, message.msg_id, message.correl_id) == (b"body", b"m" * 24, b"c" * 24)
    assert (message.format, message.user_id) == ("MQSTR", "alice")
    assert (message.persistent, message.priority) == (True, 3)


def test_an_extension_behind_it_is_taken_off(stored):
    grouped = Descriptor(format="MQSTR", group_id=b"g" * 24, seq_number=2, flags=mq.MQMF_MSG_IN_GROUP)
    extension = extension_of(grouped)
    inner = Message(b"", b"m" * 24, descriptor=grouped.replace(format="MQHMDE"))
    found = stored(TransmissionHeader("ORDERS", "QM2", inner).pack() + extension.pack() + b"body")
    _, message = original(found, time.time())
    assert message.body == b"body"
    assert message.descriptor == grouped


def test_what_the_queue_manager_stored_and_what_a_program_read_are_the_same(qm, stored, run):
    run("DEFINE QREMOTE(R) RNAME(ORDERS) RQMNAME(QM2)\nDEFINE QLOCAL(COPY) USAGE(XMITQ)")
    qm.put("R", b"body", format="MQSTR", correl_id=b"c" * 24, properties={"colour": "red"})
    (first,) = qm.engine.queues["QM2"].messages()
    (seen,) = qm.browse("QM2")
    qm.put("COPY", seen.body, format="MQXMIT", properties=dict(seen.properties))
    (second,) = qm.engine.queues["COPY"].messages()
    now = time.time()
    one, other = original(first, now)[1], original(second, now)[1]
    for name in ("body", "msg_id", "correl_id", "descriptor", "properties", "persistent", "priority"):
        assert getattr(one, name) == getattr(other, name), name


def test_a_body_without_a_header_is_2260(stored):
    with pytest.raises(MQError) as caught:
        original(stored(b"no header"), time.time())
    assert caught.value.reason == 2260
