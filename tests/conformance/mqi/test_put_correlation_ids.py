"""Correlation ids (section 1): zeros unless given; NEW_CORREL_ID makes one."""

from __future__ import annotations

from penstock.model import constants as mq


def test_without_one_it_is_zeros(qm, queue):
    assert qm.put(queue, b"a").correl_id == bytes(24)


def test_a_given_one_is_kept(qm, queue):
    qm.put(queue, b"a", correl_id=b"c" * 24)
    assert qm.get(queue).correl_id == b"c" * 24


def test_new_correl_id_makes_one(qm, queue):
    receipt = qm.put(queue, b"a", correl_id=b"c" * 24, options=mq.MQPMO_NEW_CORREL_ID)
    assert receipt.correl_id.startswith(b"AMQ ")
    assert receipt.correl_id != receipt.msg_id
    assert qm.get(queue, correl_id=receipt.correl_id).body == b"a"


def test_one_that_is_too_long_is_refused(qm, queue, fails):
    with fails(2026):
        qm.put(queue, b"a", correl_id=b"x" * 25)
