"""SEMANTICS 1: a get returns the expiry that remains."""

from __future__ import annotations

import time

from penstock import Get


def test_the_rest_is_returned(qm, queue) -> None:
    qm.put(queue, b"x", expiry=3000.0)
    time.sleep(0.02)

    assert 2900.0 < qm.get(queue).expiry <= 2999.985


def test_no_expiry_is_none(qm, queue) -> None:
    qm.put(queue, b"x")

    assert qm.get(queue).expiry is None


def test_a_browse_and_a_handle_return_it_too(qm, queue) -> None:
    qm.put(queue, b"x", expiry=3000.0)
    with qm.open(queue) as handle:
        assert 2900.0 < handle.get(options=Get.BROWSE_FIRST).expiry <= 3000.0
        assert 2900.0 < handle.get(options=Get.UNDER_CURSOR).expiry <= 3000.0


def test_a_get_in_logical_order_returns_it_too(qm, queue) -> None:
    qm.put(queue, b"x", expiry=3000.0)
    with qm.open(queue) as handle:
        assert 2900.0 < handle.get(options=Get.LOGICAL_ORDER).expiry <= 3000.0


def test_a_unit_sees_the_rest_of_its_own_put(qm, queue) -> None:
    with qm.unit_of_work():
        qm.put(queue, b"x", expiry=3000.0)
        assert 2900.0 < qm.get(queue).expiry <= 3000.0
