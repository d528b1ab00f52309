"""SEMANTICS 3: a put wakes one suitable waiter."""

from __future__ import annotations


def test_one_message_answers_one_of_many(qm, queue, spawn, waiting, until) -> None:
    futures = [spawn(qm.get, queue, wait=120.0) for _ in range(5)]
    waiting(qm, count=5)

    qm.put(queue, b"one")
    until(lambda: any(future.done() for future in futures))
    qm.put_many(queue, [b"rest"] * 4)

    assert sorted(future.result(60).body for future in futures) == [b"one"] + [b"rest"] * 4


def test_waiters_of_both_kinds_share_what_comes(qm, queue, spawn, waiting) -> None:
    with qm.open(queue) as handle:
        futures = [spawn(qm.get, queue, wait=120.0), spawn(handle.get, wait=120.0)]
        waiting(qm, count=2)
        qm.put(queue, b"1")
        qm.put(queue, b"2")
        assert sorted(future.result(60).body for future in futures) == [b"1", b"2"]


def test_a_waiter_that_wants_something_else_is_passed_over(qm, queue, spawn, waiting) -> None:
    picky = spawn(qm.get, queue, wait=120.0, selector="colour = 'red'")
    waiting(qm)
    easy = spawn(qm.get, queue, wait=120.0)
    waiting(qm, count=2)

    qm.put(queue, b"blue", properties={"colour": "blue"})

    assert easy.result(60).body == b"blue"
    qm.put(queue, b"red", properties={"colour": "red"})
    assert picky.result(60).body == b"red"
