"""Closing a handle inside a group or a segmented message: warnings 2241 and 2242."""

from __future__ import annotations

from penstock.model import constants as mq

LOGICAL = mq.MQPMO_LOGICAL_ORDER


def test_an_open_group_is_warned_of_at_close(qm, queue):
    handle = qm.open(queue)
    handle.put(b"a", options=LOGICAL, flags=mq.MQMF_MSG_IN_GROUP)
    assert handle.close() == 2241


def test_an_open_message_is_warned_of_at_close(qm, queue):
    handle = qm.open(queue)
    handle.put(b"a", options=LOGICAL, flags=mq.MQMF_SEGMENT)
    assert handle.close() == 2242


def test_a_finished_group_is_not(qm, queue):
    handle = qm.open(queue)
    handle.put(b"a", options=LOGICAL, flags=mq.MQMF_LAST_MSG_IN_GROUP)
    assert handle.close() == 0


def test_the_handle_is_closed_all_the_same(qm, queue, fails):
    handle = qm.open(queue)
    handle.put(b"a", options=LOGICAL, flags=mq.MQMF_MSG_IN_GROUP)
    handle.close()
    with fails(2019):
        handle.put(b"b")
