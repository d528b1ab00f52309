"""Clause: a release gives the messages of a batch back to their places and shuts its workers out."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

import penstock
from tests.conformance.mqi.reservation_steps import (
    FLOW,
    bodies,
    define_queues,
    depth,
    put_numbers,
    run_flow,
    work,
)


@pytest.fixture
def epoch(qm: penstock.QueueManager) -> int:
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 5)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=3)
    return epoch


def test_messages_return_to_their_places_with_their_backout_counts(
    qm: penstock.QueueManager, epoch: int
) -> None:
    assert qm.batches.release(FLOW) == 3

    assert bodies(qm, "IN") == [b"0", b"1", b"2", b"3", b"4"]
    assert depth(qm, "IN") == 5
    assert {message.backout_count for message in qm.browse("IN")} == {0}


def test_prepared_outputs_go(qm: penstock.QueueManager, epoch: int) -> None:
    work(qm, 1, epoch)

    qm.batches.release(FLOW, 1)

    assert qm.batches.listing()[0].prepared == 0
    assert bodies(qm, "OUT") == []
    (reply,) = qm.mqsc("DELETE QLOCAL(OUT)")
    assert not reply.failed


def test_whoever_worked_on_the_batch_is_shut_out(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    winners = work(qm, 1, epoch)
    qm.batches.release(FLOW)
    with fails(8031):
        qm.batches.commit(FLOW, 1, winners, epoch=epoch)


def test_the_number_stays_for_a_batch_that_is_run_again(qm: penstock.QueueManager, epoch: int) -> None:
    """An engine that has noted batch 1 runs it again after the release: it finds nothing in it."""
    qm.batches.release(FLOW)
    again = qm.batches.new_epoch(FLOW)

    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=again)["rows"] == 0
    qm.batches.commit(FLOW, 1, work(qm, 1, again), epoch=again)

    assert bodies(qm, "OUT") == []
    assert qm.batches.reserve(FLOW, "IN", after=1, epoch=again) == {
        "n": 2,
        "rows": 5,
        "bytes": 5,
        "queue": "IN",
    }


def test_a_flow_started_again_works_everything_off(qm: penstock.QueueManager, epoch: int) -> None:
    work(qm, 1, epoch)
    qm.batches.release(FLOW)

    run_flow(qm)

    assert bodies(qm, "OUT") == [b"done %d" % number for number in range(5)]


def test_a_committed_batch_cannot_be_released(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    qm.batches.commit(FLOW, 1, work(qm, 1, epoch), epoch=epoch)
    with fails(8030):
        qm.batches.release(FLOW, 1)
    with fails(8030):
        qm.batches.release(FLOW)


def test_a_waiting_getter_has_what_was_released(
    qm: penstock.QueueManager, epoch: int, spawn: Callable[..., Future[Any]], waiting: Callable[..., None]
) -> None:
    qm.get_many("IN", 10)
    getter = spawn(qm.get, "IN", wait=120.0)
    waiting(qm, "IN")

    qm.batches.release(FLOW)

    assert getter.result(60.0).body == b"0"
