"""SEMANTICS 3: among the messages that match, priority and arrival decide."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("field", ["correl_id", "msg_id"])
def test_the_highest_priority_of_the_matching_ones_is_got(qm, queue, field) -> None:
    for number, priority in enumerate((2, 7, 7, 1)):
        qm.put(queue, b"%d" % number, priority=priority, **{field: b"k"})
    qm.put(queue, b"other", priority=9)

    assert [qm.get(queue, **{field: b"k"}).body for _ in range(4)] == [b"1", b"2", b"0", b"3"]


def test_a_selector_follows_priority_too(qm, queue) -> None:
    for number, priority in enumerate((2, 7)):
        qm.put(queue, b"%d" % number, priority=priority, properties={"kind": 1})

    assert qm.get(queue, selector="kind = 1").body == b"1"
