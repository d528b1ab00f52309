"""SEMANTICS 6: LOGICAL_ORDER gets groups in the order of their first messages, members by number."""

from __future__ import annotations

from penstock import Get, MsgFlag, Put


def put(qm, queue, group, numbers, last):
    for number in numbers:
        flags = MsgFlag.LAST_IN_GROUP if number == last else MsgFlag.IN_GROUP
        qm.put(
            queue, b"%s%d" % (group, number), group_id=group.ljust(24, b"\0"), seq_number=number, flags=flags
        )


def test_members_come_in_the_order_of_their_numbers(qm, queue) -> None:
    put(qm, queue, b"A", (3, 1, 2), last=3)

    with qm.open(queue) as handle:
        assert [handle.get(options=Get.LOGICAL_ORDER).body for _ in range(3)] == [b"A1", b"A2", b"A3"]


def test_groups_do_not_mix(qm, queue) -> None:
    put(qm, queue, b"A", (1,), last=3)
    put(qm, queue, b"B", (1, 2), last=2)
    put(qm, queue, b"A", (2, 3), last=3)

    with qm.open(queue) as handle:
        got = [handle.get(options=Get.LOGICAL_ORDER).body for _ in range(5)]

    assert got == [b"A1", b"A2", b"A3", b"B1", b"B2"]


def test_a_group_stands_where_its_first_message_stands(qm, queue) -> None:
    put(qm, queue, b"A", (2,), last=2)
    put(qm, queue, b"B", (1, 2), last=2)
    qm.put(queue, b"single")
    put(qm, queue, b"A", (1,), last=2)

    with qm.open(queue) as handle:
        got = [handle.get(options=Get.LOGICAL_ORDER).body for _ in range(5)]

    assert got == [b"B1", b"B2", b"single", b"A1", b"A2"]


def test_a_group_put_in_logical_order_comes_back_whole(qm, queue) -> None:
    with qm.open(queue) as handle:
        for number, flags in enumerate((MsgFlag.IN_GROUP, MsgFlag.IN_GROUP, MsgFlag.LAST_IN_GROUP)):
            handle.put(b"%d" % number, options=Put.LOGICAL_ORDER, flags=flags)
        got = [handle.get(options=Get.LOGICAL_ORDER) for _ in range(3)]

    assert [m.descriptor.seq_number for m in got] == [1, 2, 3]
    assert len({m.descriptor.group_id for m in got}) == 1


def test_a_missing_member_is_waited_for(qm, queue, spawn, waiting) -> None:
    put(qm, queue, b"A", (1,), last=2)
    qm.put(queue, b"single")
    with qm.open(queue) as handle:
        handle.get(options=Get.LOGICAL_ORDER)
        future = spawn(handle.get, options=Get.LOGICAL_ORDER, wait=120.0)
        waiting(qm)
        put(qm, queue, b"A", (2,), last=2)
        assert future.result(60).body == b"A2"


def test_closing_in_the_middle_warns_2241(qm, queue) -> None:
    put(qm, queue, b"A", (1, 2), last=2)
    handle = qm.open(queue)
    handle.get(options=Get.LOGICAL_ORDER)

    assert handle.close() == 2241
