"""CURDEPTH (sections 4 and 14): uncommitted puts count, uncommitted gets do not."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq


@pytest.fixture
def depth(qm, queue):
    handle = qm.open(queue, mq.MQOO_INQUIRE)
    return lambda: handle.inquire("CURDEPTH")["CURDEPTH"]


def test_puts_and_gets(qm, queue, depth):
    qm.put_many(queue, [b"a", b"b"])
    assert depth() == 2
    qm.get(queue)
    assert depth() == 1


@pytest.mark.parametrize("persistent", [False, True])
def test_an_uncommitted_put_counts(qm, queue, depth, persistent):
    qm.begin()
    qm.put(queue, b"a", persistent=persistent)
    assert depth() == 1
    qm.backout()
    assert depth() == 0


@pytest.mark.parametrize("persistent", [False, True])
def test_an_uncommitted_get_does_not(qm, queue, depth, persistent):
    qm.put(queue, b"a", persistent=persistent)
    qm.begin()
    qm.get(queue)
    assert depth() == 0
    qm.backout()
    assert depth() == 1


def test_an_expired_message_counts_until_it_is_discarded(qm, queue, depth):
    qm.put(queue, b"a", expiry=0.001)
    time.sleep(0.01)
    assert depth() == 1
    assert qm.get(queue) is None
    assert depth() == 0
