"""SEMANTICS 4, 14: a message that is backed out returns to its place, not to the tail."""

from __future__ import annotations


def test_the_message_is_first_again(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])
    qm.begin()
    qm.get(queue)
    qm.get(queue)
    qm.backout()

    assert [m.body for m in qm.browse(queue)] == [b"a", b"b", b"c"]


def test_a_message_from_the_middle_returns_to_the_middle(qm, queue) -> None:
    for number in range(5):
        qm.put(queue, b"%d" % number, correl_id=b"%d" % number)
    qm.begin()
    qm.get(queue, correl_id=b"2")
    qm.put(queue, b"new")
    qm.backout()

    assert [qm.get(queue).body for _ in range(5)] == [b"0", b"1", b"2", b"3", b"4"]


def test_priorities_keep_their_places(qm, queue) -> None:
    for number, priority in enumerate((3, 7, 3, 7)):
        qm.put(queue, b"%d" % number, priority=priority)
    qm.begin()
    for _ in range(4):
        qm.get(queue)
    qm.backout()

    assert [m.body for m in qm.browse(queue)] == [b"1", b"3", b"0", b"2"]


def test_two_units_back_out_in_any_order(qm, queue, spawn) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])
    qm.begin()
    qm.get(queue)

    def other() -> None:
        qm.begin()
        qm.get(queue)
        qm.backout()

    spawn(other).result(60)
    qm.backout()

    assert [m.body for m in qm.browse(queue)] == [b"a", b"b", b"c"]
