"""TRIGINT (section 5): after so long another message may fire on a queue that is not empty."""

from __future__ import annotations

import time

import pytest

from penstock.model import constants as mq


@pytest.fixture
def monitor(qm, run):
    run("DEFINE PROCESS(P)")
    run("DEFINE QLOCAL(INIT)")
    run("DEFINE QLOCAL(Q) TRIGGER TRIGTYPE(FIRST) INITQ(INIT) PROCESS(P)")
    return qm.open("INIT", mq.MQOO_INPUT_SHARED)


def test_after_the_interval_a_message_fires_again(qm, monitor, run):
    run("ALTER QMGR TRIGINT(10)")
    qm.put("Q", b"a")
    qm.put("Q", b"b")
    time.sleep(0.02)
    qm.put("Q", b"c")
    assert [monitor.get(quiet=True) is not None for _ in range(3)] == [True, True, False]


def test_time_alone_does_not_fire(qm, monitor, run):
    run("ALTER QMGR TRIGINT(1)")
    qm.put("Q", b"a")
    assert monitor.get(quiet=True) is not None
    with qm.gate:
        qm.engine.tick(time.time() + 3600)
    assert monitor.get(quiet=True) is None


def test_the_default_interval_is_long(qm, monitor):
    qm.put("Q", b"a")
    time.sleep(0.01)
    qm.put("Q", b"b")
    assert [monitor.get(quiet=True) is not None for _ in range(2)] == [True, False]
