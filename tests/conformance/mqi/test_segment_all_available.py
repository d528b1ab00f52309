"""SEMANTICS 6: ALL_SEGMENTS_AVAILABLE gives a segment only when all are there."""

from __future__ import annotations

from penstock import Get, MsgFlag


def put(qm, queue, offset, last=False, group=b"S"):
    flags = MsgFlag.LAST_SEGMENT if last else MsgFlag.SEGMENT
    qm.put(queue, b"%04d" % offset, group_id=group.ljust(24, b"\0"), offset=offset, flags=flags)


def test_segments_wait_for_each_other(qm, queue) -> None:
    put(qm, queue, 0)
    put(qm, queue, 8, last=True)
    with qm.open(queue) as handle:
        assert handle.get(options=Get.ALL_SEGMENTS_AVAILABLE, quiet=True) is None
        put(qm, queue, 4)
        assert handle.get(options=Get.ALL_SEGMENTS_AVAILABLE).body == b"0000"


def test_in_logical_order_they_come_by_offset(qm, queue) -> None:
    put(qm, queue, 4, last=True)
    put(qm, queue, 0)
    with qm.open(queue) as handle:
        options = Get.LOGICAL_ORDER | Get.ALL_SEGMENTS_AVAILABLE
        assert [handle.get(options=options).body for _ in range(2)] == [b"0000", b"0004"]


def test_closing_inside_a_message_warns_2242(qm, queue) -> None:
    put(qm, queue, 0)
    put(qm, queue, 4, last=True)
    handle = qm.open(queue)
    handle.get(options=Get.LOGICAL_ORDER)

    assert handle.close() == 2242


def test_other_messages_are_not_held_up(qm, queue) -> None:
    put(qm, queue, 0)
    qm.put(queue, b"whole")
    with qm.open(queue) as handle:
        assert handle.get(options=Get.ALL_SEGMENTS_AVAILABLE).body == b"whole"
