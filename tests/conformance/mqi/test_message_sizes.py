"""SEMANTICS 14: messages from 0 bytes to 100 MB."""

from __future__ import annotations


def test_an_empty_message_is_a_message(qm, queue) -> None:
    qm.put(queue, b"")
    qm.put(queue, b"", persistent=True)

    got = [qm.get(queue), qm.get(queue)]

    assert [(m.body, m.length) for m in got] == [(b"", 0), (b"", 0)]
    assert qm.get(queue) is None


def test_a_hundred_megabytes(qm, run) -> None:
    run("ALTER QMGR MAXMSGL(104857600)")
    run("DEFINE QLOCAL(BIG) MAXMSGL(104857600)")
    body = bytes(104_857_600)
    qm.put("BIG", body)

    message = qm.get("BIG")

    assert message.length == 104_857_600
    assert message.body == body


def test_one_byte_too_many_for_the_queue_is_2030(qm, run, fails) -> None:
    run("DEFINE QLOCAL(S) MAXMSGL(1000)")
    qm.put("S", bytes(1000))

    with fails(2030):
        qm.put("S", bytes(1001))


def test_one_byte_too_many_for_the_queue_manager_is_2031(qm, run, fails) -> None:
    run("DEFINE QLOCAL(S) MAXMSGL(40000)")
    run("ALTER QMGR MAXMSGL(32768)")
    qm.put("S", bytes(32768))

    with fails(2031):
        qm.put("S", bytes(32769))


def test_a_message_that_came_before_the_limit_fell_can_be_got(qm, queue, run) -> None:
    qm.put(queue, bytes(2000))
    run("ALTER QLOCAL(Q) MAXMSGL(1000)")

    assert qm.get(queue).length == 2000


def test_a_large_message_through_a_handle_need_not_fit_the_log(qm, run) -> None:
    run("DEFINE QLOCAL(BIG)")
    with qm.open("BIG") as handle:
        handle.put(bytes(2_000_000), persistent=False)
        assert handle.get().length == 2_000_000
