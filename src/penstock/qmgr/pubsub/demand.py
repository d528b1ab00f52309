"""What this queue manager wants from others: one entry for each topic string with subscriptions of scope ALL.

Counts rise and fall with subscriptions, and with the proxies that are held for other relations; what may
have changed is collected for `proxies`, so that one subscription among 100,000 costs no look at all of them.
A changed TOPIC object may change every scope: then the own part is counted again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.pubsub.relation import MEMBER, MEMBER_KEY, SUM_MAX, Relation, Wanted, number_of
from penstock.qmgr.pubsub.topic_scope import EVERYWHERE, forced, scope_of

if TYPE_CHECKING:
    from penstock.qmgr.pubsub.publish_subscribe import PublishSubscribe
    from penstock.qmgr.pubsub.subscription import Subscription


class Demand:
    """The wishes of one queue manager, by topic string or pattern."""

    def __init__(self, pubsub: PublishSubscribe) -> None:
        self._pubsub = pubsub
        self.held: dict[str, dict[Wanted, Subscription]] = {}  # proxies, by relation
        self.sums: dict[str, int] = {}  # of these
        self.changed: set[Wanted] = set()
        self.stale = True  # the own part has to be counted again
        self._own: dict[Wanted, int] = {}
        self._of_hierarchy: dict[Wanted, int] = {}
        self._of_members: dict[Wanted, int] = {}
        self._counted: dict[str, Wanted] = {}  # own subscriptions that count, by name

    # -- changes ---------------------------------------------------------------------------

    def added(self, subscription: Subscription) -> None:
        """Take a new subscription or proxy in."""
        wanted = subscription.pattern.text, subscription.pattern.scheme
        if subscription.proxy:
            if subscription.neighbour:
                self.held.setdefault(subscription.neighbour, {})[wanted] = subscription
                self._proxy(subscription, wanted, 1)
        elif not self.stale and scope_of(self._pubsub, subscription) == EVERYWHERE:
            self._counted[subscription.name] = wanted
            self._step(self._own, wanted, 1)

    def removed(self, subscription: Subscription) -> None:
        """Take a subscription or proxy out."""
        wanted = subscription.pattern.text, subscription.pattern.scheme
        if subscription.proxy:
            mine = self.held.get(subscription.neighbour, {})
            if mine.pop(wanted, None) is not None:
                self._proxy(subscription, wanted, -1)
            if not mine:
                self.held.pop(subscription.neighbour, None)
                self.sums.pop(subscription.neighbour, None)
        elif self._counted.pop(subscription.name, None) is not None:
            self._step(self._own, wanted, -1)

    def count_again(self) -> None:
        """Count the own subscriptions and the topics with PROXYSUB(FORCE)."""
        before, self._own, self._counted = self._own, {}, {}
        self.stale = False
        for subscription in self._pubsub.subscriptions.values():
            if not subscription.proxy:
                self.added(subscription)
        for wanted in forced(self._pubsub):
            self._step(self._own, wanted, 1)
        self.changed |= before.keys() | self._own.keys()

    def _proxy(self, subscription: Subscription, wanted: Wanted, step: int) -> None:
        key = subscription.neighbour
        self.sums[key] = (self.sums.get(key, 0) + step * number_of(wanted)) % SUM_MAX
        table = self._of_members if key.startswith(MEMBER_KEY) else self._of_hierarchy
        self._step(table, wanted, step)

    def _step(self, table: dict[Wanted, int], wanted: Wanted, step: int) -> None:
        count = table.get(wanted, 0) + step
        if count > 0:
            table[wanted] = count
        else:
            table.pop(wanted, None)
        self.changed.add(wanted)

    # -- questions -------------------------------------------------------------------------

    def from_relation(self, relation: Relation, wanted: Wanted) -> bool:
        """Return whether a relation has to hold something for us.

        Members of a cluster know each other: what one of them wants is not passed on to the others.
        """
        if wanted in self._own:
            return True
        others = self._of_hierarchy.get(wanted, 0)
        if relation.kind == MEMBER:
            return others > 0
        return others > (wanted in self.held.get(relation.key, ())) or wanted in self._of_members

    def everything(self) -> set[Wanted]:
        """Return all that anybody wants."""
        return {*self._own, *self._of_hierarchy, *self._of_members}
