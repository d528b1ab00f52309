"""Message groups put in logical order (section 6): ids and numbers by the queue manager."""

from __future__ import annotations

from penstock.model import constants as mq

IN, LAST = mq.MQMF_MSG_IN_GROUP, mq.MQMF_LAST_MSG_IN_GROUP
LOGICAL = mq.MQPMO_LOGICAL_ORDER


def test_members_get_one_group_id_and_rising_numbers(qm, queue):
    with qm.open(queue) as handle:
        for flags in (IN, IN, LAST):
            handle.put(b"a", options=LOGICAL, flags=flags)
    found = [m.descriptor for m in qm.get_many(queue, 5)]
    assert [d.seq_number for d in found] == [1, 2, 3]
    assert len({d.group_id for d in found}) == 1
    assert found[0].group_id != bytes(24)
    assert [d.flags for d in found] == [IN, IN, IN | LAST]


def test_the_next_group_has_another_id(qm, queue):
    with qm.open(queue) as handle:
        first = handle.put(b"a", options=LOGICAL, flags=LAST)
        second = handle.put(b"b", options=LOGICAL, flags=LAST)
    assert first.group_id != second.group_id


def test_a_message_outside_the_group_is_2241(qm, queue, fails):
    with qm.open(queue) as handle:
        handle.put(b"a", options=LOGICAL, flags=IN)
        with fails(2241):
            handle.put(b"b", options=LOGICAL)
        handle.put(b"c", options=LOGICAL, flags=LAST)
    assert [m.descriptor.seq_number for m in qm.get_many(queue, 5)] == [1, 2]


def test_two_handles_have_groups_of_their_own(qm, queue):
    with qm.open(queue) as one, qm.open(queue) as two:
        first = one.put(b"a", options=LOGICAL, flags=IN)
        second = two.put(b"b", options=LOGICAL, flags=IN)
        one.put(b"a", options=LOGICAL, flags=LAST)
        two.put(b"b", options=LOGICAL, flags=LAST)
    assert first.group_id != second.group_id


def test_a_put_that_fails_does_not_use_up_a_number(qm, run, fails):
    run("DEFINE QLOCAL(Q) MAXMSGL(5)")
    with qm.open("Q") as handle:
        handle.put(b"a", options=LOGICAL, flags=IN)
        with fails(2030):
            handle.put(b"too long", options=LOGICAL, flags=IN)
        handle.put(b"b", options=LOGICAL, flags=LAST)
    assert [m.descriptor.seq_number for m in qm.get_many("Q", 5)] == [1, 2]
