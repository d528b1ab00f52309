"""SEMANTICS 6: without LOGICAL_ORDER members come as they arrived."""

from __future__ import annotations

from penstock import Get, MsgFlag


def fill(qm, queue, numbers=(3, 1, 2)):
    for number in numbers:
        flags = MsgFlag.LAST_IN_GROUP if number == 3 else MsgFlag.IN_GROUP
        qm.put(queue, b"%d" % number, group_id=b"G".ljust(24, b"\0"), seq_number=number, flags=flags)


def test_arrival_decides(qm, queue) -> None:
    fill(qm, queue)

    assert [qm.get(queue).body for _ in range(3)] == [b"3", b"1", b"2"]


def test_leaving_logical_order_in_the_middle_warns_2241(qm, queue) -> None:
    fill(qm, queue)
    with qm.open(queue) as handle:
        handle.get(options=Get.LOGICAL_ORDER)
        message = handle.get()

    assert (message.body, message.warning) == (b"3", 2241)


def test_a_group_is_resumed_after_a_get_of_its_member(qm, queue) -> None:
    fill(qm, queue, (1, 2, 3))
    qm.get(queue)
    with qm.open(queue) as handle:
        assert handle.get(options=Get.LOGICAL_ORDER, quiet=True) is None
        assert handle.get(group_id=b"G", seq_number=2).body == b"2"
        assert handle.get(options=Get.LOGICAL_ORDER).body == b"3"


def test_the_flags_and_numbers_are_in_the_descriptor(qm, queue) -> None:
    fill(qm, queue, (3,))

    descriptor = qm.get(queue).descriptor
    assert (descriptor.seq_number, descriptor.flags) == (3, MsgFlag.IN_GROUP | MsgFlag.LAST_IN_GROUP)
