"""SEMANTICS 3: NO_SYNCPOINT inside a unit of work is final at once."""

from __future__ import annotations

from penstock import Get


def test_a_backout_does_not_bring_it_back(qm, queue) -> None:
    qm.put_many(queue, [b"in", b"out"])

    with qm.open(queue) as handle:
        qm.begin()
        handle.get()
        handle.get(options=Get.NO_SYNCPOINT)
        qm.backout()

    assert [m.body for m in qm.browse(queue)] == [b"in"]


def test_it_does_not_see_the_units_own_puts(qm, queue, fails) -> None:
    with qm.open(queue) as handle:
        qm.begin()
        handle.put(b"mine")
        with fails(2033):
            handle.get(options=Get.NO_SYNCPOINT)
        qm.backout()
