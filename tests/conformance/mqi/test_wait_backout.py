"""SEMANTICS 3, 4: a message that a backout returns ends a wait."""

from __future__ import annotations


def test_the_backout_of_a_get_ends_the_wait(qm, queue, spawn, waiting) -> None:
    qm.put(queue, b"back")
    qm.begin()
    qm.get(queue)
    future = spawn(qm.get, queue, wait=120.0)
    waiting(qm)

    qm.backout()

    message = future.result(60)
    assert (message.body, message.backout_count) == (b"back", 1)


def test_a_getter_by_id_is_woken_by_its_message_only(qm, queue, spawn, waiting) -> None:
    qm.put(queue, b"a", correl_id=b"a")
    qm.put(queue, b"b", correl_id=b"b")
    qm.begin()
    qm.get(queue)
    qm.get(queue)
    future = spawn(qm.get, queue, wait=120.0, correl_id=b"b")
    waiting(qm)

    qm.backout()

    assert future.result(60).body == b"b"
    assert qm.get(queue).body == b"a"


def test_a_handle_that_waits_is_woken(qm, queue, spawn, waiting) -> None:
    qm.put(queue, b"back", persistent=True)
    qm.begin()
    qm.get(queue)
    with qm.open(queue) as handle:
        future = spawn(handle.get, wait=120.0)
        waiting(qm)
        qm.backout()
        assert future.result(60).body == b"back"
