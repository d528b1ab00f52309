"""SEMANTICS 2, 3: a get through an alias is a get from its queue."""

from __future__ import annotations


def test_the_base_queues_messages_are_got(qm, queue, run) -> None:
    run("DEFINE QALIAS(A) TARGET(Q)")
    qm.put(queue, b"1", correl_id=b"c")
    qm.put("A", b"2")

    assert qm.get("A", correl_id=b"c").body == b"1"
    with qm.open("A") as handle:
        assert handle.get().body == b"2"


def test_an_alias_of_nothing_is_2082(qm, run, fails) -> None:
    run("DEFINE QALIAS(A) TARGET(NOWHERE)")

    with fails(2082):
        qm.get("A")


def test_a_waiter_through_the_alias_is_answered_by_a_put_to_the_base(qm, queue, run, spawn, waiting) -> None:
    run("DEFINE QALIAS(A) TARGET(Q)")
    future = spawn(qm.get, "A", wait=120.0)
    waiting(qm)

    qm.put(queue, b"x")

    assert future.result(60).body == b"x"
