"""SEMANTICS 6: ALL_MSGS_AVAILABLE gives a group only when all of it is there."""

from __future__ import annotations

import time

from penstock import Get, MsgFlag


def put(qm, queue, numbers, group=b"A", last=3, **details):
    for number in numbers:
        flags = MsgFlag.LAST_IN_GROUP if number == last else MsgFlag.IN_GROUP
        qm.put(
            queue,
            b"%d" % number,
            group_id=group.ljust(24, b"\0"),
            seq_number=number,
            flags=flags,
            **details,
        )


WHOLE = Get.LOGICAL_ORDER | Get.ALL_MESSAGES_AVAILABLE


def test_an_incomplete_group_is_not_got(qm, queue, fails) -> None:
    put(qm, queue, (1, 3))
    with qm.open(queue) as handle, fails(2033):
        handle.get(options=WHOLE)


def test_a_complete_group_is_got_to_its_end(qm, queue) -> None:
    put(qm, queue, (3, 1, 2))
    with qm.open(queue) as handle:
        assert [handle.get(options=WHOLE).body for _ in range(3)] == [b"1", b"2", b"3"]


def test_a_wait_ends_when_the_last_member_arrives(qm, queue, spawn, waiting) -> None:
    put(qm, queue, (1, 3))
    with qm.open(queue) as handle:
        future = spawn(handle.get, options=WHOLE, wait=120.0)
        waiting(qm)
        put(qm, queue, (2,))
        assert future.result(60).body == b"1"


def test_uncommitted_members_do_not_count(qm, queue, spawn) -> None:
    put(qm, queue, (1, 2))
    with qm.open(queue) as handle:
        qm.begin()
        put(qm, queue, (3,))
        other = spawn(handle.get, options=WHOLE, quiet=True).result(60)
        qm.commit()
        assert other is None
        assert handle.get(options=WHOLE).body == b"1"


def test_a_member_that_a_unit_holds_does_not_count(qm, queue, spawn) -> None:
    put(qm, queue, (1, 2, 3))
    with qm.open(queue) as handle, qm.open(queue) as holder:
        qm.begin()
        holder.get(seq_number=2)
        other = spawn(handle.get, options=WHOLE, quiet=True).result(60)
        qm.backout()
        assert other is None
        assert handle.get(options=WHOLE).body == b"1"


def test_an_expired_member_does_not_count(qm, queue) -> None:
    put(qm, queue, (1, 2))
    put(qm, queue, (3,), expiry=0.02)
    time.sleep(0.03)
    with qm.open(queue) as handle:
        assert handle.get(options=WHOLE, quiet=True) is None


def test_in_physical_order_any_member_of_a_complete_group_is_got(qm, queue) -> None:
    put(qm, queue, (3, 2))
    with qm.open(queue) as handle:
        assert handle.get(options=Get.ALL_MESSAGES_AVAILABLE, quiet=True) is None
        put(qm, queue, (1,))
        assert handle.get(options=Get.ALL_MESSAGES_AVAILABLE).body == b"3"
