"""Gets that wait with selectors cost whoever puts a limited time: beyond it they search the queue themselves.

What breaks without it: a user who may get from one queue has a thousand gets wait with long selectors, puts
messages, and stops all clients of the server for seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from penstock.host.waiting import register_retry
from penstock.qmgr.core import SEARCHED_MAX, TRY_AGAIN
from penstock.qmgr.searching.scanning import STEP_COST
from penstock.qmgr.selectors.selector import Selector, compile_selector
from penstock.qmgr.waiters import Match, Waiter, Waiting
from tests.patience import SECONDS

WAITERS = 200
LONG = " OR ".join(f"size = {number}" for number in range(50))


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the terms of the selectors that are asked."""
    terms: list[int] = []
    matches = Selector.matches

    def counted(self: Selector, message: Any) -> bool:
        terms.append(self.cost)
        return matches(self, message)

    monkeypatch.setattr(Selector, "matches", counted)
    return terms


@pytest.fixture
def gone(qm: Any, queue: str) -> Iterator[list[Waiter]]:
    """Have many gets wait; return those that the engine has sent away, to search for themselves."""
    woken: list[Waiter] = []
    with qm.gate:
        for number in range(WAITERS):
            match = Match(selector=compile_selector(f"{LONG} OR size = -{number}"))
            qm.engine.wait(qm.engine.queues[queue], match, None, woken.append)
    yield woken
    with qm.gate:
        waiting = qm.engine.queues[queue].waiting
        for waiter in waiting.everyone():
            waiting.remove(waiter)
        assert (waiting.cost, waiting.searches, waiting.retrying) == (0, 0, 0)


def test_a_put_asks_those_that_wait(qm: Any, queue: str, asked: list[int], gone: list[Waiter]) -> None:
    qm.put(queue, b"")
    assert (len(asked), gone) == (WAITERS, [])


def test_many_puts_send_them_away(qm: Any, queue: str, asked: list[int], gone: list[Waiter]) -> None:
    qm.put_many(queue, [b""] * 500)
    assert sum(asked) <= SEARCHED_MAX
    assert [waiter.reason for waiter in gone] == [TRY_AGAIN] * WAITERS


def test_so_does_a_commit(qm: Any, queue: str, asked: list[int], gone: list[Waiter]) -> None:
    qm.begin()
    qm.put_many(queue, [b""] * 500, persistent=True)
    qm.commit()
    assert sum(asked) <= SEARCHED_MAX
    assert len(gone) == WAITERS


def test_a_long_property_that_all_search_counts(
    qm: Any, queue: str, asked: list[int], gone: list[Waiter]
) -> None:
    with qm.gate:
        for _ in range(100):
            match = Match(selector=compile_selector("note LIKE '%a_b%'"))
            qm.engine.wait(qm.engine.queues[queue], match, None, gone.append)
    qm.put(queue, b"", properties={"note": "a" * 100_000})
    assert asked == []
    assert len(gone) == WAITERS + 100


def test_a_backout_searches_a_long_queue_for_some_of_them(
    qm: Any, queue: str, asked: list[int], gone: list[Waiter]
) -> None:
    qm.put_many(queue, [b""] * 4500, persistent=False)
    with qm.gate:
        qm.engine.step.begin()
        for waiter in gone:
            qm.engine.wait(waiter.queue, waiter.match, None, gone.append)
        before = len(gone)
        asked.clear()
        qm.engine.serve(qm.engine.queues[queue], 0.0)
    assert sum(asked) <= SEARCHED_MAX + 2 * STEP_COST
    assert len(gone) == before + WAITERS


def test_browses_that_wait_search_a_long_queue_for_some_of_them(qm: Any, queue: str) -> None:
    qm.put_many(queue, [b""] * 4500, persistent=False)
    attempts, woken = [], []
    engine, never = qm.engine, Match(selector=compile_selector("size = -1"))

    def attempt() -> None:
        attempts.append(1)
        engine.select(engine.queues[queue], never, None, 0.0)

    with qm.gate:
        for _ in range(WAITERS):
            register_retry(engine.queues[queue], attempt, None, engine, woken.append)
    qm.put(queue, b"", persistent=False)
    assert len(attempts) <= SEARCHED_MAX // STEP_COST + 1
    assert [waiter.reason for waiter in woken] == [TRY_AGAIN] * WAITERS


def test_who_was_sent_away_gets_the_message_that_it_waits_for(
    qm: Any, queue: str, gone: list[Waiter], spawn: Any, waiting: Any
) -> None:
    get = spawn(lambda: qm.get(queue, selector=f"{LONG} OR size = 1000", wait=SECONDS))
    waiting(qm, queue, WAITERS + 1)
    qm.put_many(queue, [b"other"] * 500, persistent=False)
    assert len(gone) == WAITERS
    qm.put(queue, b"mine", properties={"size": 1000})
    assert get.result(SECONDS).body == b"mine"


def test_a_wait_ends_without_a_look_at_those_before_it(qm: Any, queue: str) -> None:
    class Compared(Waiter):
        compared = 0

        def __eq__(self, other: object) -> bool:
            Compared.compared += 1
            return self is other

        __hash__ = object.__hash__

    waiting = Waiting()
    waiters = [Compared(None, None, None, None) for _ in range(100)]
    for waiter in waiters:
        waiting.add(waiter)
    for waiter in reversed(waiters):
        waiting.remove(waiter)
    assert (waiting.count, Compared.compared) == (0, 0)
