"""SEMANTICS 2, 13: MAXUMSGS limits what one unit of work gets (2024)."""

from __future__ import annotations

from penstock import Get


def test_the_get_beyond_the_limit_is_2024_and_the_unit_lives(qm, queue, run, fails) -> None:
    qm.put_many(queue, [b"1", b"2", b"3"])
    run("ALTER QMGR MAXUMSGS(2)")

    with qm.unit_of_work():
        qm.get(queue)
        qm.get(queue)
        with fails(2024):
            qm.get(queue)

    assert [m.body for m in qm.browse(queue)] == [b"3"]


def test_puts_and_gets_count_together(qm, queue, run, fails) -> None:
    qm.put_many(queue, [b"1", b"2"])
    run("ALTER QMGR MAXUMSGS(2)")

    with qm.unit_of_work():
        qm.put(queue, b"3")
        qm.get(queue)
        with fails(2024):
            qm.get(queue)


def test_a_get_outside_the_unit_is_not_counted(qm, queue, run) -> None:
    qm.put_many(queue, [b"1", b"2"])
    run("ALTER QMGR MAXUMSGS(1)")

    with qm.open(queue) as handle, qm.unit_of_work():
        handle.get()
        assert handle.get(options=Get.NO_SYNCPOINT).body == b"2"
