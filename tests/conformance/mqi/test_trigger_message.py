"""Trigger messages (section 5): what is in them."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq
from penstock.model.headers import TriggerMessage


@pytest.fixture
def monitor(qm, run):
    run("DEFINE PROCESS(P) APPLTYPE(UNIX) APPLICID('/opt/pay') ENVRDATA('&') USERDATA('u1')")
    run("DEFINE QLOCAL(INIT) DEFPRTY(4)")
    run("DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P) TRIGDATA('d1')")
    return qm.open("INIT", mq.MQOO_INPUT_SHARED)


def test_it_names_queue_process_and_data(qm, monitor):
    qm.put("Q", b"a")
    message = monitor.get()
    trigger = TriggerMessage.unpack(message.body)
    assert len(message.body) == 684
    assert (trigger.queue, trigger.process, trigger.trigger_data) == ("Q", "P", "d1")
    assert (trigger.appl_id, trigger.env_data, trigger.user_data) == ("/opt/pay", "&", "u1")
    assert trigger.appl_type == mq.MQAT_UNIX


def test_its_descriptor(qm, monitor):
    qm.put("Q", b"a", persistent=True, priority=9)
    message = monitor.get(wait=60.0)
    assert (message.format, bool(message.persistent), message.priority) == ("MQTRIG", False, 4)
    assert message.msg_type == mq.MQMT_DATAGRAM
    assert message.descriptor.put_appl_type == mq.MQAT_QMGR
