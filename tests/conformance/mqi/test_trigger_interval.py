"""TRIGINT (section 5): after so long another message may fire on a queue that is not empty."""

from __future__ import annotations

import time

import pytest

from penstock.model.message import NO_ID
from tests.conformance.mqi.trigger_steps import fired, open_monitor

INTERVAL_SECONDS = 60


@pytest.fixture
def monitor(qm, run):
    return open_monitor(qm, run, "TRIGTYPE(FIRST)")


def put_later(qm, seconds):
    """Put a message as the engine would some time from now."""
    with qm.gate:
        queue = qm.engine.queues["Q"]
        later = time.time() + seconds
        qm.engine.put_plain(queue, b"later", None, NO_ID, False, 0, qm.session.context, None, later)


def test_after_the_interval_a_message_fires_again(qm, monitor, run):
    run(f"ALTER QMGR TRIGINT({INTERVAL_SECONDS * 1000})")
    qm.put("Q", b"a")
    qm.put("Q", b"b")
    assert fired(monitor) == 1
    put_later(qm, INTERVAL_SECONDS + 1)
    put_later(qm, INTERVAL_SECONDS + 2)
    assert fired(monitor) == 1


def test_time_alone_does_not_fire(qm, monitor, run):
    run("ALTER QMGR TRIGINT(1)")
    qm.put("Q", b"a")
    assert fired(monitor) == 1
    with qm.gate:
        qm.engine.tick(time.time() + 3600)
    assert fired(monitor) == 0


def test_the_default_interval_is_long(qm, monitor):
    qm.put("Q", b"a")
    put_later(qm, 3600)
    assert fired(monitor) == 1
