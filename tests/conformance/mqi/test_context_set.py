"""SET_IDENTITY and SET_ALL context: the application says who put the message."""

from __future__ import annotations

from penstock.model import constants as mq


def test_set_identity_sets_identity_only(qm, queue):
    with qm.open(queue, mq.MQOO_OUTPUT | mq.MQOO_SET_IDENTITY_CONTEXT) as handle:
        given = {"user_id": "alice", "appl_identity_data": "desk 4", "put_appl_name": "x"}
        handle.put(b"a", options=mq.MQPMO_SET_IDENTITY_CONTEXT, **given)
    descriptor = qm.get(queue).descriptor
    assert (descriptor.user_id, descriptor.appl_identity_data) == ("alice", "desk 4")
    assert descriptor.put_appl_name != "x"
    assert descriptor.put_appl_type == mq.MQAT_UNIX


def test_set_all_sets_identity_origin_and_time(qm, queue):
    with qm.open(queue, mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as handle:
        handle.put(
            b"a",
            options=mq.MQPMO_SET_ALL_CONTEXT,
            user_id="alice",
            accounting_token=b"t" * 32,
            put_appl_type=mq.MQAT_CICS,
            put_appl_name="PAY1",
            appl_origin_data="ab",
            put_time=1_000_000_000.0,
        )
    message = qm.get(queue)
    descriptor = message.descriptor
    assert (descriptor.user_id, descriptor.accounting_token) == ("alice", b"t" * 32)
    assert (descriptor.put_appl_type, descriptor.put_appl_name) == (mq.MQAT_CICS, "PAY1")
    assert (descriptor.appl_origin_data, message.put_time) == ("ab", 1_000_000_000.0)


def test_set_all_may_set_identity_alone(qm, queue):
    with qm.open(queue, mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as handle:
        handle.put(b"a", options=mq.MQPMO_SET_IDENTITY_CONTEXT, user_id="alice")
    assert qm.get(queue).user_id == "alice"


def test_decision_what_is_not_given_is_blank(qm, queue):
    qm.put(queue, b"a", options=mq.MQPMO_SET_IDENTITY_CONTEXT, appl_identity_data="d")
    assert qm.get(queue).user_id == ""


def test_a_put_time_of_the_past_does_not_age_the_queue(qm, queue):
    with qm.open(queue, mq.MQOO_OUTPUT | mq.MQOO_SET_ALL_CONTEXT) as handle:
        handle.put(b"a", options=mq.MQPMO_SET_ALL_CONTEXT, put_time=1_000_000_000.0, expiry=60.0)
    assert qm.engine.queues[queue].last_put > 1_500_000_000
    assert qm.get(queue).expiry > 58
