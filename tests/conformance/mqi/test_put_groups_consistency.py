"""Message groups: persistence (2185) and unit of work (2245) stay the same in a group."""

from __future__ import annotations

from penstock.model import constants as mq

IN, LAST = mq.MQMF_MSG_IN_GROUP, mq.MQMF_LAST_MSG_IN_GROUP
LOGICAL = mq.MQPMO_LOGICAL_ORDER


def test_persistence_must_not_change(qm, queue, fails):
    with qm.open(queue) as handle:
        handle.put(b"a", options=LOGICAL, flags=IN, persistent=True)
        with fails(2185):
            handle.put(b"b", options=LOGICAL, flags=LAST, persistent=False)
        handle.put(b"b", options=LOGICAL, flags=LAST, persistent=True)
    assert len(qm.get_many(queue, 5)) == 2


def test_the_unit_must_not_change(qm, queue, fails):
    with qm.open(queue) as handle:
        handle.put(b"a", options=LOGICAL, flags=IN)
        with fails(2245):
            handle.put(b"b", options=LOGICAL | mq.MQPMO_SYNCPOINT, flags=LAST)
        qm.backout()
        handle.put(b"b", options=LOGICAL, flags=LAST)
    assert len(qm.get_many(queue, 5)) == 2


def test_a_group_may_span_units(qm, queue):
    with qm.open(queue) as handle:
        with qm.unit_of_work():
            handle.put(b"a", options=LOGICAL, flags=IN)
        with qm.unit_of_work():
            handle.put(b"b", options=LOGICAL, flags=LAST)
    assert [m.descriptor.seq_number for m in qm.get_many(queue, 5)] == [1, 2]
