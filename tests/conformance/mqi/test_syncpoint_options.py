"""SEMANTICS 2, 3: syncpoint options exclude each other (2046)."""

from __future__ import annotations

import pytest

from penstock import Get


@pytest.mark.parametrize(
    "options",
    [
        Get.SYNCPOINT | Get.NO_SYNCPOINT,
        Get.SYNCPOINT | Get.SYNCPOINT_IF_PERSISTENT,
        Get.NO_SYNCPOINT | Get.SYNCPOINT_IF_PERSISTENT,
        Get.BROWSE_FIRST | Get.SYNCPOINT,
        Get.BROWSE_NEXT | Get.SYNCPOINT_IF_PERSISTENT,
    ],
)
def test_the_pair_is_refused_and_nothing_is_taken(qm, queue, fails, options) -> None:
    qm.put(queue, b"stays")

    with qm.open(queue) as handle, fails(2046):
        handle.get(options=options)

    assert qm.get(queue).body == b"stays"


def test_no_unit_is_started_by_a_refused_get(qm, queue, fails) -> None:
    with qm.open(queue) as handle, fails(2046):
        handle.get(options=Get.SYNCPOINT | Get.NO_SYNCPOINT)

    with qm.unit_of_work():
        pass
