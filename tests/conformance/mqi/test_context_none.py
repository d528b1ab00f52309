"""NO_CONTEXT: a message that says nothing about its putter."""

from __future__ import annotations

from penstock.model import constants as mq


def test_identity_and_origin_are_blank(qm, queue):
    qm.put(queue, b"a", options=mq.MQPMO_NO_CONTEXT)
    descriptor = qm.get(queue).descriptor
    assert (descriptor.user_id, descriptor.put_appl_name) == ("", "")
    assert descriptor.put_appl_type == mq.MQAT_NO_CONTEXT
    assert descriptor.accounting_token == bytes(32)


def test_other_fields_stay(qm, queue):
    qm.put(queue, "a", options=mq.MQPMO_NO_CONTEXT, reply_to="R")
    message = qm.get(queue)
    assert (message.format, message.reply_to) == ("MQSTR", "R")


def test_decision_the_put_time_is_known_all_the_same(qm, queue):
    qm.put(queue, b"a", options=mq.MQPMO_NO_CONTEXT)
    assert qm.get(queue).put_time > 0
