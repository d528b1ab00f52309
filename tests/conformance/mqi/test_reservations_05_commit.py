"""Clause: a commit removes the inputs, publishes the winners' outputs and records the number, in one step."""

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
    put_numbers(qm, "IN", 6)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=4)
    return epoch


def prepare(qm: penstock.QueueManager, epoch: int, slice: int, attempt: Any, *outputs: bytes) -> None:
    qm.batches.prepare_outputs(FLOW, 1, slice, attempt, [("OUT", body) for body in outputs], epoch=epoch)


def test_inputs_go_outputs_come_and_the_number_is_recorded(qm: penstock.QueueManager, epoch: int) -> None:
    qm.batches.commit(FLOW, 1, work(qm, 1, epoch), epoch=epoch)

    assert bodies(qm, "OUT") == [b"done 0", b"done 1", b"done 2", b"done 3"]
    assert bodies(qm, "IN") == [b"4", b"5"]
    assert (depth(qm, "IN"), depth(qm, "OUT")) == (2, 4)
    assert qm.batches.recorded(FLOW) == 1


def test_outputs_appear_in_slice_order_whoever_was_first(qm: penstock.QueueManager, epoch: int) -> None:
    prepare(qm, epoch, 2, 0, b"e")
    prepare(qm, epoch, 0, 0, b"a", b"b")
    prepare(qm, epoch, 1, 0, b"c", b"d")

    qm.batches.commit(FLOW, 1, {2: 0, 1: 0, 0: 0}, epoch=epoch)

    assert bodies(qm, "OUT") == [b"a", b"b", b"c", b"d", b"e"]


def test_only_the_winning_attempts_count(qm: penstock.QueueManager, epoch: int) -> None:
    prepare(qm, epoch, 0, "first", b"lost")
    prepare(qm, epoch, 0, "second", b"won")
    prepare(qm, epoch, 1, "first", b"lost too")

    qm.batches.commit(FLOW, 1, {0: "second"}, epoch=epoch)

    assert bodies(qm, "OUT") == [b"won"]


def test_a_commit_may_be_repeated(qm: penstock.QueueManager, epoch: int) -> None:
    winners = work(qm, 1, epoch)
    for _ in range(3):
        qm.batches.commit(FLOW, 1, winners, epoch=epoch)

    assert depth(qm, "OUT") == 4
    assert qm.batches.recorded(FLOW) == 1


def test_a_winner_that_never_prepared_is_refused_and_nothing_changes(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    prepare(qm, epoch, 0, 0, b"a")

    with fails(8030) as caught:
        qm.batches.commit(FLOW, 1, {0: 0, 1: 7}, epoch=epoch)

    assert caught.value.fields == {"slice": 1, "attempt": 7}
    assert qm.batches.recorded(FLOW) == 0
    assert bodies(qm, "OUT") == []
    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
    assert bodies(qm, "OUT") == [b"a"]


def test_prepared_outputs_are_not_lost_by_a_commit_that_names_nobody(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    prepare(qm, epoch, 0, 0, b"a")
    with fails(8030):
        qm.batches.commit(FLOW, 1, {}, epoch=epoch)
    assert qm.batches.recorded(FLOW) == 0


def test_a_batch_without_outputs_just_ends(qm: penstock.QueueManager, epoch: int) -> None:
    prepare(qm, epoch, 0, 0)
    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
    assert qm.batches.recorded(FLOW) == 1
    assert bodies(qm, "IN") == [b"4", b"5"]


def test_a_batch_out_of_turn_is_unknown(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    with fails(8030):
        qm.batches.commit(FLOW, 2, {}, epoch=epoch)


def test_a_full_output_queue_makes_the_batch_wait(
    qm: penstock.QueueManager, epoch: int, run: Callable[[str], None], fails: Callable[[int], Any]
) -> None:
    run("ALTER QLOCAL(OUT) MAXDEPTH(5)")
    qm.put_many("OUT", [b"x", b"y"])
    winners = work(qm, 1, epoch)

    with fails(2053) as caught:
        qm.batches.commit(FLOW, 1, winners, epoch=epoch)

    assert caught.value.fields["count"] == 4
    assert qm.batches.recorded(FLOW) == 0
    assert depth(qm, "OUT") == 2
    qm.get("OUT")
    qm.batches.commit(FLOW, 1, winners, epoch=epoch)
    assert depth(qm, "OUT") == 5


def test_a_put_disabled_output_queue_makes_it_wait_too(
    qm: penstock.QueueManager, epoch: int, run: Callable[[str], None], fails: Callable[[int], Any]
) -> None:
    winners = work(qm, 1, epoch)
    run("ALTER QLOCAL(OUT) PUT(DISABLED)")
    with fails(2051):
        qm.batches.commit(FLOW, 1, winners, epoch=epoch)
    run("ALTER QLOCAL(OUT) PUT(ENABLED)")

    qm.batches.commit(FLOW, 1, winners, epoch=epoch)

    assert depth(qm, "OUT") == 4


def test_a_waiting_getter_has_an_output_at_once(
    qm: penstock.QueueManager,
    epoch: int,
    spawn: Callable[..., Future[Any]],
    waiting: Callable[..., None],
) -> None:
    getter = spawn(qm.get, "OUT", wait=120.0)
    waiting(qm, "OUT")

    qm.batches.commit(FLOW, 1, work(qm, 1, epoch), epoch=epoch)

    assert getter.result(60.0).body == b"done 0"


def test_non_persistent_messages_take_part(qm: penstock.QueueManager, run: Callable[[str], None]) -> None:
    define_queues(qm, "IN", "OUT", rest="DEFPSIST(NO)")
    put_numbers(qm, "IN", 6)

    run_flow(qm)

    assert bodies(qm, "OUT") == [b"done %d" % number for number in range(6)]
    assert depth(qm, "IN") == 0


def test_a_flow_may_put_to_the_queue_it_reads(qm: penstock.QueueManager, epoch: int) -> None:
    qm.batches.prepare_outputs(FLOW, 1, 0, 0, [("IN", b"again")], epoch=epoch)
    qm.batches.commit(FLOW, 1, {0: 0}, epoch=epoch)
    assert bodies(qm, "IN") == [b"4", b"5", b"again"]


def test_delivery_is_confirmed_by_the_commit(qm: penstock.QueueManager, epoch: int) -> None:
    define_queues(qm, "CONFIRMED")
    qm.batches.commit(FLOW, 1, {}, epoch=epoch)
    qm.put("IN", b"tell me", report=penstock.Report.COD, reply_to="CONFIRMED", priority=9)
    qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch, max_rows=1)
    assert qm.get("CONFIRMED") is None

    qm.batches.commit(FLOW, 2, {}, epoch=epoch)

    assert qm.get("CONFIRMED", wait=60.0).msg_type == 4


def test_batches_follow_one_another_until_the_queue_is_empty(qm: penstock.QueueManager) -> None:
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 50)

    run_flow(qm, max_rows=7)

    assert bodies(qm, "OUT") == [b"done %d" % number for number in range(50)]
    assert qm.batches.recorded(FLOW) == 8
