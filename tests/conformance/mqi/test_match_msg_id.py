"""SEMANTICS 3: a get by message id."""

from __future__ import annotations


def test_the_message_of_that_id_is_got(qm, queue) -> None:
    receipts = qm.put_many(queue, [b"a", b"b", b"c"])

    assert qm.get(queue, msg_id=receipts[1].msg_id).body == b"b"
    assert [m.body for m in qm.browse(queue)] == [b"a", b"c"]


def test_an_id_that_is_not_there_gets_nothing(qm, queue, fails) -> None:
    qm.put(queue, b"a")

    assert qm.get(queue, msg_id=b"unknown") is None
    with qm.open(queue) as handle, fails(2033):
        handle.get(msg_id=b"unknown")


def test_two_messages_of_one_id_come_in_order(qm, queue) -> None:
    qm.put(queue, b"1", msg_id=b"same")
    qm.put(queue, b"x")
    qm.put(queue, b"2", msg_id=b"same")

    assert [qm.get(queue, msg_id=b"same").body for _ in range(2)] == [b"1", b"2"]


def test_the_index_follows_later_puts_and_gets(qm, queue) -> None:
    qm.get(queue, msg_id=b"x")
    first = qm.put(queue, b"1")
    second = qm.put(queue, b"2")
    qm.get(queue)

    assert qm.get(queue, msg_id=first.msg_id) is None
    assert qm.get(queue, msg_id=second.msg_id).body == b"2"
