"""SEMANTICS 4, 6: a backout in the middle of a group restores where the handle stood."""

from __future__ import annotations

from penstock import Get, MsgFlag


def fill(qm, queue, count):
    for number in range(1, count + 1):
        flags = MsgFlag.LAST_IN_GROUP if number == count else MsgFlag.IN_GROUP
        qm.put(queue, b"%d" % number, group_id=b"G".ljust(24, b"\0"), seq_number=number, flags=flags)


NEXT = Get.LOGICAL_ORDER | Get.SYNCPOINT


def test_the_group_begins_again(qm, queue) -> None:
    fill(qm, queue, 3)
    with qm.open(queue) as handle:
        handle.get(options=NEXT)
        handle.get(options=NEXT)
        qm.backout()
        assert [handle.get(options=NEXT).body for _ in range(3)] == [b"1", b"2", b"3"]
        qm.commit()


def test_after_a_commit_only_the_last_units_gets_come_again(qm, queue) -> None:
    fill(qm, queue, 4)
    with qm.open(queue) as handle:
        handle.get(options=NEXT)
        handle.get(options=NEXT)
        qm.commit()
        handle.get(options=NEXT)
        qm.backout()
        assert [handle.get(options=NEXT).body for _ in range(2)] == [b"3", b"4"]
        qm.commit()
    assert qm.get(queue) is None


def test_after_the_backout_another_handle_may_begin_the_group(qm, queue) -> None:
    fill(qm, queue, 2)
    with qm.open(queue) as one, qm.open(queue) as two:
        one.get(options=NEXT)
        qm.backout()
        assert two.get(options=Get.LOGICAL_ORDER).body == b"1"
        assert two.get(options=Get.LOGICAL_ORDER).body == b"2"


def test_the_unit_must_not_change_within_a_group(qm, queue, fails) -> None:
    fill(qm, queue, 2)
    with qm.open(queue) as handle:
        handle.get(options=Get.LOGICAL_ORDER | Get.NO_SYNCPOINT)
        with fails(2245):
            handle.get(options=NEXT)
        assert handle.get(options=Get.LOGICAL_ORDER | Get.NO_SYNCPOINT).body == b"2"
