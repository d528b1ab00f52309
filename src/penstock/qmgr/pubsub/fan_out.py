"""A publication to very many subscriptions: some thousand copies at a step, others get in between.

A server's caller makes one by `MustEvaluate`, has it `evaluate`d in another thread, and makes the call again,
which finds the publication done (`Publisher.done`). All copies are in one unit of work: the caller's,
or one of its own that is committed at the end. Subscriptions that come meanwhile get their copy at the end,
those that go get none. Used by `publishing`.
Invariant: all copies or none are in the unit when it is over, and the retained publication is made last.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.pubsub.subscription import HEADED_COST
from penstock.qmgr.selectors.evaluations import Evaluation
from penstock.qmgr.states import ACTIVE

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.model.message import Message
    from penstock.qmgr.pubsub.publishing import Publisher
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_tree import TopicNode
    from penstock.qmgr.unit_of_work import UnitOfWork

    TakeSteps = Callable[[Callable[[float], bool]], int]

_log = logging.getLogger(__name__)
PART_COST = 5_000  # of one step: some five milliseconds
LONG_COST = 10_000  # of a publication that takes several steps


class FanOut(Evaluation):
    """One publication under way."""

    def __init__(
        self,
        publisher: Publisher,
        node: TopicNode,
        message: Message,
        targets: Callable[[], list[Subscription]],
        unit: UnitOfWork | None,
        connection: Any,
        excepted: Any,
        keeper: Any,
    ) -> None:
        super().__init__(message, [], lambda _message, _texts: {})
        self.failure: MQError | None = None
        self.matched = self.position = 0
        self._publisher = publisher
        self._engine = publisher.engine
        self._node = node
        self._targets = targets
        self._of = connection, unit
        self._own = self._engine.new_unit(None, message.put_time) if unit is None else None
        self._unit: UnitOfWork = self._own if unit is None else unit  # type: ignore[assignment]
        self._before = len(self._unit.puts)
        self._count = self._unit.count
        self._excepted = excepted
        self._keeper = keeper
        self._left = targets()[::-1]  # taken from its end
        self._given: set[Subscription] = set()
        self._served: set[tuple[str, bytes | None]] = set()
        self._around = publisher.surroundings()

    def is_for(self, node: TopicNode, message: Message, connection: Any, unit: UnitOfWork | None) -> bool:
        """Return whether this is what a repeated call publishes."""
        mine, own = self._of
        same = node is self._node and mine is connection and own is unit
        return self.over and same and self.is_about(message)

    def evaluate(self) -> None:
        """Publish; the engine is held for a step at a time only."""
        try:
            take_steps = self._publisher.take_steps
            if take_steps is None:
                raise error(mq.MQRC_Q_MGR_STOPPING, "the server ends")
            self.position = take_steps(self._step)
        except MQError as failure:
            self.failure = failure
        self.over = True

    def _step(self, now: float) -> bool:
        """Give some subscriptions their copies, or take copies back; return whether that is all."""
        unit = self._unit
        if unit.state != ACTIVE:
            self.failure = self.failure or error(mq.MQRC_BACKED_OUT, "the unit of work has ended")
            return True
        if self.failure is not None:
            return self._take_back(now)
        part = self._next_part()
        last = not self._left
        try:
            with self._publisher.within(self._around):
                self.matched += self._publisher.give(
                    self._node, self.message, part, self._excepted, self._keeper if last else None, unit, now,
                    self._served,
                )  # fmt: skip
        except Exception as fault:  # noqa: BLE001 - a thread's edge: the publisher gets it, nobody a copy
            self.failure = fault if isinstance(fault, MQError) else _unexpected(fault)
            return self._take_back(now)
        unit.count = self._count + 1  # one publication, however many take it
        if last:
            self._publisher.count(self._node, self.matched, now)
            if self._own is not None:
                self._engine.commit(self._own, now)
        return last

    def _next_part(self) -> list[Subscription]:
        """Return the subscriptions of the next step; at the end those that have come meanwhile."""
        left, part, cost = self._left, [], 0
        while left and cost < PART_COST:
            subscription = left.pop()
            cost += HEADED_COST if self._publisher.forms.special(subscription) else 1
            self._given.add(subscription)
            if not subscription.removed:
                part.append(subscription)
        if not left:
            self._left = [each for each in self._targets() if each not in self._given]
        return part

    def _take_back(self, now: float) -> bool:
        """Take copies out of the unit again; return whether none is left."""
        if self._own is not None:
            self._engine.backout(self._own, now)
            return True
        self._engine.take_back(self._unit, self._before, PART_COST)
        self._unit.count = self._count
        return len(self._unit.puts) <= self._before


def _unexpected(fault: Exception) -> MQError:
    _log.error("a publication could not be finished", exc_info=fault)
    return error(mq.MQRC_UNEXPECTED_ERROR, f"{type(fault).__name__}: {fault}")
