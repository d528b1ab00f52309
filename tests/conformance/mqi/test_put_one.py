"""MQPUT1: a put without a handle."""

from __future__ import annotations

from penstock.model import constants as mq


def test_it_takes_what_a_handle_takes(qm, queue):
    receipt = qm.put(
        queue, b"a", priority=3, persistent=True, correl_id=b"c", reply_to="R", properties={"n": 1}
    )
    message = qm.get(queue)
    assert (message.msg_id, message.priority, message.persistent) == (receipt.msg_id, 3, True)
    assert (message.reply_to, message.properties["n"]) == ("R", 1)


def test_the_receipt_says_where_it_went(qm, queue, run):
    run("DEFINE QALIAS(A) TARGET(Q)")
    receipt = qm.put("A", b"a", priority=1)
    assert (receipt.resolved_queue, receipt.resolved_qmgr, receipt.warning) == ("Q", "QM1", 0)


def test_logical_order_needs_a_handle(qm, queue, fails):
    with fails(2046):
        qm.put(queue, b"a", options=mq.MQPMO_LOGICAL_ORDER, flags=mq.MQMF_MSG_IN_GROUP)


def test_it_does_not_need_the_queue_to_be_free(qm, queue):
    with qm.open(queue, mq.MQOO_INPUT_EXCLUSIVE) as handle:
        qm.put(queue, b"a", priority=0)
        assert handle.get().body == b"a"
