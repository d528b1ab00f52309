"""SEMANTICS 6, 13: UNLOCK releases the lock of this handle; 2209 when there is none."""

from __future__ import annotations

import pytest

from penstock import Get, Open


def test_the_message_is_free_again(qm, queue) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        assert handle.get(options=Get.UNLOCK) is None
        assert qm.get(queue).body == b"a"


def test_nothing_locked_is_2209(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        with fails(2209):
            handle.get(options=Get.UNLOCK)
        handle.get(options=Get.BROWSE_FIRST)
        with fails(2209):
            handle.get(options=Get.UNLOCK)


def test_a_second_unlock_is_2209(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        handle.get(options=Get.UNLOCK)
        with fails(2209):
            handle.get(options=Get.UNLOCK)


def test_another_handle_cannot_unlock(qm, queue, fails) -> None:
    qm.put(queue, b"a")
    with qm.open(queue, Open.BROWSE) as handle, qm.open(queue, Open.BROWSE) as other:
        handle.get(options=Get.BROWSE_FIRST | Get.LOCK)
        with fails(2209):
            other.get(options=Get.UNLOCK)
        assert qm.get(queue) is None


def test_unlock_needs_browse(qm, queue, fails) -> None:
    with qm.open(queue, Open.INPUT_SHARED) as handle, fails(2036):
        handle.get(options=Get.UNLOCK)


@pytest.mark.parametrize("other", [Get.BROWSE_FIRST, Get.LOCK | Get.BROWSE_NEXT, Get.WAIT, Get.SYNCPOINT])
def test_unlock_goes_with_no_other_wish(qm, queue, fails, other) -> None:
    with qm.open(queue) as handle, fails(2046):
        handle.get(options=Get.UNLOCK | other)
