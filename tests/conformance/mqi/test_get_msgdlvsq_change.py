"""SEMANTICS 3: changing MSGDLVSQ affects later arrivals only."""

from __future__ import annotations


def test_messages_that_are_there_keep_their_order(qm, queue, run) -> None:
    qm.put(queue, b"low", priority=1)
    qm.put(queue, b"high", priority=8)

    run("ALTER QLOCAL(Q) MSGDLVSQ(FIFO)")

    assert [m.body for m in qm.browse(queue)] == [b"high", b"low"]


def test_later_arrivals_follow_the_new_sequence(qm, queue, run) -> None:
    run("ALTER QLOCAL(Q) MSGDLVSQ(FIFO)")
    qm.put(queue, b"first", priority=1)
    qm.put(queue, b"second", priority=8)
    run("ALTER QLOCAL(Q) MSGDLVSQ(PRIORITY)")
    qm.put(queue, b"third", priority=8)

    # a message that arrived under FIFO stands where DEFPRTY (0) stands
    assert [m.body for m in qm.browse(queue)] == [b"third", b"first", b"second"]


def test_decision_arrivals_under_fifo_stand_at_the_default_priority(qm, queue, run) -> None:
    run("ALTER QLOCAL(Q) DEFPRTY(5)")
    qm.put(queue, b"low", priority=1)
    run("ALTER QLOCAL(Q) MSGDLVSQ(FIFO)")
    qm.put(queue, b"fifo", priority=0)

    assert [m.body for m in qm.browse(queue)] == [b"fifo", b"low"]


def test_a_keyed_get_respects_the_places_too(qm, queue, run) -> None:
    qm.put(queue, b"low", priority=1, correl_id=b"c")
    qm.put(queue, b"high", priority=8, correl_id=b"c")
    run("ALTER QLOCAL(Q) MSGDLVSQ(FIFO)")

    assert qm.get(queue, correl_id=b"c").body == b"high"
