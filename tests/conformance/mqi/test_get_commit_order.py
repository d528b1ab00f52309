"""SEMANTICS 4: the place of a message is decided when it is committed."""

from __future__ import annotations

from penstock import Open


def test_what_is_committed_first_is_got_first(qm, queue, spawn) -> None:
    qm.begin()
    qm.put(queue, b"put first")
    spawn(qm.put, queue, b"committed first").result(60)
    qm.commit()

    assert [qm.get(queue).body for _ in range(2)] == [b"committed first", b"put first"]


def test_a_unit_keeps_the_order_of_its_puts(qm, queue) -> None:
    with qm.unit_of_work():
        for number in range(10):
            qm.put(queue, b"%d" % number, persistent=number % 3 == 0)

    assert [qm.get(queue).body for _ in range(10)] == [b"%d" % number for number in range(10)]


def test_uncommitted_puts_count_in_the_depth_and_uncommitted_gets_do_not(qm, queue) -> None:
    qm.put_many(queue, [b"1", b"2"])
    with qm.open(queue, Open.INQUIRE) as handle:
        qm.begin()
        qm.put(queue, b"3")
        qm.get(queue)
        qm.get(queue)
        during = handle.inquire("CURDEPTH")["CURDEPTH"]
        qm.backout()
        after = handle.inquire("CURDEPTH")["CURDEPTH"]

    assert (during, after) == (1, 2)
