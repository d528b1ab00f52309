"""SEMANTICS 3: messages of one priority are got in the order in which they arrived."""

from __future__ import annotations


def test_messages_are_got_in_the_order_of_their_puts(qm, queue) -> None:
    for number in range(20):
        qm.put(queue, b"%d" % number)

    got = [qm.get(queue).body for _ in range(20)]

    assert got == [b"%d" % number for number in range(20)]


def test_persistent_and_other_messages_keep_one_order(qm, queue) -> None:
    for number in range(10):
        qm.put(queue, b"%d" % number, persistent=number % 2 == 0)

    assert [qm.get(queue).body for _ in range(10)] == [b"%d" % number for number in range(10)]


def test_a_handle_gets_in_the_same_order(qm, queue) -> None:
    qm.put_many(queue, [b"a", b"b", b"c"])

    with qm.open(queue) as handle:
        assert [handle.get().body for _ in range(3)] == [b"a", b"b", b"c"]
