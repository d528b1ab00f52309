"""Clause: a group is reserved whole, in logical order, and lands in one slice; an incomplete one is left."""

from __future__ import annotations

import pytest

import penstock
from penstock.model import constants as mq
from tests.conformance.mqi.reservation_steps import FLOW, bodies, define_queues

GROUP = b"G".ljust(24, b"\0")
OTHER = b"H".ljust(24, b"\0")


@pytest.fixture
def epoch(qm: penstock.QueueManager) -> int:
    define_queues(qm, "IN")
    return qm.batches.new_epoch(FLOW)


def put_member(
    qm: penstock.QueueManager, body: bytes, number: int, last: bool = False, group: bytes = GROUP
) -> None:
    flags = mq.MQMF_LAST_MSG_IN_GROUP if last else mq.MQMF_MSG_IN_GROUP
    qm.put("IN", body, group_id=group, seq_number=number, flags=flags)


def read(qm: penstock.QueueManager, epoch: int, slices: int = 1) -> list[list[bytes]]:
    return [
        [message.body for message in qm.batches.read_slice(FLOW, 1, number, slices, epoch=epoch)]
        for number in range(slices)
    ]


def test_a_group_comes_whole_at_the_place_of_its_first_message(qm: penstock.QueueManager, epoch: int) -> None:
    put_member(qm, b"two", 2)
    qm.put("IN", b"single")
    put_member(qm, b"three", 3, last=True)
    put_member(qm, b"one", 1)

    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    assert read(qm, epoch) == [[b"one", b"two", b"three", b"single"]]


def test_an_incomplete_group_is_left_for_later(qm: penstock.QueueManager, epoch: int) -> None:
    put_member(qm, b"one", 1)
    qm.put("IN", b"single")

    held = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    assert held["rows"] == 1
    assert read(qm, epoch) == [[b"single"]]
    assert bodies(qm, "IN") == [b"one"]


def test_only_incomplete_groups_make_no_reservation(qm: penstock.QueueManager, epoch: int) -> None:
    put_member(qm, b"two", 2, last=True)
    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)["n"] == 0


def test_a_group_that_somebody_has_begun_is_left(qm: penstock.QueueManager, epoch: int) -> None:
    put_member(qm, b"one", 1)
    put_member(qm, b"two", 2, last=True)
    with qm.unit_of_work():
        qm.get("IN")
        assert qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)["n"] == 0


def test_a_limit_does_not_cut_a_group(qm: penstock.QueueManager, epoch: int) -> None:
    qm.put("IN", b"single")
    put_member(qm, b"one", 1)
    put_member(qm, b"two", 2, last=True)

    held = qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=2)

    assert held["rows"] == 1
    assert bodies(qm, "IN") == [b"one", b"two"]


def test_a_group_larger_than_the_limit_is_taken_when_it_stands_first(
    qm: penstock.QueueManager, epoch: int
) -> None:
    for number in range(1, 6):
        put_member(qm, b"%d" % number, number, last=number == 5)

    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch, max_rows=2)["rows"] == 5


def test_a_slice_never_cuts_a_group(qm: penstock.QueueManager, epoch: int) -> None:
    for number in range(1, 4):
        put_member(qm, b"g%d" % number, number, last=number == 3)
    for number in range(1, 3):
        put_member(qm, b"h%d" % number, number, last=number == 2, group=OTHER)
    qm.put("IN", b"single")

    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    assert read(qm, epoch, 2) == [[b"g1", b"g2", b"g3"], [b"h1", b"h2", b"single"]]
    assert read(qm, epoch, 5) == [[], [b"g1", b"g2", b"g3"], [], [b"h1", b"h2"], [b"single"]]


def test_the_segments_of_a_message_stay_together(qm: penstock.QueueManager, epoch: int) -> None:
    qm.put("IN", b"tail", group_id=GROUP, offset=4, flags=mq.MQMF_LAST_SEGMENT)
    assert qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)["n"] == 0
    qm.put("IN", b"head", group_id=GROUP, offset=0, flags=mq.MQMF_SEGMENT)

    qm.batches.reserve(FLOW, "IN", after=0, epoch=epoch)

    assert read(qm, epoch) == [[b"head", b"tail"]]
