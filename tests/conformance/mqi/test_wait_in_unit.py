"""SEMANTICS 3, 4: a get that waits inside a unit of work takes the message under syncpoint."""

from __future__ import annotations


def test_the_message_returns_when_the_unit_is_backed_out(qm, queue, spawn, waiting) -> None:
    def consume() -> bytes:
        qm.begin()
        body = qm.get(queue, wait=60.0).body
        qm.backout()
        return body

    future = spawn(consume)
    waiting(qm)
    qm.put(queue, b"again", persistent=True)

    assert future.result(60) == b"again"
    message = qm.get(queue)
    assert (message.body, message.backout_count) == (b"again", 1)


def test_the_message_is_gone_when_the_unit_commits(qm, queue, spawn, waiting) -> None:
    def consume() -> bytes:
        with qm.unit_of_work():
            return qm.get(queue, wait=60.0).body

    future = spawn(consume)
    waiting(qm)
    qm.put(queue, b"gone")

    assert future.result(60) == b"gone"
    assert qm.get(queue) is None


def test_a_full_unit_does_not_harm_the_putter(qm, queue, run, spawn, waiting, fails) -> None:
    run("ALTER QMGR MAXUMSGS(1)")
    qm.put(queue, b"first")

    def consume() -> None:
        with qm.unit_of_work():
            qm.get(queue)
            qm.get(queue, wait=60.0)

    future = spawn(consume)
    waiting(qm)
    qm.put(queue, b"second")

    with fails(2024):
        future.result(60)
    assert [qm.get(queue).body for _ in range(2)] == [b"first", b"second"]
