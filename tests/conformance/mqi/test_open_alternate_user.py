"""MQOPEN with ALTERNATE_USER_AUTHORITY: whose authority counts."""

from __future__ import annotations

from penstock.model import constants as mq


def test_the_option_and_a_user_are_taken(qm, queue):
    options = mq.MQOO_OUTPUT | mq.MQOO_ALTERNATE_USER_AUTHORITY
    with qm.open(queue, options, alternate_user="alice") as handle:
        handle.put(b"a")
    assert qm.get(queue).body == b"a"


def test_decision_messages_keep_the_users_own_name(qm, queue):
    qm.put(queue, b"plain")
    options = mq.MQOO_OUTPUT | mq.MQOO_ALTERNATE_USER_AUTHORITY
    with qm.open(queue, options, alternate_user="alice") as handle:
        handle.put(b"a")
    assert qm.get(queue).user_id == qm.get(queue).user_id != "alice"
