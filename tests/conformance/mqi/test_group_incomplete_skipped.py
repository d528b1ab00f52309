"""SEMANTICS 6: an incomplete group does not hold up what stands behind it."""

from __future__ import annotations

from penstock import Get, MsgFlag


def member(qm, queue, group, number, last=False):
    flags = MsgFlag.LAST_IN_GROUP if last else MsgFlag.IN_GROUP
    qm.put(queue, b"%s%d" % (group, number), group_id=group.ljust(24, b"\0"), seq_number=number, flags=flags)


WHOLE = Get.LOGICAL_ORDER | Get.ALL_MESSAGES_AVAILABLE


def test_a_complete_group_behind_an_incomplete_one_is_got(qm, queue) -> None:
    member(qm, queue, b"A", 1)
    member(qm, queue, b"B", 1)
    member(qm, queue, b"B", 2, last=True)

    with qm.open(queue) as handle:
        assert [handle.get(options=WHOLE).body for _ in range(2)] == [b"B1", b"B2"]
        assert handle.get(options=WHOLE, quiet=True) is None


def test_a_single_message_behind_it_is_got(qm, queue) -> None:
    member(qm, queue, b"A", 1)
    qm.put(queue, b"single")

    with qm.open(queue) as handle:
        assert handle.get(options=WHOLE).body == b"single"


def test_a_group_without_its_first_message_is_passed_over(qm, queue) -> None:
    member(qm, queue, b"A", 2, last=True)
    qm.put(queue, b"single")

    with qm.open(queue) as handle:
        assert handle.get(options=Get.LOGICAL_ORDER).body == b"single"
        assert handle.get(options=Get.LOGICAL_ORDER, quiet=True) is None
