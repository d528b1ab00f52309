"""SEMANTICS 3: a get by group id, sequence number and offset."""

from __future__ import annotations

from penstock import MsgFlag


def test_by_group_id(qm, queue) -> None:
    for group in (b"g1", b"g2"):
        qm.put(queue, group, group_id=group.ljust(24, b"\0"), flags=MsgFlag.IN_GROUP)

    with qm.open(queue) as handle:
        assert handle.get(group_id=b"g2").body == b"g2"
        assert handle.get(group_id=b"g2", quiet=True) is None


def test_by_sequence_number(qm, queue) -> None:
    for number in (1, 2, 3):
        qm.put(
            queue, b"%d" % number, group_id=b"g".ljust(24, b"\0"), seq_number=number, flags=MsgFlag.IN_GROUP
        )

    with qm.open(queue) as handle:
        assert handle.get(group_id=b"g", seq_number=3).body == b"3"
        assert handle.get(seq_number=2).body == b"2"


def test_by_offset(qm, queue) -> None:
    for offset in (0, 100, 200):
        qm.put(queue, b"x" * 100, group_id=b"g".ljust(24, b"\0"), offset=offset, flags=MsgFlag.SEGMENT)

    with qm.open(queue) as handle:
        assert handle.get(group_id=b"g", offset=100).descriptor.offset == 100
        assert handle.get(offset=0).descriptor.offset == 0


def test_a_message_outside_groups_has_no_group_id(qm, queue) -> None:
    qm.put(queue, b"x", group_id=b"g".ljust(24, b"\0"))

    with qm.open(queue) as handle:
        assert handle.get(group_id=b"g", quiet=True) is None
