"""Beginning and ending units: nesting is 2128, ending nothing is no error (SEMANTICS §4)."""

from __future__ import annotations

from typing import Any

import pytest

import penstock


def test_begin_inside_a_unit_raises_2128_and_the_unit_goes_on(qm: Any, queue: str, fails: Any) -> None:
    qm.begin()
    qm.put(queue, b"one")
    with fails(2128):
        qm.begin()
    qm.commit()

    assert qm.get(queue).body == b"one"


def test_begin_warns_that_no_resource_manager_takes_part(qm: Any, queue: str) -> None:
    assert qm.begin() == 2121
    qm.put(queue, b"one")
    qm.backout()

    assert qm.get(queue) is None


def test_nested_unit_of_work_raises_2128(qm: Any, queue: str, fails: Any) -> None:
    with qm.unit_of_work(), fails(2128), qm.unit_of_work():
        pass


def test_commit_and_backout_without_a_unit_do_nothing(qm: Any, queue: str) -> None:
    qm.put(queue, b"one")
    qm.commit()
    qm.backout()

    assert qm.get(queue).body == b"one"


def test_units_of_two_queue_managers_are_apart(qm: Any, queue: str, embed: Any) -> None:
    other = embed("QM2")
    other.mqsc("DEFINE QLOCAL(Q)")
    with qm.unit_of_work():
        qm.put(queue, b"undecided")
        with other.unit_of_work():
            other.put("Q", b"kept")
        qm.backout()

    assert qm.get(queue) is None
    assert other.get("Q").body == b"kept"


def test_exception_backs_the_unit_out_and_goes_on(qm: Any, queue: str) -> None:
    qm.put(queue, b"old")

    def work() -> None:
        with qm.unit_of_work():
            qm.get(queue)
            qm.put(queue, b"new")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        work()

    assert [(m.body, m.backout_count) for m in qm.browse(queue)] == [(b"old", 1)]


def test_failed_verb_inside_a_unit_leaves_the_unit_open(qm: Any, queue: str) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"one")
        with pytest.raises(penstock.MQError):
            qm.put("NO.SUCH.QUEUE", b"two")
        qm.put(queue, b"three")

    assert [m.body for m in qm.browse(queue)] == [b"one", b"three"]


def test_unit_ended_by_hand_inside_the_block_is_not_ended_twice(qm: Any, queue: str) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"one")
        qm.backout()

    assert qm.get(queue) is None


def test_put_many_is_all_or_nothing(qm: Any, queue: str, run: Any, fails: Any) -> None:
    run(f"ALTER QLOCAL({queue}) MAXDEPTH(2)")

    with fails(2053):
        qm.put_many(queue, [b"1", b"2", b"3"])

    assert list(qm.browse(queue)) == []
