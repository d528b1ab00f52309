"""SEMANTICS 3: MSGDLVSQ(FIFO) delivers by arrival only; the descriptor still says the priority."""

from __future__ import annotations


def test_priority_does_not_change_the_order(qm, run) -> None:
    run("DEFINE QLOCAL(F) MSGDLVSQ(FIFO)")
    for priority in (0, 9, 5):
        qm.put("F", b"x", priority=priority)

    assert [qm.get("F").priority for _ in range(3)] == [0, 9, 5]


def test_browse_shows_the_same_order(qm, run) -> None:
    run("DEFINE QLOCAL(F) MSGDLVSQ(FIFO) DEFPRTY(3)")
    for priority in (1, 7, 3):
        qm.put("F", b"x", priority=priority)

    assert [m.priority for m in qm.browse("F")] == [1, 7, 3]
