"""Selectors of a publication that take too long for one step of a server: evaluated elsewhere before it.

A selector may read a body of megabytes, and a topic may have hundreds of them. A server gives the publisher
`Evaluations`: then a publish whose selectors cost more than a step raises `MustEvaluate` before it changes
anything. Its caller has the `Evaluation` done by another process, with the engine free, and makes the call
again, which finds the results here as long as somebody holds the evaluation. An embedded queue manager has
no loop to hold: it evaluates selectors where they are needed.
Invariant: a result is used for an equal message only: body, properties, descriptor, correlation id.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

from penstock.store.message_format import pack_properties

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from penstock.model.message import Message

    Run = Callable[[Message, list[str]], dict[str, bool]]

_log = logging.getLogger(__name__)
STEP_COST = 40_000  # terms of selectors in one step: some 5 ms
PARSED_BYTES = 4  # of a body, that take as long as one term
SEARCHED_BYTES = 64  # of a body or a property, that one term looks through in that time


def cost_of(terms: int, body_terms: int, length: int) -> int:
    """Return the cost of selectors with so many terms, and terms that read a body of so many bytes."""
    return terms + (length // PARSED_BYTES + length * body_terms // SEARCHED_BYTES if body_terms else 0)


def cost_of_text(searches: int, characters: int) -> int:
    """Return the cost of LIKE that may need so many comparisons for each of so many characters."""
    return searches * characters // SEARCHED_BYTES


def cost_of_one(selector: Any, message: Message) -> int:
    """Return the cost of a selector for a message."""
    if not (selector.reads_body or selector.searches):
        return int(selector.cost)
    return _cost([selector], message)


def characters_of(properties: Mapping[str, Any] | None) -> int:
    """Return how much text some properties have."""
    return sum(len(each) for each in (properties or {}).values() if isinstance(each, str))


def _cost(selectors: Iterable[Any], message: Message) -> int:
    terms = body_terms = searches = 0
    for each in selectors:
        searches += each.searches
        if each.reads_body:
            body_terms += each.cost
        else:
            terms += each.cost
    text = characters_of(message.properties) if searches or body_terms else 0
    return cost_of(terms, body_terms, message.length + text) + cost_of_text(searches, text)


class MustEvaluate(Exception):
    """Selectors are to be evaluated, or very many copies made, before the call can be made."""

    def __init__(self, evaluation: Evaluation) -> None:
        super().__init__("something that takes long must be done first")
        self.evaluation = evaluation


class Evaluation:
    """Some selectors, and the publication that they are asked about."""

    def __init__(self, message: Message, texts: list[str], run: Run) -> None:
        self.message = message
        self.texts = texts
        self.results: dict[str, bool] = {}
        self.over = False
        self._run = run

    def evaluate(self) -> None:
        """Get the results; the engine is not held. A selector without a result matches nothing."""
        results = dict.fromkeys(self.texts, False)
        try:
            results.update(self._run(self.message, self.texts))
        except Exception:  # noqa: BLE001 - a thread's edge: otherwise the publication would be asked about for ever
            _log.exception("selectors could not be evaluated: their subscriptions miss a publication")
        self.results = results
        self.over = True

    def is_about(self, message: Message) -> bool:
        """Return whether the results are true of a message too.

        Properties are compared as bytes: 1 is not TRUE, and what is not a number equals itself.
        """
        own = self.message
        return (
            own.length == message.length
            and own.priority == message.priority
            and own.persistent == message.persistent
            and own.correl_id == message.correl_id
            and own.descriptor == message.descriptor
            and pack_properties(own.properties or {}) == pack_properties(message.properties or {})
            and own.body == message.body
        )


def _at_once(work: Callable[[], None]) -> None:
    """Evaluate in the calling thread."""
    work()


class Evaluations:
    """The evaluations that callers of one engine wait for or use."""

    def __init__(self, run: Run, submit: Callable[[Callable[[], None]], object] = _at_once) -> None:
        self._run = run
        self._submit = submit
        self._known: WeakSet[Evaluation] = WeakSet()
        self._message: Message | None = None  # whose results these are
        self._results: dict[str, bool] = {}

    def begin(self, evaluation: Evaluation, then: Callable[[], None]) -> None:
        """Have an evaluation done in another thread, and something after it."""

        def work() -> None:
            evaluation.evaluate()
            then()

        self._submit(work)

    def check(self, message: Message, selectors: Iterable[Any]) -> None:
        """Raise `MustEvaluate` if the selectors without a result cost more than a step."""
        results = self._results_for(message)
        unknown = {each.text: each for each in selectors if each.text not in results}
        if _cost(unknown.values(), message) > STEP_COST:
            evaluation = Evaluation(message.snapshot(), list(unknown), self._run)
            self._known.add(evaluation)
            raise MustEvaluate(evaluation)

    def matches(self, message: Message, selector: Any) -> bool:
        """Return whether a selector matches: as it was evaluated before, or now."""
        if not self._known:
            self._message = None
            return bool(selector.matches(message))
        if message is not self._message:
            self._message, self._results = message, self._results_for(message)
        result = self._results.get(selector.text)
        return bool(selector.matches(message)) if result is None else result

    def _results_for(self, message: Message) -> dict[str, bool]:
        results: dict[str, bool] = {}
        for each in self._known:
            if each.results and each.is_about(message):
                results |= each.results
        return results
