"""MAXUMSGS limits the messages of one unit: 2024, and the unit goes on with what it has (SEMANTICS §2)."""

from __future__ import annotations

from typing import Any


def test_put_beyond_maxumsgs_raises_2024(qm: Any, queue: str, run: Any, fails: Any) -> None:
    run("ALTER QMGR MAXUMSGS(3)")
    with qm.unit_of_work():
        for number in range(3):
            qm.put(queue, b"%d" % number)
        with fails(2024):
            qm.put(queue, b"too many")

    assert len(list(qm.browse(queue))) == 3


def test_gets_count_too(qm: Any, queue: str, run: Any, fails: Any) -> None:
    run("ALTER QMGR MAXUMSGS(2)")
    for number in range(3):
        qm.put(queue, b"%d" % number)
    with qm.unit_of_work():
        qm.get(queue)
        qm.get(queue)
        with fails(2024):
            qm.get(queue)

    assert [m.body for m in qm.browse(queue)] == [b"2"]


def test_other_units_have_a_limit_of_their_own(qm: Any, queue: str, run: Any, spawn: Any) -> None:
    run("ALTER QMGR MAXUMSGS(1)")

    def work() -> None:
        with qm.unit_of_work():
            qm.put(queue, b"theirs")

    with qm.unit_of_work():
        qm.put(queue, b"mine")
        spawn(work).result(60)

    assert len(list(qm.browse(queue))) == 2


def test_getter_that_waits_in_a_full_unit_does_not_hurt_the_putter(
    qm: Any, queue: str, run: Any, spawn: Any, until: Any
) -> None:
    run("ALTER QMGR MAXUMSGS(1)")
    run("DEFINE QLOCAL(OTHER)")

    def work() -> int:
        qm.begin()
        qm.put("OTHER", b"fills the unit")
        try:
            qm.get(queue, wait=60.0)
        except Exception as failure:  # noqa: BLE001 the reason is what matters
            return failure.reason
        finally:
            qm.backout()
        return 0

    waiting = spawn(work)
    until(lambda: qm.engine.queues[queue].waiting and qm.engine.queues[queue].waiting.count)
    qm.put(queue, b"one", persistent=True)

    assert waiting.result(60) == 2024
    assert qm.get(queue).body == b"one"
