"""Clause: a reservation holds the next messages of a queue for one batch, and nobody else gets them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

import penstock
from tests.conformance.mqi.reservation_steps import FLOW, bodies, define_queues, depth, put_numbers, read_all


@pytest.fixture
def epoch(qm: penstock.QueueManager) -> int:
    define_queues(qm, "IN", "OUT")
    return qm.batches.new_epoch(FLOW)


def test_reserved_messages_are_invisible_to_gets_and_browses(qm: penstock.QueueManager, epoch: int) -> None:
    put_numbers(qm, "IN", 5)

    held = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=3)

    assert held == {"n": 1, "rows": 3, "bytes": 3, "queue": "IN"}
    assert bodies(qm, "IN") == [b"3", b"4"]
    assert depth(qm, "IN") == 2
    assert [qm.get("IN").body for _ in range(2)] == [b"3", b"4"]
    assert qm.get("IN") is None


def test_the_same_number_gives_the_same_reservation(qm: penstock.QueueManager, epoch: int) -> None:
    put_numbers(qm, "IN", 2)
    first = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)
    put_numbers(qm, "IN", 5, first=2)

    again = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=7)

    assert again == first
    assert read_all(qm, 1, epoch) == [b"0", b"1"]


def test_an_empty_queue_makes_no_reservation(qm: penstock.QueueManager, epoch: int) -> None:
    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)["n"] == 0
    assert qm.batches.listing()[0].n is None


def test_messages_are_taken_in_delivery_order(qm: penstock.QueueManager, epoch: int) -> None:
    for priority, body in [(1, b"low"), (9, b"high"), (5, b"middle"), (9, b"high too")]:
        qm.put("IN", body, priority=priority)

    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=3)

    assert read_all(qm, 1, epoch) == [b"high", b"high too", b"middle"]


def test_bytes_limit_a_reservation(qm: penstock.QueueManager, epoch: int) -> None:
    qm.put_many("IN", [bytes(40), bytes(40), bytes(40)])

    held = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_bytes=100)

    assert (held["rows"], held["bytes"]) == (2, 80)


def test_a_message_larger_than_the_limit_still_goes_through(qm: penstock.QueueManager, epoch: int) -> None:
    qm.put("IN", bytes(500))

    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_bytes=100)["rows"] == 1


def test_what_a_unit_of_work_holds_is_passed_over(qm: penstock.QueueManager, epoch: int) -> None:
    put_numbers(qm, "IN", 3)
    with qm.unit_of_work():
        qm.get("IN")
        qm.put("IN", b"uncommitted")
        qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    assert read_all(qm, 1, epoch) == [b"1", b"2"]
    assert bodies(qm, "IN") == [b"uncommitted"]


def test_two_flows_share_a_queue_without_sharing_a_message(qm: penstock.QueueManager, epoch: int) -> None:
    put_numbers(qm, "IN", 4)
    other = qm.batches.new_epoch("other")

    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=2)
    qm.batches.reserve("other", "IN", after=0, epoch=other)

    assert read_all(qm, 1, epoch) == [b"0", b"1"]
    assert [m.body for m in qm.batches.read_slice("other", 1, 0, 1, epoch=other)] == [b"2", b"3"]


def test_expired_messages_are_discarded_not_reserved(qm: penstock.QueueManager, epoch: int) -> None:
    qm.put("IN", b"late", expiry=0.1)
    qm.put("IN", b"in time", expiry=60.0)
    time.sleep(0.15)

    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    (message,) = qm.batches.read_slice(FLOW, 1, 0, 1, epoch=epoch)
    assert message.body == b"in time"
    assert 0 < message.expiry < 60.0
    assert depth(qm, "IN") == 0


def test_a_reserved_message_does_not_expire(qm: penstock.QueueManager, epoch: int) -> None:
    qm.put("IN", b"held", expiry=60.0)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    qm.host.housekeeping(time.time() + 3600)

    assert read_all(qm, 1, epoch) == [b"held"]


@pytest.mark.parametrize("after", [-1, 1, 2])
def test_a_number_out_of_turn_is_refused(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any], after: int
) -> None:
    put_numbers(qm, "IN", 1)
    with fails(8032) as caught:
        qm.batches.reserve(FLOW, "IN", after=after, epoch=epoch)
    assert caught.value.fields["recorded"] == 0


def test_the_next_reservation_waits_for_the_commit_of_the_last(
    qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]
) -> None:
    put_numbers(qm, "IN", 3)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=1)
    with fails(8032):
        qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch)


def test_a_queue_that_is_get_disabled_gives_nothing_new(
    qm: penstock.QueueManager, epoch: int, run: Callable[[str], None], fails: Callable[[int], Any]
) -> None:
    put_numbers(qm, "IN", 2)
    held = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=1)
    run("ALTER QLOCAL(IN) GET(DISABLED)")

    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch) == held
    qm.batches.commit(FLOW, 1, {}, epoch=epoch)
    with fails(2016):
        qm.batches.reserve(FLOW, "IN", after=1, epoch=epoch)


def test_an_alias_may_name_the_queue(
    qm: penstock.QueueManager, epoch: int, run: Callable[[str], None]
) -> None:
    run("DEFINE QALIAS(IN.ALIAS) TARGET(IN)")
    put_numbers(qm, "IN", 1)

    assert qm.batches.reserve(FLOW, "IN.ALIAS", after=0, epoch=epoch)["queue"] == "IN"


@pytest.mark.parametrize("command", ["CLEAR QLOCAL(IN)", "DELETE QLOCAL(IN)", "DELETE QLOCAL(IN) PURGE"])
def test_a_queue_with_reserved_messages_can_neither_be_cleared_nor_deleted(
    qm: penstock.QueueManager, epoch: int, command: str
) -> None:
    put_numbers(qm, "IN", 1)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    (reply,) = qm.mqsc(command)

    assert reply.failed
    assert reply.reason == 2042
    assert read_all(qm, 1, epoch) == [b"0"]


@pytest.mark.parametrize("name", ["", "x" * 129])
def test_a_flow_needs_a_name(qm: penstock.QueueManager, fails: Callable[[int], Any], name: str) -> None:
    with fails(8042):
        qm.batches.new_epoch(name)


def test_an_unknown_queue_is_2085(qm: penstock.QueueManager, epoch: int, fails: Callable[[int], Any]) -> None:
    with fails(2085):
        qm.batches.reserve(FLOW, "NOWHERE", after=0, epoch=epoch)
