"""Clause: what a batch holds is counted as an uncommitted get is, and can be seen by who looks for it."""

from __future__ import annotations

from typing import Any

import penstock
from tests.conformance.mqi.reservation_steps import FLOW, define_queues, put_numbers


def status(qm: penstock.QueueManager, queue: str) -> tuple[Any, ...]:
    (reply,) = qm.mqsc(f"DISPLAY QSTATUS({queue}) CURDEPTH RESERVED UNCOM")
    return tuple(reply.attributes[name] for name in ("CURDEPTH", "RESERVED", "UNCOM"))


def everything(qm: penstock.QueueManager, queue: str) -> list[tuple[bytes, str]]:
    here = qm.batches.extent(queue)
    part = {name: here[name] for name in ("started", "first", "last")}
    rows = qm.batches.read_extent(queue, **part, after=(9, 0), held=True)
    return [(message.body, holder) for _, _, message, holder in rows]


def test_a_reservation_counts_as_an_uncommitted_get_does(qm: penstock.QueueManager) -> None:
    define_queues(qm, "RESERVED", "GOT")
    put_numbers(qm, "RESERVED", 5)
    put_numbers(qm, "GOT", 5)

    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "RESERVED", after=0, epoch=epoch, max_rows=3)
    with qm.unit_of_work():
        qm.get_many("GOT", 3)
        assert status(qm, "GOT") == (2, 0, "YES")
        assert status(qm, "RESERVED") == (2, 3, "YES")

    qm.batches.commit(FLOW, 1, {}, epoch=epoch)
    assert status(qm, "RESERVED") == status(qm, "GOT") == (2, 0, "NO")


def test_all_messages_are_seen_with_their_holders(qm: penstock.QueueManager) -> None:
    define_queues(qm, "IN")
    put_numbers(qm, "IN", 4)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=qm.batches.new_epoch(FLOW), max_rows=2)

    with qm.unit_of_work():
        qm.get("IN")
        assert everything(qm, "IN") == [
            (b"0", f"flow {FLOW}, batch 1"),
            (b"1", f"flow {FLOW}, batch 1"),
            (b"2", "a unit of work"),
            (b"3", ""),
        ]
    assert [message.body for message in qm.browse("IN")] == [b"3"]


def test_records_that_a_batch_takes_are_reserved_too(qm: penstock.QueueManager) -> None:
    define_queues(qm, "IN", "STATE")
    put_numbers(qm, "IN", 1)
    qm.put("STATE", b"record", correl_id=b"c")
    epoch = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)
    ((number, message),) = qm.batches.look(FLOW, 1, "STATE", epoch=epoch, correl_id=b"c".ljust(24, b"\0"))
    for attempt in ("one", "two"):
        taken = [("STATE", message.correl_id, number)]
        qm.batches.prepare_outputs(FLOW, 1, 0, attempt, [], epoch=epoch, takes=taken)

    assert status(qm, "STATE")[1] == 1
    assert everything(qm, "STATE") == [(b"record", f"flow {FLOW}, batch 1")]


def test_a_run_releases_only_what_is_its_own(qm: penstock.QueueManager) -> None:
    define_queues(qm, "IN")
    put_numbers(qm, "IN", 2)
    first = qm.batches.new_epoch(FLOW)
    qm.batches.reserve(FLOW, "IN", after=0, epoch=first)
    second = qm.batches.new_epoch(FLOW)

    try:
        qm.batches.release(FLOW, epoch=first)
    except penstock.MQError as refused:
        assert refused.reason == 8031
    else:
        raise AssertionError("a run that was overtaken has released the batch of another")
    assert status(qm, "IN") == (0, 2, "YES")
    assert qm.batches.release(FLOW, epoch=second) == 2
    assert status(qm, "IN") == (2, 0, "NO")
