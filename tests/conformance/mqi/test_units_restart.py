"""Units that were open when the process died are backed out at the restart, and counted (SEMANTICS §4)."""

from __future__ import annotations

from typing import Any


def test_open_unit_is_backed_out_by_the_restart(embed: Any) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    qm.put("Q", b"old", persistent=True)
    qm.begin()
    qm.get("Q")
    qm.put("Q", b"new", persistent=True)
    qm.host.abandon()
    qm = embed()

    assert [(m.body, m.backout_count) for m in qm.browse("Q")] == [(b"old", 1)]
    assert qm.status().recovery.backed_out == 1


def test_backout_count_is_not_lost(embed: Any) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    qm.put("Q", b"one", persistent=True)
    for number in range(3):
        qm.begin()
        assert qm.get("Q").backout_count == number
        qm.backout()
        assert qm.host.journal.durable == qm.host.journal.end
        if number == 1:
            qm.checkpoint()
    qm.host.abandon()

    assert embed().get("Q").backout_count == 3


def test_unit_open_over_checkpoints_is_backed_out_whole(embed: Any) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    qm.put("Q", b"old", persistent=True)
    qm.begin()
    for number in range(3):
        qm.put("Q", b"new %d" % number, persistent=True)
        qm.checkpoint()
    qm.get("Q")
    qm.checkpoint()
    qm.host.abandon()

    assert [m.body for m in embed().browse("Q")] == [b"old"]


def test_unit_open_over_checkpoints_commits_whole(embed: Any) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    qm.put("Q", b"old", persistent=True)
    qm.begin()
    qm.get("Q")
    for number in range(3):
        qm.put("Q", b"new %d" % number, persistent=True)
        qm.checkpoint()
    qm.commit()
    qm.host.abandon()

    assert [m.body for m in embed().browse("Q")] == [b"new 0", b"new 1", b"new 2"]


def test_non_persistent_part_of_a_unit_is_lost_with_the_process(embed: Any) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    with qm.unit_of_work():
        qm.put("Q", b"1", persistent=True)
        qm.put("Q", b"2", persistent=False)
        qm.put("Q", b"3", persistent=True)
    qm.host.abandon()

    assert [m.body for m in embed().browse("Q")] == [b"1", b"3"]
