"""Clause: flows can be listed with what they hold, and forgotten when they hold nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import penstock
from tests.conformance.mqi.reservation_steps import FLOW, define_queues, put_numbers, work


def test_a_listing_shows_what_each_flow_holds(qm: penstock.QueueManager) -> None:
    define_queues(qm, "IN", "OUT")
    put_numbers(qm, "IN", 5)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.new_epoch("idle")
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=3)
    work(qm, 1, epoch)

    idle, busy = qm.batches.listing()

    assert (idle.flow, idle.n, idle.rows, idle.prepared) == ("idle", None, 0, 0)
    assert (busy.flow, busy.epoch, busy.recorded) == (FLOW, epoch, 0)
    assert (busy.n, busy.queue, busy.rows, busy.bytes, busy.prepared) == (1, "IN", 3, 3, 2)
    assert busy.since > 0


def test_a_flow_that_holds_messages_cannot_be_forgotten(
    qm: penstock.QueueManager, fails: Callable[[int], Any]
) -> None:
    define_queues(qm, "IN")
    put_numbers(qm, "IN", 1)
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)
    with fails(2042):
        qm.batches.forget(FLOW)

    qm.batches.commit(FLOW, 1, {}, epoch=epoch)
    qm.batches.forget(FLOW)

    assert qm.batches.listing() == []
    assert qm.batches.recorded(FLOW) == 0
