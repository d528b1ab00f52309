"""Retained publications: the last one of each topic that was published to be kept.

A retained publication is a message on SYSTEM.RETAINED.PUB.QUEUE, so that units of work, expiry, restart and
checkpoints treat it as any other; its topic's node points at it. It becomes the topic's own when its
message becomes visible, and then the one before it goes. Later subscribers, and MQSUBRQ, get a copy.
Invariant: after a restart the message that was shown last is the topic's, and no other is left.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from penstock.model.errors import MQError
from penstock.qmgr.pubsub import delivering
from penstock.qmgr.pubsub.stale_retained import ORIGIN
from penstock.qmgr.states import AVAILABLE

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.pubsub.delivering import Delivery
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.pubsub.topic_string import Pattern
    from penstock.qmgr.pubsub.topic_tree import TopicNode, TopicTree
    from penstock.qmgr.unit_of_work import UnitOfWork

QUEUE = "SYSTEM.RETAINED.PUB.QUEUE"
HEADER_MAX = 1 << 17  # bytes that a header with topic and user data may add


class Keeper:
    """A publication on its way to being the retained one of its topic."""

    __slots__ = ("_store", "copy", "node", "queue")

    def __init__(self, store: Retained, node: TopicNode, copy: Message, queue: Any) -> None:
        self._store = store
        self.node = node
        self.copy = copy
        self.queue = queue

    def keep(self) -> None:
        """Take the place of the one before: the message is visible now."""
        self._store.replace(self.node, self.copy)

    def ended(self, committed: bool) -> None:
        """The unit of the publication has ended."""
        if committed:
            self.keep()


class Retained:
    """The retained publications of one engine."""

    def __init__(self, engine: Engine, tree: TopicTree) -> None:
        self.engine = engine
        self.tree = tree
        self.deliveries: set[Delivery] = set()  # under way

    def keeper(self, node: TopicNode, message: Message, now: float) -> Keeper:
        """Return what will keep a publication; its copy has still to be put."""
        copy = message.snapshot()
        copy.seq = 0
        copy.queue = self.engine.queues.get(QUEUE)
        origin = self.engine.pubsub.neighbours.republisher.origin
        if origin:
            copy.properties = {**(copy.properties or {}), ORIGIN: origin}
        return Keeper(self, node, copy, copy.queue)

    def replace(self, node: TopicNode, message: Message | None) -> None:
        """Make a message the retained one of a topic, and let the one before go."""
        if node.parent is None:  # the scavenger had the node: the topic is in use again
            node = self.tree.node(node.text, message.put_time if message is not None else 0.0)
        before = node.retained
        node.retained = message
        for delivery in self.deliveries:
            delivery.changed(node)
        if (before is None) != (message is None):
            _count(node, 1 if message is not None else -1)
        if before is not None:
            self._discard(before)

    def _discard(self, message: Message) -> None:
        queue = message.queue
        if message.state != AVAILABLE or queue is None:
            return
        position = self.engine.step.position
        self.engine.remove(queue, message, None, message.put_time)
        self.engine.step.wait_for(position)  # no caller waits for the disk because of a replacement

    def current(self, node: TopicNode, now: float) -> Message | None:
        """Return the retained publication of a topic; one that was got or has expired is none."""
        message = node.retained
        if message is None:
            return None
        if message.state != AVAILABLE or message.queue is None or 0 < message.expires_at <= now:
            self.replace(node, None)
            return None
        return message

    def clear(self, text: str, now: float, unit: UnitOfWork | None = None) -> bool:
        """Remove the retained publication of a topic string; False when there is none.

        A unit is one that commits in any case: the topic drops the publication at once.
        """
        node = self.tree.find(text)
        if node is None or self.current(node, now) is None:
            return False
        message = node.retained
        assert message is not None
        counted = 0 if unit is None else unit.count
        self.engine.remove(message.queue, message, unit, now)
        if unit is not None:
            unit.count = counted  # one command, whatever it removes
        node.retained = None
        for delivery in self.deliveries:
            delivery.changed(node)
        _count(node, -1)
        return True

    def clear_fitting(
        self, pattern: Pattern, now: float, unit: UnitOfWork | None
    ) -> Generator[None, None, int]:
        """Remove what the topics that a pattern fits have retained, some topics a step; return how many."""
        nodes, count = self.candidates(pattern), 0
        while some := list(islice(nodes, delivering.STEP_NODES)):
            count += sum(self.clear(node.text, now, unit) for node in self.fitting(some, pattern, now))
            yield
        return count

    def matching(self, pattern: Pattern, now: float) -> list[TopicNode]:
        """Return the topics that a pattern fits and that have a retained publication."""
        return self.fitting(self.candidates(pattern), pattern, now)

    def count_below(self, pattern: Pattern) -> int:
        """Return how many retained publications a pattern may fit at most."""
        start = self.tree.find(pattern.fixed) if pattern.fixed else self.tree.root
        if start is None:
            return 0
        return 1 if pattern.literal is not None else int(start.retained_below)

    def candidates(self, pattern: Pattern) -> Iterator[TopicNode]:
        """Yield the topics with a retained publication that a pattern may fit; topics may come and go."""
        start = self.tree.find(pattern.fixed) if pattern.fixed else self.tree.root
        if start is None:
            return iter(())
        return iter([start]) if pattern.literal is not None else _below(start)

    def fitting(self, nodes: Iterable[TopicNode], pattern: Pattern, now: float) -> list[TopicNode]:
        """Return the topics of some that a pattern fits and that have a retained publication."""
        return [
            each for each in nodes if self._allowed(each, pattern) and self.current(each, now) is not None
        ]

    def _allowed(self, node: TopicNode, pattern: Pattern) -> bool:
        if node.retained is None or not pattern.fits(node.text):
            return False
        blocked: int = self.tree.settings_of(node).blocked_levels
        return pattern.literal is not None or pattern.fixed_levels >= blocked

    def unread(self, nodes: list[TopicNode]) -> list[Message]:
        """Return the retained publications whose bodies must be read from disk first."""
        return [node.retained for node in nodes if node.retained is not None and node.retained.body is None]

    def send(
        self, subscription: Subscription, nodes: list[TopicNode], now: float, unit: UnitOfWork | None = None
    ) -> int:
        """Give a subscription copies of the retained publications of topics, all or none; return how many.

        What a unit has taken cannot be taken out of it: when not all might fit, a unit of its own tries it.
        """
        if not nodes:
            return 0
        if unit is not None and self._surely_fits(subscription, nodes):
            return self.send_in(unit, subscription, nodes, now)
        own, count = self.engine.new_unit(None, now), subscription.count
        try:
            sent = self.send_in(own, subscription, nodes, now)
        except MQError:
            self.engine.backout(own, now)
            subscription.count = count
            raise
        if unit is None:
            self.engine.commit(own, now)
            return sent
        self.engine.backout(own, now)
        subscription.count = count
        return self.send_in(unit, subscription, nodes, now)

    def _surely_fits(self, subscription: Subscription, nodes: list[TopicNode]) -> bool:
        """Return whether a subscription's queue has room for what the topics have, and takes all of it."""
        queue = subscription.queue
        if queue is None or queue.deleted or not queue.put_enabled:
            return False
        longest = max((node.retained.length for node in nodes if node.retained is not None), default=0)
        fits: bool = queue.depth + len(nodes) <= queue.depth_max
        return fits and longest + HEADER_MAX <= queue.length_max

    def send_in(
        self, unit: UnitOfWork, subscription: Subscription, nodes: list[TopicNode], now: float
    ) -> int:
        """Put copies of what topics have retained in a unit; return how many. They count as one message."""
        sent = 0
        counted = unit.count + 1
        asked, subscription.on_request = subscription.on_request, False
        try:
            for node in nodes:
                copy = self.copy_of(node, now)
                if copy is None:
                    continue
                if node.settings_generation != self.tree.settings_generation:
                    self.tree.settings_of(node)
                if subscription.proxy and not self._may_leave(node, subscription):
                    continue
                sent += self.engine.pubsub.publisher.fan_out(
                    node, copy, [subscription], None, None, unit, now
                )
        finally:
            subscription.on_request = asked
            unit.count = counted  # one request, whatever it brings
        return sent

    def copy_of(self, node: TopicNode, now: float) -> Message | None:
        """Return the copy of a retained publication that a new subscription gets; None without one."""
        message = self.current(node, now)
        if message is None or message.body is None:
            return None
        copy = message.snapshot()
        copy.seq = 0
        copy.properties = {**(message.properties or {}), "MQIsRetained": True}
        copy.properties.pop(ORIGIN, None)
        return copy

    def _may_leave(self, node: TopicNode, proxy: Subscription) -> bool:
        """Return whether what is published on a topic goes to the queue manager of a proxy."""
        settings = self.tree.settings_of(node)
        if settings.stays_here:
            return False
        return self.tree.refine is None or proxy in self.tree.refine(settings, [proxy])

    def restore(self, now: float) -> None:
        """Find the retained publications again after a restart; of two on a topic the later one stays."""
        queue = self.engine.queues.get(QUEUE)
        if queue is None:
            return
        for message in list(queue.messages()):
            topic = (message.properties or {}).get("MQTopicString")
            if isinstance(topic, str) and topic:
                self.replace(self.tree.node(topic, now), message)


def _below(start: TopicNode) -> Iterator[TopicNode]:
    """Yield the nodes at and below one that have a retained publication; other branches are not entered."""
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if not node.retained_below:
            continue
        if node.retained is not None:
            yield node
        waiting.extend((node.children or {}).values())


def _count(node: TopicNode, step: int) -> None:
    above: TopicNode | None = node
    while above is not None:
        above.retained_below += step
        above = above.parent
