"""DESIGN public surface: qm.browse yields the messages and leaves them there."""

from __future__ import annotations


def test_it_yields_in_delivery_order_and_removes_nothing(qm, queue) -> None:
    qm.put(queue, b"low", priority=1)
    qm.put(queue, b"high", priority=5)

    assert [m.body for m in qm.browse(queue)] == [b"high", b"low"]
    assert [m.body for m in qm.browse(queue)] == [b"high", b"low"]


def test_an_empty_queue_yields_nothing(qm, queue) -> None:
    assert list(qm.browse(queue)) == []


def test_messages_may_go_while_it_runs(qm, queue) -> None:
    qm.put_many(queue, [b"%d" % number for number in range(6)])
    seen = []
    for message in qm.browse(queue):
        seen.append(message.body)
        qm.get(queue, msg_id=message.msg_id)

    assert seen == [b"%d" % number for number in range(6)]
    assert qm.get(queue) is None


def test_messages_that_come_while_it_runs_are_seen(qm, queue) -> None:
    qm.put(queue, b"0")
    seen = []
    for message in qm.browse(queue):
        seen.append(message.body)
        if len(seen) < 4:
            qm.put(queue, b"%d" % len(seen))

    assert seen == [b"0", b"1", b"2", b"3"]


def test_leaving_it_early_closes_its_handle(qm, queue) -> None:
    qm.put_many(queue, [b"1", b"2"])
    iterator = qm.browse(queue)
    next(iterator)
    before = len(qm.connection.handles)
    iterator.close()

    assert (before, len(qm.connection.handles)) == (1, 0)


def test_it_works_through_an_alias(qm, queue, run) -> None:
    run("DEFINE QALIAS(A) TARGET(Q)")
    qm.put(queue, b"x")

    assert [m.body for m in qm.browse("A")] == [b"x"]
