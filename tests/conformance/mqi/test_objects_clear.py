"""CLEAR QLOCAL: takes all messages off a queue that nobody uses."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


def reply(qm, command):
    return qm.mqsc(command)[0]


def test_it_empties_the_queue(qm, embed, queue):
    qm.put(queue, b"a")
    qm.put(queue, b"b", persistent=True)
    assert reply(qm, "CLEAR QLOCAL(Q)").id.endswith("I")
    assert qm.get(queue) is None
    qm.close()
    assert embed().get(queue) is None


@pytest.mark.parametrize("options", [mq.MQOO_INPUT_SHARED, mq.MQOO_OUTPUT, mq.MQOO_BROWSE, mq.MQOO_INQUIRE])
def test_an_open_queue_is_not_cleared(qm, queue, options):
    qm.put(queue, b"a")
    with qm.open(queue, options):
        assert reply(qm, "CLEAR QLOCAL(Q)").id.endswith("E")
    assert qm.get(queue).body == b"a"


def test_uncommitted_messages_forbid_it(qm, queue):
    qm.begin()
    qm.put(queue, b"a")
    assert reply(qm, "CLEAR QLOCAL(Q)").id.endswith("E")
    qm.commit()
    assert qm.get(queue).body == b"a"
