"""Very many gets wait on one queue: each ends at once, and a put compares only so many of them.

What breaks without it: a user who may get from one queue has 50,000 gets wait for one correlation id, and
stops all clients of the server whenever such a wait ends or a message arrives.
"""

from __future__ import annotations

from typing import Any

import pytest

from penstock.model.ids import IdSource
from penstock.qmgr.core import SEARCHED_MAX, TRY_AGAIN
from penstock.qmgr.waiters import Match, Waiter, Waiting

MANY = 500
ID = IdSource("QM", 1).next()
OTHER = IdSource("OTHER", 1).next()


class Compared(Waiter):
    """A waiter that counts how often it is compared with another."""

    count = 0

    def __eq__(self, other: object) -> bool:
        Compared.count += 1
        return self is other

    __hash__ = object.__hash__


@pytest.mark.parametrize("match", [None, Match(correl_id=ID)], ids=["any", "one correlation id"])
def test_a_wait_leaves_without_a_look_at_the_others(match: Match | None) -> None:
    waiting, queue = Waiting(), None
    waiters = [Compared(queue, match, None, None) for _ in range(MANY)]  # type: ignore[arg-type]
    for waiter in waiters:
        waiting.add(waiter)

    Compared.count = 0
    for waiter in reversed(waiters):
        waiting.remove(waiter)

    assert Compared.count <= MANY
    assert (waiting.count, waiting.cost, waiting.everyone(), waiting.by_correl_id) == (0, 0, [], {})


@pytest.mark.parametrize("match", [Match(msg_id=OTHER), Match(msg_id=OTHER, correl_id=ID)])
def test_puts_compare_only_so_many_in_a_step(qm: Any, queue: str, match: Match) -> None:
    """Those that wait for another message id look themselves, when there are too many of them."""
    woken: list[Waiter] = []
    engine, name = qm.engine, queue
    with qm.gate:
        engine.step.begin()
        for _ in range(MANY):
            engine.wait(engine.queues[name], match, None, woken.append)
        for _ in range(SEARCHED_MAX // MANY):
            engine.put_plain(engine.queues[name], b"", None, ID, False, 0, qm.session.context, None, 0.0)
    assert woken == []

    with qm.gate:
        engine.put_plain(engine.queues[name], b"", None, ID, False, 0, qm.session.context, None, 0.0)

    assert [waiter.reason for waiter in woken] == [TRY_AGAIN] * MANY
