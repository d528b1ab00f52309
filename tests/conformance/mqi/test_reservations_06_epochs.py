"""Clause: each start of a flow takes a new epoch, and whoever goes on with an older one is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import penstock
from tests.conformance.mqi.reservation_steps import FLOW, bodies, define_queues, put_numbers, read_all, work

VERBS: dict[str, Callable[[penstock.QueueManager, int], Any]] = {
    "reserve": lambda qm, epoch: qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch),
    "read": lambda qm, epoch: qm.batches.read_slice(FLOW, 1, 0, 1, epoch=epoch),
    "prepare": lambda qm, epoch: qm.batches.prepare_outputs(FLOW, 1, 0, 0, [("OUT", b"zombie")], epoch=epoch),
    "commit": lambda qm, epoch: qm.batches.commit(FLOW, 1, {}, epoch=epoch),
}


@pytest.fixture
def old(qm: penstock.QueueManager) -> int:
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 4)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)
    return epoch


@pytest.mark.parametrize("verb", VERBS)
def test_a_zombie_is_refused(
    qm: penstock.QueueManager, old: int, fails: Callable[[int], Any], verb: str
) -> None:
    new = qm.batches.new_epoch(FLOW)
    assert new > old

    with fails(8031):
        VERBS[verb](qm, old)

    assert read_all(qm, 1, new) == [b"0", b"1", b"2", b"3"]


@pytest.mark.parametrize("verb", VERBS)
def test_a_flow_that_never_started_is_unknown(
    qm: penstock.QueueManager, fails: Callable[[int], Any], verb: str
) -> None:
    define_queues(qm, "IN", "OUT")
    with fails(8030):
        VERBS[verb](qm, 1)
    assert qm.batches.recorded(FLOW) == 0


def test_a_new_epoch_finds_the_reservation_of_the_old_one(qm: penstock.QueueManager, old: int) -> None:
    new = qm.batches.new_epoch(FLOW)
    put_numbers(qm, "IN", 2, first=4)

    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=new)["rows"] == 4


def test_what_an_older_epoch_prepared_is_dropped(
    qm: penstock.QueueManager, old: int, fails: Callable[[int], Any]
) -> None:
    qm.batches.prepare_outputs(FLOW, 1, 1, 0, [("OUT", b"old")], epoch=old)
    new = qm.batches.new_epoch(FLOW)
    assert qm.batches.listing()[0].prepared == 0
    with fails(8030):
        qm.batches.commit(FLOW, 1, {1: 0}, epoch=new)

    qm.batches.commit(FLOW, 1, work(qm, 1, new), epoch=new)

    assert bodies(qm, "OUT") == [b"done 0", b"done 1", b"done 2", b"done 3"]


def test_epochs_of_different_flows_are_apart(qm: penstock.QueueManager, old: int) -> None:
    qm.batches.new_epoch("other")
    assert read_all(qm, 1, old) == [b"0", b"1", b"2", b"3"]


def test_an_epoch_is_never_used_twice(qm: penstock.QueueManager, old: int) -> None:
    qm.batches.commit(FLOW, 1, {}, epoch=old)
    qm.batches.forget(FLOW)
    assert qm.batches.new_epoch(FLOW) > old
