"""SEMANTICS 6: a group that a handle has begun is that handle's until its end."""

from __future__ import annotations

from penstock import Get, MsgFlag


def fill(qm, queue):
    for group in (b"A", b"B"):
        for number in (1, 2):
            flags = MsgFlag.LAST_IN_GROUP if number == 2 else MsgFlag.IN_GROUP
            qm.put(
                queue,
                b"%s%d" % (group, number),
                group_id=group.ljust(24, b"\0"),
                seq_number=number,
                flags=flags,
            )


def test_two_handles_get_a_group_each(qm, queue) -> None:
    fill(qm, queue)
    with qm.open(queue) as one, qm.open(queue) as two:
        got = [handle.get(options=Get.LOGICAL_ORDER).body for handle in (one, two, one, two)]

    assert got == [b"A1", b"B1", b"A2", b"B2"]


def test_another_handle_never_starts_in_the_middle(qm, queue) -> None:
    fill(qm, queue)
    with qm.open(queue) as one, qm.open(queue) as two:
        one.get(options=Get.LOGICAL_ORDER)
        two.get(options=Get.LOGICAL_ORDER)
        two.get(options=Get.LOGICAL_ORDER)
        assert two.get(options=Get.LOGICAL_ORDER, quiet=True) is None


def test_a_better_message_does_not_interrupt_the_group(qm, queue) -> None:
    fill(qm, queue)
    with qm.open(queue) as handle:
        handle.get(options=Get.LOGICAL_ORDER)
        qm.put(queue, b"urgent", priority=9)
        assert [handle.get(options=Get.LOGICAL_ORDER).body for _ in range(2)] == [b"A2", b"urgent"]
