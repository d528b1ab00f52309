"""Clause: with a sink that is not ours a reservation ends at the source's commit or at the next reserve."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import penstock
from tests.conformance.mqi.reservation_steps import FLOW, bodies, define_queues, put_numbers, read_all, work


@pytest.fixture
def epoch(qm: penstock.QueueManager) -> int:
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 6)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=2)
    return epoch


def test_asking_behind_a_reservation_ends_it(qm: penstock.QueueManager, epoch: int) -> None:
    held = qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch, max_rows=2, ends_previous=True)

    assert held["n"] == 2
    assert qm.batches.recorded(FLOW) == 1
    assert read_all(qm, 1, epoch) == []
    assert read_all(qm, 2, epoch) == [b"2", b"3"]


def test_the_sources_commit_comes_late_and_changes_nothing(qm: penstock.QueueManager, epoch: int) -> None:
    qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch, max_rows=2, ends_previous=True)
    qm.batches.commit(FLOW, 1, {}, epoch=epoch)
    assert read_all(qm, 2, epoch) == [b"2", b"3"]


def test_an_empty_queue_ends_the_last_reservation_too(qm: penstock.QueueManager, epoch: int) -> None:
    qm.get_many("IN", 10)
    assert qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch, ends_previous=True)["n"] == 1
    assert qm.batches.recorded(FLOW) == 1


def test_asking_again_for_the_same_still_gives_the_same(qm: penstock.QueueManager, epoch: int) -> None:
    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, ends_previous=True)["n"] == 1
    assert read_all(qm, 1, epoch) == [b"0", b"1"]


def test_prepared_outputs_are_never_dropped_that_way(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    winners = work(qm, 1, epoch)
    with fails(8030):
        qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch, ends_previous=True)
    qm.batches.commit(FLOW, 1, winners, epoch=epoch)
    assert bodies(qm, "OUT") == [b"done 0", b"done 1"]
