"""A unit's puts take their places when it commits, in the order of putting (SEMANTICS §4)."""

from __future__ import annotations

import contextvars
from typing import Any

import pytest


@pytest.mark.parametrize("persistent", [True, False])
def test_place_on_the_queue_is_decided_at_commit(qm: Any, queue: str, persistent: bool) -> None:
    early, late = contextvars.Context(), contextvars.Context()
    early.run(qm.begin)
    late.run(qm.begin)
    early.run(qm.put, queue, b"early 1", persistent=persistent)
    late.run(qm.put, queue, b"late", persistent=persistent)
    early.run(qm.put, queue, b"early 2", persistent=persistent)
    qm.put(queue, b"outside", persistent=persistent)
    late.run(qm.commit)
    early.run(qm.commit)

    assert [m.body for m in qm.browse(queue)] == [b"outside", b"late", b"early 1", b"early 2"]


def test_persistent_and_other_puts_of_a_unit_keep_their_order(qm: Any, queue: str) -> None:
    with qm.unit_of_work():
        for number in range(6):
            qm.put(queue, b"%d" % number, persistent=number % 2 == 0)

    assert [m.body for m in qm.browse(queue)] == [b"%d" % number for number in range(6)]


def test_priority_comes_before_the_order_of_commit(qm: Any, queue: str) -> None:
    with qm.unit_of_work():
        for priority in (1, 9, 5, 9):
            qm.put(queue, b"%d" % priority, priority=priority)

    assert [m.body for m in qm.browse(queue)] == [b"9", b"9", b"5", b"1"]


def test_order_of_commits_lasts_over_a_restart(embed: Any) -> None:
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)")
    first, second = contextvars.Context(), contextvars.Context()
    for context, body in ((first, b"first"), (second, b"second")):
        context.run(qm.begin)
        context.run(qm.put, "Q", body, persistent=True)
    second.run(qm.commit)
    first.run(qm.commit)
    qm.host.abandon()

    assert [m.body for m in embed().browse("Q")] == [b"second", b"first"]
