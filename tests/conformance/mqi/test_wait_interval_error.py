"""SEMANTICS 3, 13: a wait interval that cannot be is 2090."""

from __future__ import annotations

import math

import pytest

from penstock import Get


@pytest.mark.parametrize("wait", [-1, -0.001, math.nan, math.inf, 1e12])
def test_a_bad_interval_is_refused(qm, queue, fails, wait) -> None:
    with fails(2090):
        qm.get(queue, wait=wait)


@pytest.mark.parametrize("wait", [-1, math.nan])
def test_a_bad_interval_is_refused_even_when_a_message_is_there(qm, queue, fails, wait) -> None:
    qm.put(queue, b"stays")

    with fails(2090):
        qm.get(queue, wait=wait)

    assert qm.get(queue).body == b"stays"


def test_a_handle_refuses_it_and_keeps_the_message(qm, queue, fails) -> None:
    qm.put(queue, b"stays")

    with qm.open(queue) as handle:
        with fails(2090):
            handle.get(options=Get.WAIT, wait=-5)
        assert handle.get().body == b"stays"
