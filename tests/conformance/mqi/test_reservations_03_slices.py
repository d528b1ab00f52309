"""Clause: slices of a reservation can be read again and again and always hold the same messages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import penstock
from tests.conformance.mqi.reservation_steps import FLOW, define_queues, put_numbers, read_all, work


@pytest.fixture
def epoch(qm: penstock.QueueManager) -> int:
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 10)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)
    return epoch


@pytest.mark.parametrize("slices", [1, 2, 3, 7, 10, 25])
def test_slices_cover_the_reservation_in_order(qm: penstock.QueueManager, epoch: int, slices: int) -> None:
    expected = [b"%d" % number for number in range(10)]
    assert read_all(qm, 1, epoch, slices) == expected
    assert read_all(qm, 1, epoch, slices) == expected


def test_a_slice_can_be_read_in_parts(qm: penstock.QueueManager, epoch: int) -> None:
    parts = [
        qm.batches.read_slice(FLOW, 1, 1, 2, epoch=epoch, start=start, count=2) for start in (0, 2, 4, 6)
    ]
    assert [[message.body for message in part] for part in parts] == [[b"5", b"6"], [b"7", b"8"], [b"9"], []]


def test_what_is_read_carries_descriptor_and_properties(qm: penstock.QueueManager, epoch: int) -> None:
    qm.batches.commit(FLOW, 1, {}, epoch=epoch)
    receipt = qm.put("IN", "text", correl_id=b"c", properties={"colour": "red"}, reply_to="OUT")
    qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch)

    (message,) = qm.batches.read_slice(FLOW, 2, 0, 1, epoch=epoch)

    assert (message.msg_id, message.format, message.reply_to) == (receipt.msg_id, "MQSTR", "OUT")
    assert message.properties == {"colour": "red"}
    assert message.backout_count == 0


def test_a_recorded_batch_reads_as_empty(qm: penstock.QueueManager, epoch: int) -> None:
    qm.batches.commit(FLOW, 1, work(qm, 1, epoch), epoch=epoch)
    assert read_all(qm, 1, epoch) == []


def test_a_batch_that_was_never_reserved_is_unknown(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    with fails(8030):
        qm.batches.read_slice(FLOW, 2, 0, 1, epoch=epoch)


@pytest.mark.parametrize(("slice", "slices"), [(2, 2), (-1, 2), (0, 0)])
def test_a_slice_that_cannot_be_is_refused(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any], slice: int, slices: int
) -> None:
    with fails(8042):
        qm.batches.read_slice(FLOW, 1, slice, slices, epoch=epoch)


def test_bodies_on_disk_are_read_back(
    spilling: penstock.QueueManager, spilled: Callable[[penstock.QueueManager], int]
) -> None:
    qm = spilling
    sent = [b"%d" % number * 1000 for number in range(100, 130)]
    qm.put_many("Q", sent, persistent=True)
    assert spilled(qm) > 0

    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "Q", after=0, epoch=epoch)

    assert read_all(qm, 1, epoch) == sent
