"""SEMANTICS 3, 4: an uncommitted put does not end a wait; its commit does."""

from __future__ import annotations


def test_the_commit_ends_the_wait(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    with qm.unit_of_work():
        qm.put(queue, b"committed")
        before = future.done()

    assert not before
    assert future.result(60).body == b"committed"


def test_a_unit_that_is_backed_out_leaves_the_getter_waiting(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    qm.begin()
    qm.put(queue, b"never")
    qm.backout()
    qm.put(queue, b"later")

    assert future.result(60).body == b"later"


def test_one_commit_answers_several_getters(qm, queue, spawn, waiting) -> None:
    futures = [spawn(qm.get, queue, wait=120.0) for _ in range(3)]
    waiting(qm, count=3)

    qm.put_many(queue, [b"a", b"b", b"c"], persistent=True)

    assert sorted(future.result(60).body for future in futures) == [b"a", b"b", b"c"]
