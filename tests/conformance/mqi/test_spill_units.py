"""DefaultQBufferSize: units of work over messages that are on disk."""

from __future__ import annotations

import time

import pytest

BODIES = [b"%05d" % number * 50 for number in range(100)]


@pytest.mark.parametrize("persistent", [False, True])
def test_a_backout_returns_them_to_their_places(spilling, spilled, persistent) -> None:
    spilling.put_many("Q", BODIES, persistent=persistent)
    spilled(spilling)
    spilling.begin()
    for _ in range(60):
        spilling.get("Q")
    spilling.backout()

    got = spilling.get_many("Q", 1000)
    assert [m.body for m in got] == BODIES
    assert [m.backout_count for m in got] == [1] * 60 + [0] * 40


def test_a_commit_is_final(spilling, spilled) -> None:
    spilling.put_many("Q", BODIES, persistent=True)
    spilled(spilling)
    with spilling.unit_of_work():
        for _ in range(60):
            spilling.get("Q")

    assert [m.body for m in spilling.browse("Q")] == BODIES[60:]


def test_a_keyed_get_in_a_unit_and_its_backout(spilling, spilled) -> None:
    receipts = spilling.put_many("Q", BODIES)
    spilled(spilling)
    spilling.begin()
    assert spilling.get("Q", msg_id=receipts[90].msg_id).body == BODIES[90]
    spilling.backout()

    assert [m.body for m in spilling.browse("Q")] == BODIES


def test_backed_out_messages_survive_a_restart_with_their_counts(embed) -> None:
    small = {"default_q_buffer_size": 4096, "default_pq_buffer_size": 4096}
    qm = embed("S", **small)
    qm.mqsc("DEFINE QLOCAL(Q)")
    qm.put_many("Q", BODIES, persistent=True)
    qm.host.housekeeping(time.time())
    qm.begin()
    for _ in range(60):
        qm.get("Q")
    qm.backout()
    qm.checkpoint()
    qm.host.abandon()

    again = embed("S", **small)

    got = again.get_many("Q", 1000)
    assert [m.body for m in got] == BODIES
    assert [m.backout_count for m in got] == [1] * 60 + [0] * 40
