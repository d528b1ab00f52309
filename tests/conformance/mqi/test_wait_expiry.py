"""SEMANTICS 1, 3: a waiter never gets an expired message, and sees the time that is left."""

from __future__ import annotations

import time


def test_a_message_that_expires_before_its_commit_is_not_delivered(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    with qm.unit_of_work():
        qm.put(queue, b"stale", expiry=0.02)
        time.sleep(0.04)
    qm.put(queue, b"fresh")

    assert future.result(60).body == b"fresh"


def test_the_waiter_sees_what_is_left(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    qm.put(queue, b"fresh", expiry=3000.0)

    assert 2500.0 < future.result(60).expiry <= 3000.0


def test_a_waiter_in_a_unit_sees_what_is_left(qm, queue, spawn, waiting) -> None:
    def consume() -> float:
        with qm.unit_of_work():
            return qm.get(queue, wait=60.0).expiry

    future = spawn(consume)
    waiting(qm)
    qm.put(queue, b"fresh", expiry=3000.0)

    assert 2500.0 < future.result(60) <= 3000.0
