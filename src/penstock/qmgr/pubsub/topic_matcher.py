"""Which wildcard subscriptions fit a topic: an index of patterns.

Patterns by level share a tree of branches; a topic is walked through it level by level with every branch
that may still fit, so that the cost follows the levels and the remaining branches, not the number of
subscriptions. Patterns by character are asked one by one, each distinct pattern once. Subscriptions
without wildcards are not here: they hang on their topic's node. Asked once for a topic, then cached there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.qmgr.pubsub.topic_string import MANY, ONE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_string import Pattern


class Branch:
    """A place in the tree of patterns; `repeats` when it was reached by `#`, which takes more levels."""

    __slots__ = ("children", "many", "one", "repeats", "subscriptions")

    def __init__(self, repeats: bool = False) -> None:
        self.children: dict[str, Branch] = {}
        self.one: Branch | None = None
        self.many: Branch | None = None
        self.repeats = repeats
        self.subscriptions: dict[bytes, Subscription] = {}

    @property
    def empty(self) -> bool:
        return not (self.children or self.one or self.many or self.subscriptions)

    def next(self, level: str) -> Branch:
        """Return the branch for a level of a pattern, created if it is missing."""
        if level == ONE:
            self.one = self.one or Branch()
            return self.one
        if level == MANY:
            self.many = self.many or Branch(repeats=True)
            return self.many
        return self.children.setdefault(level, Branch())

    def prune(self, level: str) -> None:
        """Forget the branch of a level that holds nothing any more."""
        if level == ONE:
            self.one = None if self.one is None or self.one.empty else self.one
        elif level == MANY:
            self.many = None if self.many is None or self.many.empty else self.many
        elif level in self.children and self.children[level].empty:
            del self.children[level]


class Matcher:
    """All subscriptions with wildcards."""

    def __init__(self) -> None:
        self._root = Branch()
        self._by_character: dict[str, tuple[Pattern, dict[bytes, Subscription]]] = {}
        self.count = 0

    def add(self, subscription: Subscription) -> None:
        """Index a subscription whose pattern has wildcards."""
        pattern = subscription.pattern
        self.count += 1
        if pattern.expression is not None:
            self._by_character.setdefault(pattern.text, (pattern, {}))[1][subscription.id] = subscription
            return
        branch = self._root
        for level in pattern.levels:
            branch = branch.next(level)
        branch.subscriptions[subscription.id] = subscription

    def remove(self, subscription: Subscription) -> None:
        """Forget a subscription, and the branches that no other needs."""
        pattern = subscription.pattern
        self.count -= 1
        if pattern.expression is not None:
            kept = self._by_character[pattern.text][1]
            del kept[subscription.id]
            if not kept:
                del self._by_character[pattern.text]
            return
        path = [self._root]
        for level in pattern.levels:
            path.append(path[-1].next(level))
        path[-1].subscriptions.pop(subscription.id, None)
        for above, level in zip(reversed(path[:-1]), reversed(pattern.levels), strict=True):
            above.prune(level)

    def find(self, topic: str) -> list[Subscription]:
        """Return the subscriptions whose patterns fit, each once."""
        found: dict[bytes, Subscription] = {}
        if not self._root.empty:
            for branch in self._walk(topic.split("/")):
                found.update(branch.subscriptions)
        for pattern, subscriptions in self._by_character.values():
            if pattern.fits(topic):
                found.update(subscriptions)
        return list(found.values())

    def _walk(self, levels: Iterable[str]) -> Iterable[Branch]:
        alive = _with_many([self._root])
        for level in levels:
            following: list[Branch] = []
            for branch in alive:
                if branch.repeats:
                    following.append(branch)
                child = branch.children.get(level)
                if child is not None:
                    following.append(child)
                if branch.one is not None:
                    following.append(branch.one)
            alive = _with_many(following)
            if not alive:
                break
        return alive


def _with_many(branches: list[Branch]) -> list[Branch]:
    """Return the branches, and those that a `#` reaches from them without taking a level; each once."""
    seen: dict[int, Branch] = {}
    for branch in branches:
        reached: Branch | None = branch
        while reached is not None and id(reached) not in seen:
            seen[id(reached)] = reached
            reached = reached.many
    return list(seen.values())
