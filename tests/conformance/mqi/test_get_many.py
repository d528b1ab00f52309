"""DESIGN public surface: get_many returns at most n messages, as soon as any are there."""

from __future__ import annotations

import pytest


def test_it_returns_what_is_there(qm, queue) -> None:
    qm.put_many(queue, [b"1", b"2", b"3"])

    assert [m.body for m in qm.get_many(queue, 10)] == [b"1", b"2", b"3"]
    assert qm.get_many(queue, 10) == []


def test_it_returns_at_most_the_count(qm, queue) -> None:
    qm.put_many(queue, [b"1", b"2", b"3"])

    assert [m.body for m in qm.get_many(queue, 2)] == [b"1", b"2"]
    assert qm.get(queue).body == b"3"


def test_it_waits_for_the_first_only(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get_many, queue, 10, wait=120.0)
    waiting(qm)
    qm.put(queue, b"1")

    assert [m.body for m in future.result(60)] == [b"1"]


def test_it_matches(qm, queue) -> None:
    for number in range(6):
        qm.put(queue, b"%d" % number, correl_id=b"odd" if number % 2 else b"even", properties={"n": number})

    assert [m.body for m in qm.get_many(queue, 10, correl_id=b"odd", selector="n > 1")] == [b"3", b"5"]


def test_it_takes_part_in_a_unit(qm, queue) -> None:
    qm.put_many(queue, [b"1", b"2"], persistent=True)
    qm.begin()
    assert len(qm.get_many(queue, 10)) == 2
    qm.backout()

    assert [m.backout_count for m in qm.browse(queue)] == [1, 1]


def test_persistent_messages_are_final(embed) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q) DEFPSIST(YES)")
    qm.put_many("Q", [b"1", b"2", b"3"])
    qm.get_many("Q", 2)
    qm.host.abandon()

    assert [m.body for m in embed().browse("Q")] == [b"3"]


def test_what_was_taken_is_returned_when_the_unit_is_full(qm, queue, run, fails) -> None:
    qm.put_many(queue, [b"1", b"2", b"3"])
    run("ALTER QMGR MAXUMSGS(2)")
    with qm.unit_of_work():
        assert len(qm.get_many(queue, 10)) == 2
        with fails(2024):
            qm.get(queue)

    assert [m.body for m in qm.browse(queue)] == [b"3"]


@pytest.mark.parametrize("count", [0, -1, 10**9])
def test_a_count_without_sense_is_refused(qm, queue, fails, count) -> None:
    with fails(2046):
        qm.get_many(queue, count)
