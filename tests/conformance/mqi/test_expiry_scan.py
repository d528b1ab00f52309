"""SEMANTICS 1: a periodic task removes expired messages that nobody meets."""

from __future__ import annotations

import time

from penstock import Open


def test_the_scan_removes_them_and_the_depth_falls(qm, queue) -> None:
    for _ in range(3):
        qm.put(queue, b"stale", expiry=0.02)
    qm.put(queue, b"fresh")
    time.sleep(0.03)

    qm.host.housekeeping(time.time() + 60)

    with qm.open(queue) as handle:
        assert handle.inquire("CURDEPTH")["CURDEPTH"] == 1


def test_persistent_ones_are_gone_after_a_restart(embed) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q) DEFPSIST(YES)")
    qm.put("Q", b"stale", expiry=0.02)
    qm.put("Q", b"fresh")
    time.sleep(0.03)
    qm.host.housekeeping(time.time() + 60)
    qm.host.abandon()

    again = embed()

    assert [m.body for m in again.browse("Q")] == [b"fresh"]


def test_a_scan_leaves_what_a_unit_holds(qm, queue) -> None:
    qm.put(queue, b"held", expiry=0.03)
    qm.begin()
    qm.get(queue)
    time.sleep(0.04)
    qm.host.housekeeping(time.time() + 60)
    qm.commit()

    with qm.open(queue) as handle:
        assert handle.inquire("CURDEPTH")["CURDEPTH"] == 0


def test_an_expired_message_that_was_not_removed_counts_in_the_depth(qm, queue) -> None:
    qm.put(queue, b"stale", expiry=0.02)
    time.sleep(0.03)

    with qm.open(queue, Open.INQUIRE) as handle:
        assert handle.inquire("CURDEPTH")["CURDEPTH"] == 1
