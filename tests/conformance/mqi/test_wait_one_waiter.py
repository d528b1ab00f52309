"""SEMANTICS 3: a put wakes one suitable waiter."""

from __future__ import annotations


def test_one_message_answers_one_of_many(qm, queue, spawn, waiting) -> None:
    futures = [spawn(qm.get, queue, wait=0.1) for _ in range(5)]
    waiting(qm, count=5)

    qm.put(queue, b"one")

    got = [future.result(2) for future in futures]
    assert [m.body for m in got if m is not None] == [b"one"]


def test_waiters_of_both_kinds_share_what_comes(qm, queue, spawn, waiting) -> None:
    with qm.open(queue) as handle:
        futures = [spawn(qm.get, queue, wait=5.0), spawn(handle.get, wait=5.0)]
        waiting(qm, count=2)
        qm.put(queue, b"1")
        qm.put(queue, b"2")
        assert sorted(future.result(2).body for future in futures) == [b"1", b"2"]


def test_a_waiter_that_wants_something_else_is_passed_over(qm, queue, spawn, waiting) -> None:
    picky = spawn(qm.get, queue, wait=0.1, selector="colour = 'red'")
    waiting(qm)
    easy = spawn(qm.get, queue, wait=5.0)
    waiting(qm, count=2)

    qm.put(queue, b"blue", properties={"colour": "blue"})

    assert easy.result(2).body == b"blue"
    assert picky.result(2) is None
