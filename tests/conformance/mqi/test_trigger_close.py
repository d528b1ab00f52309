"""Triggers at the close of the last getter (section 5): messages that it left behind."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq


@pytest.fixture
def monitor(qm, run):
    run("DEFINE PROCESS(P)")
    run("DEFINE QLOCAL(INIT)")
    run("DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P)")
    return qm.open("INIT", mq.MQOO_INPUT_SHARED)


def test_messages_left_behind_fire(qm, monitor):
    with qm.open("Q", mq.MQOO_INPUT_SHARED):
        qm.put("Q", b"a")
    assert monitor.get(quiet=True) is not None


def test_an_empty_queue_does_not(qm, monitor):
    with qm.open("Q", mq.MQOO_INPUT_SHARED):
        pass
    assert monitor.get(quiet=True) is None


def test_only_the_last_getters_close_counts(qm, monitor):
    first, second = qm.open("Q", mq.MQOO_INPUT_SHARED), qm.open("Q", mq.MQOO_INPUT_SHARED)
    qm.put("Q", b"a")
    first.close()
    assert monitor.get(quiet=True) is None
    second.close()
    assert monitor.get(quiet=True) is not None


def test_a_connection_that_ends_counts_as_a_close(qm, embed, monitor):
    other = embed()
    other.open("Q", mq.MQOO_INPUT_SHARED)
    qm.put("Q", b"a")
    other.close()
    assert monitor.get(quiet=True) is not None


def test_the_close_of_an_output_handle_does_not(qm, monitor):
    handle = qm.open("Q", mq.MQOO_OUTPUT)
    handle.put(b"a")
    assert monitor.get(quiet=True) is not None
    handle.close()
    assert monitor.get(quiet=True) is None
