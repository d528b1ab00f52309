"""Clause: a batch may have outputs alone, under a number that its engine chose; repeated, it does nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import penstock
from tests.conformance.mqi.reservation_steps import FLOW, bodies, define_queues, put_numbers


def put_batch(qm: penstock.QueueManager, n: int, body: bytes) -> None:
    begun = qm.batches.begin(FLOW, n)
    qm.batches.prepare_outputs(FLOW, n, 0, "a", [("OUT", body)], epoch=begun["epoch"])
    qm.batches.commit(FLOW, n, {0: "a"}, epoch=begun["epoch"])


def test_outputs_appear_with_the_commit_and_once(qm: penstock.QueueManager) -> None:
    define_queues(qm, "OUT")

    put_batch(qm, 1, b"one")
    put_batch(qm, 1, b"one again")

    assert bodies(qm, "OUT") == [b"one"]
    assert qm.batches.begin(FLOW, 1)["recorded"]


def test_numbers_may_leave_gaps(qm: penstock.QueueManager) -> None:
    define_queues(qm, "OUT")

    put_batch(qm, 3, b"three")
    put_batch(qm, 7, b"seven")

    assert bodies(qm, "OUT") == [b"three", b"seven"]
    assert qm.batches.recorded(FLOW) == 7


def test_another_batch_begins_after_the_end_of_the_first(
    qm: penstock.QueueManager, fails: Callable[[int], Any]
) -> None:
    assert qm.batches.begin(FLOW, 2) == qm.batches.begin(FLOW, 2)

    with fails(8032):
        qm.batches.begin(FLOW, 3)


def test_a_flow_with_a_reservation_begins_no_other_batch(
    qm: penstock.QueueManager, fails: Callable[[int], Any]
) -> None:
    define_queues(qm, "IN")
    put_numbers(qm, "IN", 2)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    with fails(8032):
        qm.batches.begin(FLOW, 1)


@pytest.mark.parametrize("n", [0, -1, "1", None, 1 << 63])
def test_a_number_that_cannot_be_is_refused(
    qm: penstock.QueueManager, fails: Callable[[int], Any], n: Any
) -> None:
    with fails(8042):
        qm.batches.begin(FLOW, n)


def test_a_batch_without_inputs_survives_a_restart(penstock_home: Any) -> None:
    qm = penstock.embed("QM", create=True)
    define_queues(qm, "OUT")
    begun = qm.batches.begin(FLOW, 5)
    qm.batches.prepare_outputs(FLOW, 5, 0, "a", [("OUT", b"kept")], epoch=begun["epoch"])
    qm.close()

    qm = penstock.embed("QM")
    assert bodies(qm, "OUT") == []
    qm.batches.commit(FLOW, 5, {0: "a"}, epoch=begun["epoch"])
    assert bodies(qm, "OUT") == [b"kept"]
    assert qm.batches.begin(FLOW, 5)["recorded"]
    qm.close()


def test_outputs_with_what_a_put_takes_come_in_parts(qm: penstock.QueueManager) -> None:
    define_queues(qm, "OUT")
    epoch = qm.batches.begin(FLOW, 1)["epoch"]
    first = [("OUT", b"1", {"priority": 7, "correl_id": b"c" * 24, "properties": {"colour": "red"}})]

    qm.batches.prepare_outputs(FLOW, 1, 0, "a", first, epoch=epoch, more=True)
    qm.batches.prepare_outputs(FLOW, 1, 0, "a", [("OUT", "2")], epoch=epoch, start=1)
    qm.batches.commit(FLOW, 1, {0: "a"}, epoch=epoch)

    one, two = qm.browse("OUT")
    assert (one.body, one.priority, one.properties) == (b"1", 7, {"colour": "red"})
    assert (two.body, two.format) == (b"2", "MQSTR")
