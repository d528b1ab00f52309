# cython: nonecheck=True
"""The topic tree: a node for every topic string in use, found by its whole string.

A node keeps what a publish needs: the settings it inherits and the subscriptions that match it. Both are
worked out when they are first needed after a change (`generation`, `settings_generation`), so a publish
costs the same however deep the tree is or how many topics there are. Nodes are in slots, for displays
that go on while the tree changes, and in a line by the time when their use was last looked at, for the
scavenger. Invariant: a node's parent is in the tree as long as the node is.
Compiled through `topic_tree.pxd`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import cython

from penstock.model import constants as mq
from penstock.model._interrupts import python_follows
from penstock.model.errors import error
from penstock.qmgr.pubsub.subscription import HEADED, HEADED_COST
from penstock.qmgr.pubsub.topic_matcher import Matcher
from penstock.qmgr.pubsub.topic_settings import TopicSettings, resolve
from penstock.qmgr.pubsub.topic_string import check_topic, steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.pubsub.subscription import Subscription

LEVEL_MAX = 9  # of publications and subscriptions
NOBODY: list[Any] = []  # what most nodes have; never changed
NODES_MAX = 5_000_000  # topics of one queue manager; ours, so that dynamic topic strings stay finite
CHARACTERS_MAX = 1 << 30  # of all their strings: those of many levels hold the strings above them again


@cython.no_gc
@cython.cclass
class TopicNode:
    """One topic."""

    def __init__(self, text: str, parent: TopicNode | None, levels: int) -> None:
        self.text = text
        self.parent = parent
        self.levels = levels
        self.key = ""  # among the children of its parent
        self.children: dict[str, TopicNode] | None = None
        self.subscriptions: dict[bytes, Subscription] | None = None  # to this very string, by id
        self.matched: list[Subscription] = NOBODY  # all that match, by level, highest first
        self.targets: list[Subscription] = NOBODY  # those of the highest level, which get a publication
        self.terms = self.body_terms = 0  # of all their selectors: on properties, on bodies
        self.cost = 0  # of their copies: 1 each, more for those with a body of their own
        self.searches = 0  # of their LIKE: comparisons for each character of the properties
        self.generation = 0
        self.settings: Any = None
        self.settings_generation = 0
        self.properties: dict[str, Any] | None = None  # of every copy, made for the first
        self.retained: Message | None = None
        self.retained_below = 0  # here and below
        self.publishers: dict[int, Any] | None = None  # open handles
        self.last_used = 0.0
        self.last_published = 0.0
        self.published = self.delivered = 0  # publications, and copies for subscribers
        self.looked_at = 0.0
        self.slot = 0
        self.before: TopicNode | None = None
        self.behind: TopicNode | None = None

    @property
    def in_use(self) -> bool:
        """Whether anything but time keeps the node; see `TopicTree.removable` for objects."""
        return bool(self.children or self.subscriptions or self.retained is not None or self.publishers)

    def __repr__(self) -> str:
        return f"<TopicNode {self.text!r}>"


class TopicTree:
    """All topics of one queue manager."""

    def __init__(self) -> None:
        self.nodes: dict[str, TopicNode] = {}
        self.matcher = Matcher()
        self.generation = 1  # of wildcard subscriptions, and of what blocks them
        self.settings_generation = 1
        self.objects: dict[str, dict[str, Definition]] = {}  # topic string -> objects by name
        self.cluster_objects: dict[str, Definition] = {}  # those of other members of a cluster
        self.refine: Any = None  # (settings, subscriptions) -> those that may have a publication
        self.slots: list[TopicNode | None] = []
        self.free_slots: list[int] = []
        self.characters = 0  # of the texts of all nodes
        self.first: TopicNode | None = None  # of the line, longest not looked at
        self.last: TopicNode | None = None
        self.root = TopicNode("", None, 0)

    def node(self, text: str, now: float) -> TopicNode:
        """Return the node of a topic string, created if it is missing; 2425 for an invalid string."""
        found = self.nodes.get(text)
        if found is None:
            python_follows()
            found = self._grow(check_topic(text), now)
        found.last_used = now
        return found

    def ready(self, text: str, now: float) -> TopicNode:
        """Return the node of a topic string with settings and matches as they are now."""
        node = self.node(text, now)
        if node.generation != self.generation or node.settings_generation != self.settings_generation:
            python_follows()
            self.refresh(node)
        return node

    def find(self, text: str) -> TopicNode | None:
        """Return the node of a topic string, if it is there."""
        return self.nodes.get(text)

    def nearest(self, text: str) -> TopicNode:
        """Return the node of a topic string, or the nearest one above it; one look for each level."""
        found = self.nodes.get(text)
        return self._down(steps(text))[-1] if found is None else found

    def _down(self, keys: list[str]) -> list[TopicNode]:
        """Return the nodes that there are on the way down along some keys, the root first."""
        node = self.root
        way = [node]
        for key in keys:
            below = None if node.children is None else node.children.get(key)
            if below is None:
                break
            node = below
            way.append(node)
        return way

    def _grow(self, text: str, now: float) -> TopicNode:
        keys = steps(text)
        way = self._down(keys)
        new = keys[len(way) - 1 :]
        if len(self.nodes) + len(new) > NODES_MAX:
            raise error(
                mq.MQRC_RESOURCE_PROBLEM,
                f"{len(self.nodes)} topics are in use; a smaller TREELIFE frees them sooner",
            )
        if self.characters + len(new) * len(text) > CHARACTERS_MAX:
            raise error(
                mq.MQRC_RESOURCE_PROBLEM,
                f"topics have {self.characters} characters; a smaller TREELIFE frees them sooner",
            )
        node = way[-1]
        end = len(node.text)
        levels = len(keys) - len(new) + text.startswith("/")
        for key in new:
            end += len(key) + (end > 0)
            levels += 1
            node = TopicNode(text[:end], node, levels)
            self._enter(node, key, now)
        return node

    def _enter(self, node: TopicNode, key: str, now: float) -> None:
        parent = node.parent
        assert parent is not None
        if parent.children is None:
            parent.children = {}
        node.key = key
        parent.children[key] = node
        self.nodes[node.text] = node
        self.characters += len(node.text)
        node.last_used = now
        if self.free_slots:
            node.slot = self.free_slots.pop()
            self.slots[node.slot] = node
        else:
            node.slot = len(self.slots)
            self.slots.append(node)
        self.queue_up(node, now)

    def drop(self, node: TopicNode) -> None:
        """Take a node out that nothing needs any more."""
        self.leave_line(node)
        del self.nodes[node.text]
        self.characters -= len(node.text)
        self.slots[node.slot] = None
        self.free_slots.append(node.slot)
        parent = node.parent
        if parent is not None and parent.children is not None:
            del parent.children[node.key]
            if not parent.children:
                parent.children = None
        node.parent = None

    def removable(self, node: TopicNode) -> bool:
        """Return whether nothing but time keeps a node."""
        return not node.in_use and node.text not in self.objects and node.text not in self.cluster_objects

    # -- the line of nodes by when they were last looked at ----------------------------------

    def queue_up(self, node: TopicNode, now: float) -> None:
        """Put a node at the end of the line."""
        node.looked_at = now
        node.before = self.last
        node.behind = None
        if self.last is None:
            self.first = node
        else:
            self.last.behind = node
        self.last = node

    def leave_line(self, node: TopicNode) -> None:
        """Take a node out of the line."""
        if node.before is None:
            self.first = node.behind
        else:
            node.before.behind = node.behind
        if node.behind is None:
            self.last = node.before
        else:
            node.behind.before = node.before
        node.before = None
        node.behind = None

    # -- settings --------------------------------------------------------------------------

    def settings_of(self, node: TopicNode) -> TopicSettings:
        """Return the settings of a node: from the nearest node above whose settings are current."""
        if node.settings_generation == self.settings_generation:
            known: TopicSettings = node.settings
            return known
        stale = []
        current: TopicNode | None = node
        while current is not None and current.settings_generation != self.settings_generation:
            stale.append(current)
            current = current.parent
        settings: Any = None if current is None else current.settings
        for below in reversed(stale):
            shared = self.cluster_objects.get(below.text)
            settings = below.settings = resolve(settings, self.object_at(below.text), below.levels, shared)
            below.settings_generation = self.settings_generation
        found: TopicSettings = settings
        return found

    def object_at(self, text: str) -> Definition | None:
        """Return the TOPIC object of a topic string, the own one before that of another cluster member."""
        return self.own_object_at(text) or self.cluster_objects.get(text)

    def own_object_at(self, text: str) -> Definition | None:
        """Return the TOPIC object defined here; the first by name when there are several."""
        found = self.objects.get(text)
        return None if not found else found[min(found)]

    def settings_at(self, text: str) -> TopicSettings:
        """Return what would be in force at a topic string, whether or not it has a node."""
        return self.settings_of(self.nearest(text))

    def objects_above(self, text: str) -> Iterator[Definition]:
        """Yield the TOPIC objects at a topic string and above it, the nearest first."""
        node: TopicNode | None = self.nearest(text)
        while node is not None:
            definition = self.object_at(node.text)
            if definition is not None:
                yield definition
            node = node.parent

    def object_changed(self, definition: Definition, text: str, gone: bool) -> None:
        """A TOPIC object was defined, altered or deleted: recompute inherited settings."""
        if gone:
            kept = self.objects.get(text, {})
            kept.pop(definition.name, None)
            if not kept:
                self.objects.pop(text, None)
        else:
            self.objects.setdefault(text, {})[definition.name] = definition
        self.look_again()

    def share(self, objects: dict[str, Definition], now: float) -> None:
        """Take over the TOPIC objects of other members of clusters, by topic string."""
        self.cluster_objects = objects
        for text in objects:
            self.node(text, now)
        self.look_again()

    def look_again(self) -> None:
        """Have settings and matches computed again when they are next needed."""
        self.settings_generation += 1
        self.generation += 1

    # -- subscriptions ---------------------------------------------------------------------

    def renew(self, node: TopicNode) -> None:
        """Find the subscriptions of a node again if some have come or gone."""
        if node.generation != self.generation:
            self.refresh(node)

    def refresh(self, node: TopicNode) -> None:
        """Recompute the inherited settings and the subscriptions of a node."""
        settings = self.settings_of(node)
        found = list(node.subscriptions.values()) if node.subscriptions is not None else []
        if self.matcher.count:
            for subscription in self.matcher.find(node.text):
                if subscription.pattern.fixed_levels >= settings.blocked_levels:
                    found.append(subscription)
        if settings.stays_here:
            found = [each for each in found if not each.proxy]
        elif self.refine is not None:
            found = self.refine(settings, found)
        if len(found) > 1:
            found.sort(key=_level)
        node.matched = node.targets = found or NOBODY
        if found and found[0].level != found[-1].level:
            node.targets = self.at_level(node, LEVEL_MAX)
        self.count_terms(node)
        node.generation = self.generation

    def count_terms(self, node: TopicNode) -> None:
        """Count the terms of the selectors that a publication on a node is tested with, and its copies."""
        node.terms = node.body_terms = node.searches = 0
        node.cost = len(node.matched)
        for subscription in node.matched:
            if not subscription.plain and subscription.properties in HEADED:
                node.cost += HEADED_COST - 1
            selector = subscription.selector
            if selector is None:
                continue
            node.searches += selector.searches
            if selector.reads_body:
                node.body_terms += selector.cost
            else:
                node.terms += selector.cost

    def at_level(self, node: TopicNode, level: int) -> list[Subscription]:
        """Return the subscribers of a publication level: those of the highest level that is not above it."""
        reached = [each for each in node.matched if each.level <= level]
        return [each for each in reached if each.level == reached[0].level]

    def add(self, subscription: Subscription, now: float) -> None:
        """Take a subscription in."""
        literal = subscription.pattern.literal
        if literal is None:
            self.matcher.add(subscription)
            self.generation += 1
            return
        node = self.node(literal, now)
        if node.subscriptions is None:
            node.subscriptions = {}
        node.subscriptions[subscription.id] = subscription
        node.generation = 0

    def remove(self, subscription: Subscription, now: float) -> None:
        """Forget a subscription."""
        literal = subscription.pattern.literal
        if literal is None:
            self.matcher.remove(subscription)
            self.generation += 1
            return
        node = self.node(literal, now)
        if node.subscriptions is not None:
            node.subscriptions.pop(subscription.id, None)
            if not node.subscriptions:
                node.subscriptions = None
        node.generation = 0

    def dispose(self) -> None:
        """Break the links between nodes, so that memory is returned."""
        for node in self.nodes.values():
            node.parent = None
            node.children = None
            node.before = None
            node.behind = None
            node.subscriptions = None
            node.matched = node.targets = NOBODY
            node.retained = None
        self.root.children = None
        self.nodes.clear()
        self.characters = 0
        self.slots.clear()
        self.first = self.last = None


def _level(subscription: Subscription) -> int:
    return -subscription.level
