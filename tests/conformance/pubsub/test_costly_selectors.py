"""Selectors that cost more than a step: evaluated before the publication, and not by the engine.

Without that a publication of megabytes, or one with hundreds of selectors, stops all clients of a server.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from penstock.host.selector_evaluator import Evaluator
from penstock.qmgr.selectors.evaluations import STEP_COST, Evaluations, cost_of

if TYPE_CHECKING:
    from penstock import QueueManager
    from penstock.model.message import Message

LINES = b"<Line><Sku>A-17</Sku><Qty>3</Qty></Line>" * 10_000
NUMBERS = range(98, 103)


class Watched:
    """A queue manager whose engine, and the evaluator beside it, count the selectors they are asked about."""

    def __init__(self, qm: QueueManager, models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        engine = qm.session.engine
        evaluator = Evaluator(models)
        self.by_engine = 0
        self.beside: list[list[str]] = []
        look_at = engine.content_filters._look_at

        def counted(message: Message) -> object:
            self.by_engine += 1
            return look_at(message)

        def run(message: Message, texts: list[str]) -> dict[str, bool]:
            self.beside.append(texts)
            return dict(zip(texts, evaluator.results(message, texts), strict=True))

        monkeypatch.setattr(engine.content_filters, "_look_at", counted)
        engine.pubsub.publisher.evaluations = Evaluations(run)


@pytest.fixture
def watched(qm: QueueManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Watched:
    return Watched(qm, tmp_path, monkeypatch)


def body(price: int, lines: bytes = LINES) -> bytes:
    return b"<Quote>%s<Price>%d</Price></Quote>" % (lines, price)


def selectors(numbers: Iterable[int]) -> list[str]:
    return [f"Body.Quote.Price > {number}" for number in numbers]


def test_the_engine_looks_into_no_large_body(qm: QueueManager, watched: Watched) -> None:
    made = [qm.subscribe("quotes", selector=text) for text in selectors(NUMBERS)]
    qm.publish("quotes", body(100), persistent=False)
    assert [each.get() is not None for each in made] == [True, True, False, False, False]
    assert (watched.by_engine, watched.beside) == (0, [selectors(NUMBERS)])


def test_a_small_body_is_looked_into_at_once(qm: QueueManager, watched: Watched) -> None:
    with qm.subscribe("quotes", selector="Body.Quote.Price > 99") as made:
        qm.publish("quotes", body(100, b""), persistent=False)
        assert made.get() is not None
    assert watched.by_engine > 0
    assert watched.beside == []


def test_many_selectors_on_properties_are_too_much_for_a_step_too(qm: QueueManager, watched: Watched) -> None:
    text = " OR ".join(f"weight = {number}" for number in range(400))
    made = [qm.subscribe("heavy", selector=f"{text} OR height = {number}") for number in range(60)]
    qm.publish("heavy", b"", properties={"height": 7}, persistent=False)
    assert [number for number, each in enumerate(made) if each.get() is not None] == [7]
    assert [len(texts) for texts in watched.beside] == [60]


def test_retained_publications_are_asked_about_one_by_one(qm: QueueManager, watched: Watched) -> None:
    for number in NUMBERS:
        qm.publish(f"kept/{number}", body(number), retain=True, persistent=False)
    with qm.subscribe("kept/#", selector="Body.Quote.Price > 99") as made:
        assert len(list(made.messages())) == 3
    assert (watched.by_engine, len(watched.beside)) == (0, len(NUMBERS))


def test_a_result_is_for_an_equal_publication_only(qm: QueueManager, watched: Watched) -> None:
    qm.session.engine.pubsub.publisher.evaluations._known = set()  # as if all callers still waited
    with qm.subscribe("quotes", selector="Body.Quote.Price > 99 AND marked = TRUE") as made:
        for marked in (True, 1, False):
            for price in (99, 100):
                qm.publish("quotes", body(price), properties={"marked": marked}, persistent=False)
        assert [message.body for message in made.messages()] == [body(100)]
    assert len(watched.beside) == 6


def test_the_cost_of_a_step_is_that_of_some_bytes_and_terms() -> None:
    assert cost_of(STEP_COST, 0, 1 << 30) == STEP_COST  # no body is read
    assert cost_of(0, 1, 4096) < STEP_COST < cost_of(0, 1, 1 << 20)
    assert cost_of(0, 10, 80_000) < STEP_COST < cost_of(0, 100, 80_000)
