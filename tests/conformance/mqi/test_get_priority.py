"""SEMANTICS 3: MSGDLVSQ(PRIORITY) gives the highest priority first, arrival order inside a priority."""

from __future__ import annotations


def test_higher_priority_is_got_first(qm, queue) -> None:
    for priority in (0, 9, 4, 9, 0, 4):
        qm.put(queue, b"p%d" % priority, priority=priority)

    assert [qm.get(queue).priority for _ in range(6)] == [9, 9, 4, 4, 0, 0]


def test_messages_of_a_priority_keep_their_arrival_order(qm, queue) -> None:
    for number, priority in enumerate((1, 5, 1, 5, 1)):
        qm.put(queue, b"%d" % number, priority=priority)

    assert [qm.get(queue).body for _ in range(5)] == [b"1", b"3", b"0", b"2", b"4"]


def test_a_late_message_of_higher_priority_overtakes(qm, queue) -> None:
    qm.put(queue, b"early", priority=2)
    qm.put(queue, b"late", priority=3)

    assert qm.get(queue).body == b"late"


def test_a_priority_above_the_maximum_counts_as_the_maximum(qm, queue) -> None:
    qm.put(queue, b"nine", priority=9)
    receipt = qm.put(queue, b"fifty", priority=50)

    got = [qm.get(queue), qm.get(queue)]

    assert receipt.warning == 2049
    assert [(m.body, m.priority) for m in got] == [(b"nine", 9), (b"fifty", 50)]
