"""Groups whose places the application sets itself."""

from __future__ import annotations

import pytest

from penstock.model import constants as mq

IN, LAST = mq.MQMF_MSG_IN_GROUP, mq.MQMF_LAST_MSG_IN_GROUP


def test_group_id_and_number_are_kept(qm, queue):
    qm.put(queue, b"a", flags=IN, group_id=b"g" * 24, seq_number=4)
    descriptor = qm.get(queue).descriptor
    assert (descriptor.group_id, descriptor.seq_number) == (b"g" * 24, 4)


def test_without_a_group_id_one_is_made(qm, queue):
    receipt = qm.put(queue, b"a", flags=LAST)
    assert receipt.group_id.startswith(b"AMQ ")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"flags": IN, "seq_number": 0}, 2250),
        ({"flags": IN, "offset": -1}, 2251),
        ({"flags": 0x100}, 2249),
    ],
)
def test_bad_places_are_refused(qm, queue, fails, fields, reason):
    with fails(reason):
        qm.put(queue, b"a", group_id=b"g" * 24, **fields)
    assert qm.get(queue) is None
