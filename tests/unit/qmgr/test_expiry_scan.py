"""A long queue is looked through for expired messages in steps, and nothing is missed."""

from __future__ import annotations

import time
from typing import Any

import pytest

import penstock
from penstock.qmgr import effects
from penstock.qmgr.searching import expiry_scan

SOON = 3600


@pytest.fixture
def qm(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(effects, "STEP_MESSAGES", 2)
    with penstock.embed("QM1", create=True) as running:
        running.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(R)")
        running.host.house.stop()
        yield running


def tick(qm: Any, now: float) -> None:
    with qm.session.step():
        qm.engine.tick(now)


def test_others_get_in_between_and_what_comes_meanwhile_is_noted(qm: Any) -> None:
    bodies = [qm.put("Q", b"", expiry=SOON if number % 2 else None, priority=5) for number in range(8)]
    assert len(bodies) == 8
    queue, later = qm.engine.queues["Q"], time.time() + 2 * SOON
    tick(qm, later)
    assert (qm.engine.effects.scanning, queue.depth) == (True, 7)

    assert qm.get("Q") is not None  # the one that the scan has come to
    qm.put("Q", b"first", expiry=10 * SOON, priority=9)
    steps = 0
    while qm.engine.effects.scanning:
        tick(qm, later)
        steps += 1
    assert steps > 1
    assert queue.depth == 4
    [first] = [message for message in queue.messages() if message.expires_at]
    assert queue.earliest_expiry == first.expires_at


def test_a_queue_that_is_deleted_meanwhile_ends_its_scan(qm: Any) -> None:
    for _ in range(5):
        qm.put("Q", b"", expiry=SOON)
    tick(qm, time.time() + 2 * SOON)
    assert qm.engine.effects.scanning
    assert not any(reply.failed for reply in qm.mqsc("DELETE QLOCAL(Q) PURGE"))
    tick(qm, time.time() + 2 * SOON)
    assert not qm.engine.effects.scanning


def test_all_of_a_queue_is_looked_at_at_once_when_a_get_needs_it(qm: Any) -> None:
    for _ in range(5):
        qm.put("Q", b"", expiry=SOON)
    qm.engine.effects.scan(qm.engine.queues["Q"], time.time() + 2 * SOON)
    assert qm.engine.queues["Q"].depth == 0
    assert expiry_scan.STEP_MESSAGES > 2
