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


def test_order_lasts_when_an_older_unit_makes_the_restart_begin_inside_another(embed: Any) -> None:
    """The replay begins behind the first put of the unit that commits last: its place is still the last."""
    qm = embed()
    qm.mqsc("DEFINE QLOCAL(Q)\nDEFINE QLOCAL(OTHER)")
    late, oldest = contextvars.Context(), contextvars.Context()
    late.run(qm.begin)
    late.run(qm.put, "Q", b"late 1", persistent=True)
    oldest.run(qm.begin)
    oldest.run(qm.put, "OTHER", b"keeps the log", persistent=True)
    qm.put("Q", b"outside", persistent=True)
    late.run(qm.put, "Q", b"late 2", persistent=True)
    late.run(qm.commit)
    qm.checkpoint()
    qm.put("Q", b"last", persistent=True)
    qm.host.abandon()

    assert [m.body for m in embed().browse("Q")] == [b"outside", b"late 1", b"late 2", b"last"]
