"""SEMANTICS 7: a selector that goes wrong for a message does not select it, and harms nobody."""

from __future__ import annotations

import pytest

import penstock


@pytest.mark.parametrize(
    "text", ["a / b > 0", "a + s > 1", "-s = 1", "a * 1E308 * 1E308 > 5 AND s = 'zz'", "s > 1"]
)
def test_a_message_that_cannot_be_judged_is_passed_over(qm, queue, text) -> None:
    qm.put(queue, b"bad", properties={"a": 1, "b": 0, "s": "text"})
    qm.put(queue, b"good", properties={"a": 1, "b": 1, "s": "text"})

    with qm.open(queue) as handle:
        message = handle.get(selector=text, quiet=True)

    assert message is None or message.body == b"good"
    assert b"bad" in [m.body for m in qm.browse(queue)]


def test_division_by_zero_is_unknown(qm, queue) -> None:
    qm.put(queue, b"zero", properties={"a": 1, "b": 0})
    qm.put(queue, b"one", properties={"a": 1, "b": 1})

    assert qm.get(queue, selector="a / b = 1").body == b"one"


def test_a_put_is_not_harmed_by_a_waiters_selector(qm, queue, spawn, waiting) -> None:
    future = spawn(qm.get, queue, wait=120.0, selector="a / b = 1 OR a LIKE 'x%'")
    waiting(qm)

    qm.put(queue, b"safe", properties={"a": 1, "b": 0})

    assert qm.get(queue).body == b"safe"
    qm.put(queue, b"wanted", properties={"a": 1, "b": 1})
    assert future.result(60).body == b"wanted"


def test_huge_and_strange_values_do_not_raise(qm, queue) -> None:
    qm.put(queue, b"x", properties={"big": 2**62, "tiny": 5e-324, "bytes": b"\xff", "text": "\u20ac" * 100})

    for text in ("big * big > 1", "tiny / 2 = 0", "bytes = 'x'", "text LIKE '%\u20ac\u20ac'", "big % 3 = 1"):
        try:
            qm.get(queue, selector=text + " AND nothing = 1")
        except penstock.MQError as problem:
            assert problem.reason == 2459  # a syntax that MQ does not have

    assert qm.get(queue).body == b"x"
