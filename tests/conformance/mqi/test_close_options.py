"""MQCLOSE options: DELETE and DELETE_PURGE are for dynamic queues only."""

from __future__ import annotations

from penstock.model import constants as mq


def test_a_predefined_queue_cannot_be_deleted_by_close(qm, queue, fails):
    handle = qm.open(queue)
    for option in (mq.MQCO_DELETE, mq.MQCO_DELETE_PURGE):
        with fails(2045):
            handle.close(option)
    assert handle.close() == 0


def test_delete_and_purge_exclude_each_other(qm, fails):
    handle = qm.open("SYSTEM.DEFAULT.MODEL.QUEUE")
    with fails(2046):
        handle.close(mq.MQCO_DELETE | mq.MQCO_DELETE_PURGE)


def test_unknown_options_are_refused(qm, queue, fails):
    with qm.open(queue) as handle, fails(2046):
        handle.close(0x1000)


def test_subscription_options_are_not_for_queues(qm, queue, fails):
    with qm.open(queue) as handle, fails(2045):
        handle.close(mq.MQCO_KEEP_SUB)


def test_a_failed_close_leaves_the_handle_open(qm, queue, fails):
    handle = qm.open(queue)
    with fails(2045):
        handle.close(mq.MQCO_DELETE)
    handle.put(b"a")
    assert handle.get().body == b"a"
