"""Message ids (section 1): generated in MQ's form, or the application's own."""

from __future__ import annotations

from penstock.model import constants as mq


def test_a_generated_id_is_in_mqs_form(qm, queue):
    msg_id = qm.put(queue, b"a").msg_id
    assert msg_id[:16] == b"AMQ " + b"QM1".ljust(12)
    assert len(msg_id) == 24


def test_generated_ids_differ(qm, queue):
    assert len({qm.put(queue, b"a").msg_id for _ in range(600)}) == 600


def test_ids_after_a_restart_are_new(qm, embed, queue):
    before = qm.put(queue, b"a").msg_id
    qm.close()
    assert embed().put(queue, b"a").msg_id > before


def test_an_id_of_zeros_is_replaced(qm, queue):
    assert qm.put(queue, b"a", msg_id=bytes(24)).msg_id.startswith(b"AMQ ")


def test_an_own_id_is_kept_and_a_short_one_padded(qm, queue):
    assert qm.put(queue, b"a", msg_id=b"mine").msg_id == b"mine".ljust(24, b"\0")
    assert qm.get(queue, msg_id=b"mine").body == b"a"


def test_an_id_that_is_too_long_is_refused(qm, queue, fails):
    with fails(2026):
        qm.put(queue, b"a", msg_id=b"x" * 25)


def test_new_msg_id_replaces_the_given_one(qm, queue):
    receipt = qm.put(queue, b"a", msg_id=b"mine", options=mq.MQPMO_NEW_MSG_ID)
    assert receipt.msg_id == qm.get(queue).msg_id
    assert receipt.msg_id.startswith(b"AMQ ")
