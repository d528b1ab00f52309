"""put_many: one unit of work, all or nothing."""

from __future__ import annotations

import pytest


def test_all_are_there_in_order(qm, queue):
    receipts = qm.put_many(queue, [b"a", "b", b"c"], persistent=True)
    assert [m.body for m in qm.get_many(queue, 9)] == [b"a", b"b", b"c"]
    assert len({receipt.msg_id for receipt in receipts}) == 3


def test_none_is_there_when_one_fails(qm, run, fails):
    run("DEFINE QLOCAL(Q) MAXDEPTH(2)")
    with fails(2053):
        qm.put_many("Q", [b"a", b"b", b"c"])
    assert qm.get("Q") is None


def test_none_is_there_when_the_iterable_fails(qm, queue):
    def bodies():
        yield b"a"
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        qm.put_many(queue, bodies())
    assert qm.get(queue) is None


def test_inside_a_unit_it_belongs_to_that_unit(qm, queue):
    qm.begin()
    qm.put_many(queue, [b"a", b"b"])
    qm.backout()
    assert qm.get(queue) is None


def test_nothing_to_put_is_nothing(qm, queue):
    assert qm.put_many(queue, []) == []
