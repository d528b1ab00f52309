"""Reply-to aliases and blanks in ReplyToQ and ReplyToQMgr (section 1)."""

from __future__ import annotations

from penstock.model import constants as mq


def test_the_local_name_is_filled_in(qm, queue):
    receipt = qm.put(queue, b"a", reply_to="REPLIES")
    assert qm.get(queue).reply_to_qmgr == "QM1"
    assert receipt.descriptor.reply_to_qmgr == "QM1"


def test_a_reply_to_alias_is_replaced(qm, queue, run):
    run("DEFINE QREMOTE(ANSWER) RNAME(REAL.REPLIES) RQMNAME(QM7)")
    qm.put(queue, b"a", reply_to="ANSWER")
    message = qm.get(queue)
    assert (message.reply_to, message.reply_to_qmgr) == ("REAL.REPLIES", "QM7")


def test_with_a_queue_manager_nothing_is_replaced(qm, queue, run):
    run("DEFINE QREMOTE(ANSWER) RNAME(REAL.REPLIES) RQMNAME(QM7)")
    qm.put(queue, b"a", reply_to="ANSWER", reply_to_qmgr="QM1")
    message = qm.get(queue)
    assert (message.reply_to, message.reply_to_qmgr) == ("ANSWER", "QM1")


def test_decision_a_blank_rqmname_is_this_queue_manager(qm, queue, run):
    run("DEFINE QREMOTE(ANSWER) RNAME(REAL.REPLIES)")
    qm.put(queue, b"a", reply_to="ANSWER")
    message = qm.get(queue)
    assert (message.reply_to, message.reply_to_qmgr) == ("REAL.REPLIES", "QM1")


def test_suppress_replyto_sends_neither(qm, queue):
    qm.put(queue, b"a", reply_to="REPLIES", options=mq.MQPMO_SUPPRESS_REPLYTO)
    message = qm.get(queue)
    assert (message.reply_to, message.reply_to_qmgr) == ("", "")
