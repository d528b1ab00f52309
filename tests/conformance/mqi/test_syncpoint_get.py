"""SEMANTICS 3, 4: a get under syncpoint is final at commit only."""

from __future__ import annotations

from penstock import Get


def test_the_option_starts_a_unit_and_a_backout_returns_the_message(qm, queue) -> None:
    qm.put(queue, b"x")

    with qm.open(queue) as handle:
        handle.get(options=Get.SYNCPOINT)
        gone = handle.get(quiet=True)
        qm.backout()
        back = handle.get(quiet=True)

    assert gone is None
    assert back.body == b"x"


def test_commit_makes_it_final(qm, queue) -> None:
    qm.put(queue, b"x", persistent=True)

    with qm.open(queue) as handle:
        handle.get(options=Get.SYNCPOINT)
        qm.commit()
        qm.backout()

    assert qm.get(queue) is None


def test_others_do_not_see_a_message_that_a_unit_holds(qm, queue, spawn) -> None:
    qm.put(queue, b"x")
    with qm.unit_of_work():
        qm.get(queue)
        assert spawn(qm.get, queue).result(60) is None
        assert spawn(lambda: list(qm.browse(queue))).result(60) == []


def test_decision_a_get_without_option_joins_the_open_unit(qm, queue) -> None:
    qm.put(queue, b"x")

    with qm.open(queue) as handle:
        qm.begin()
        handle.get()
        qm.backout()
        assert handle.get().backout_count == 1


def test_a_get_that_finds_nothing_leaves_no_unit_open(qm, queue, fails) -> None:
    with qm.open(queue) as handle, fails(2033):
        handle.get(options=Get.SYNCPOINT)

    with qm.unit_of_work():
        qm.put(queue, b"x")
    assert qm.get(queue).body == b"x"
