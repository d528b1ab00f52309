"""Delivery of retained publications to one subscription: some topics per step, so that others need not wait.

A new subscription, or MQSUBRQ, gets copies of the retained publications of its topics, all or none: they are
put in a unit of work of their own, which is committed at the end. The host takes the steps and lets others to
the engine between two. The subscription's handle, if it is open, has the delivery while it is under way;
closing the handle backs it out. Invariant: a publication that is retained after the delivery has begun
arrives normally, and is not sent again.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.selectors.evaluations import STEP_COST, MustEvaluate, cost_of_one
from penstock.qmgr.states import ACTIVE

if TYPE_CHECKING:
    from penstock.qmgr.connections import Handle
    from penstock.qmgr.pubsub.retained import Retained
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_tree import TopicNode
    from penstock.qmgr.selectors.evaluations import Evaluation

STEP_NODES = 200  # topics that one step looks at: one to five milliseconds


class Delivery:
    """Retained publications for a subscription; call `step` until it returns True."""

    def __init__(
        self, retained: Retained, subscription: Subscription, handle: Handle | None, now: float
    ) -> None:
        self.sent = 0
        self._retained = retained
        self._engine = retained.engine
        self._handle = handle
        self._subscription = subscription
        self._count = subscription.count
        self._unit = self._engine.new_unit(None, now)
        self._nodes = retained.candidates(self._subscription.pattern)
        self._unread: list[TopicNode] = []  # to be looked at in the next step
        self._last = False  # there are no others
        self._changed: set[TopicNode] = set()
        self._over = False
        self._evaluation: Evaluation | None = None  # kept, so that its results are
        if handle is not None:
            handle.delivery = self
        retained.deliveries.add(self)

    def changed(self, node: TopicNode) -> None:
        """Note that a topic has another retained publication, or none, from now on."""
        self._changed.add(node)

    def step(self, now: float) -> bool:
        """Send the retained publications of some topics; True when all are sent, or the subscription is gone.

        False with `engine.step.to_load`: bodies must be read first, or selectors evaluated. 2526 when the
        subscription's queue does not take it, and the topic's rules do not allow that: nothing is sent then.
        """
        if self._over or self._subscription.removed:
            self.end(now)
            return True
        try:
            last = self._send_some(now)
            if last:
                self._engine.commit(self._unit, now)
                self._let_go()
            return last
        except MQError as failure:
            self.end(now)
            if failure.reason != mq.MQRC_PUBLICATION_FAILURE:
                raise
            name = self._subscription.name
            raise error(mq.MQRC_RETAINED_NOT_DELIVERED, failure.detail, subscription=name) from failure

    def _send_some(self, now: float) -> bool:
        nodes, self._unread = self._unread, []
        if not nodes:
            nodes = list(islice(self._nodes, STEP_NODES))
            self._last = len(nodes) < STEP_NODES
            nodes = self._retained.fitting(nodes, self._subscription.pattern, now)
        nodes = [node for node in nodes if node not in self._changed]
        unread = self._retained.unread(nodes)
        if unread:
            self._engine.step.load(unread)
            self._unread = nodes
            return False
        now_sent = self._within_a_step(nodes, now)
        self.sent += self._retained.send_in(self._unit, self._subscription, nodes[:now_sent], now)
        self._unread = nodes[now_sent:]
        return self._last and not self._unread

    def _within_a_step(self, nodes: list[TopicNode], now: float) -> int:
        """Return how many topics' publications the selector may be asked about in this step.

        If even the first is too much, it is evaluated elsewhere before the next step.
        """
        selector, evaluations = self._subscription.selector, self._engine.pubsub.publisher.evaluations
        if selector is None or evaluations is None:
            return len(nodes)
        left = STEP_COST
        for count, node in enumerate(nodes):
            left -= cost_of_one(selector, node.retained) if node.retained is not None else 1
            if left >= 0:
                continue
            copy = None if count else self._retained.copy_of(node, now)
            if copy is None:
                return max(count, 1)
            try:
                evaluations.check(copy, [selector])
            except MustEvaluate as needed:
                self._evaluation = needed.evaluation
                self._engine.step.load([needed.evaluation])
                return 0
            return 1
        return len(nodes)

    def end(self, now: float) -> None:
        """Send nothing of it, unless it is sent already."""
        if not self._over:
            self._let_go()
            self._subscription.count = self._count
            if self._unit.state == ACTIVE:
                self._engine.backout(self._unit, now)

    def _let_go(self) -> None:
        self._over = True
        if self._handle is not None:
            self._handle.delivery = None
        self._retained.deliveries.discard(self)
