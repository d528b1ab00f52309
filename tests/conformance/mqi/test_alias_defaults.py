"""Alias queues: the first object on the path gives default persistence and priority (section 1)."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def alias(run):
    run("DEFINE QLOCAL(Q) DEFPSIST(NO) DEFPRTY(1)")
    run("DEFINE QALIAS(A) TARGET(Q) DEFPSIST(YES) DEFPRTY(7)")


def test_put_through_the_alias_takes_the_aliass_defaults(qm, alias):
    qm.put("A", b"a")
    message = qm.get("Q")
    assert (message.persistent, message.priority) == (True, 7)


def test_put_to_the_base_takes_the_bases_defaults(qm, alias):
    qm.put("Q", b"a")
    message = qm.get("Q")
    assert (message.persistent, message.priority) == (False, 1)


def test_a_handle_does_the_same(qm, alias):
    with qm.open("A", mq.MQOO_OUTPUT) as handle:
        handle.put(b"a")
    message = qm.get("Q")
    assert (message.persistent, message.priority) == (True, 7)


def test_what_is_given_wins(qm, alias):
    qm.put("A", b"a", persistent=False, priority=2)
    message = qm.get("Q")
    assert (message.persistent, message.priority) == (False, 2)
