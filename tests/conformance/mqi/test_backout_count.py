"""SEMANTICS 1: the backout count tells how often a message was backed out."""

from __future__ import annotations


def test_each_backout_adds_one(qm, queue) -> None:
    qm.put(queue, b"x")
    counts = []
    for _ in range(3):
        qm.begin()
        counts.append(qm.get(queue).backout_count)
        qm.backout()

    assert counts == [0, 1, 2]
    assert qm.get(queue).backout_count == 3


def test_a_message_in_hand_does_not_change(qm, queue) -> None:
    qm.put(queue, b"x")
    qm.begin()
    message = qm.get(queue)
    qm.backout()

    assert message.backout_count == 0


def test_browse_shows_it(qm, queue) -> None:
    qm.put(queue, b"x")
    qm.begin()
    qm.get(queue)
    qm.backout()

    assert [m.backout_count for m in qm.browse(queue)] == [1]


def test_a_browse_does_not_add_to_it(qm, queue) -> None:
    qm.put(queue, b"x")
    with qm.unit_of_work():
        list(qm.browse(queue))
    qm.begin()
    list(qm.browse(queue))
    qm.backout()

    assert qm.get(queue).backout_count == 0
