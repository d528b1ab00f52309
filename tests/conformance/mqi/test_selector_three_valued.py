"""SEMANTICS 7: unknown is not selected, whichever way it is asked."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        "missing = 1",
        "missing <> 1",
        "NOT missing = 1",
        "missing BETWEEN 1 AND 2",
        "NOT missing BETWEEN 1 AND 2",
        "missing IN ('a')",
        "missing NOT IN ('a')",
        "missing LIKE '%'",
        "missing = 1 AND there = 1",
    ],
)
def test_a_missing_property_selects_nothing(qm, queue, text) -> None:
    qm.put(queue, b"x", properties={"there": 1})

    assert qm.get(queue, selector=text) is None


@pytest.mark.parametrize(
    "text", ["missing = 1 OR there = 1", "missing IS NULL", "NOT (missing = 1 AND there = 2)"]
)
def test_a_known_part_can_decide(qm, queue, text) -> None:
    qm.put(queue, b"x", properties={"there": 1})

    assert qm.get(queue, selector=text).body == b"x"


def test_unlike_types_are_not_equal(qm, queue) -> None:
    qm.put(queue, b"x", properties={"n": 1, "s": "1"})

    assert qm.get(queue, selector="n = '1'") is None
    assert qm.get(queue, selector="s = 1") is None
