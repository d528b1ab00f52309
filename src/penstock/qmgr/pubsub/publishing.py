# cython: nonecheck=True
"""From one publication to a message for each subscriber.

The copies share body, descriptor and properties. What is persistent goes to the journal as one record:
the body once, and for each copy its queue, number and correlation id; with copies whose bodies differ it is
a unit of its own. Everything is checked and a place taken on every queue before copies are handed over, so
that a publication its topic's rules do not allow to fail leaves nothing behind; where they allow it, a copy
is handed over as it is made. What is rare (other queue managers, selectors, headers) is in
`publication_forms`. Compiled through `publishing.pxd`.
Invariant: a copy is visible when its record is on disk, or when its unit has committed.
"""

from __future__ import annotations

from contextlib import contextmanager
from struct import Struct
from typing import TYPE_CHECKING, Any
from weakref import WeakSet

import cython

from penstock.model import constants as mq
from penstock.model._interrupts import python_follows
from penstock.model.errors import error
from penstock.model.message import NO_ID, Message, plain_message
from penstock.qmgr import records
from penstock.qmgr.pubsub.fan_out import LONG_COST, FanOut
from penstock.qmgr.pubsub.publication_forms import Forms
from penstock.qmgr.pubsub.subscription import AS_PUBLISHED, AS_QUEUE, Subscription
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX, TopicNode
from penstock.qmgr.queue import count_put
from penstock.qmgr.selectors.evaluations import STEP_COST, MustEvaluate, characters_of, cost_of, cost_of_text
from penstock.qmgr.states import UNCOMMITTED
from penstock.qmgr.step import CALL, PUBLISH
from penstock.store.message_format import encode_head

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.qmgr.core import Core
    from penstock.qmgr.pubsub._prefetch import ahead  # noqa: TC004 -- compiled code has it from the .pxd
    from penstock.qmgr.pubsub.fan_out import TakeSteps
    from penstock.qmgr.pubsub.topic_tree import TopicTree
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.selectors.evaluations import Evaluations
    from penstock.qmgr.unit_of_work import UnitOfWork

pack_copy = records.pack_copy
pack_count = Struct("<I").pack


class Publisher:
    """Publishes for one engine."""

    def __init__(self, engine: Any, tree: TopicTree) -> None:
        self.engine: Core = engine
        self.tree = tree
        self.forms = Forms(engine)
        self.enabled = True  # PSMODE
        self.evaluations: Evaluations | None = None  # of a server
        self.take_steps: TakeSteps | None = None  # of a server: in another thread, others get in between
        self.done: WeakSet[FanOut] = WeakSet()  # publications whose calls are made again
        self.published = self.delivered = 0  # publications and copies since the start

    def publish_plain(
        self,
        topic: str,
        body: bytes,
        persistent: bool | None,
        context: Any,
        unit: UnitOfWork | None,
        now: float,
    ) -> Message | None:
        """Publish a plain body; return the message, None when it needs the long way."""
        node = self.tree.ready(topic, now)
        settings = node.settings
        if not settings.pub_enabled or settings.life or not self.enabled:
            return None
        if self.takes_long(node, len(body)):
            return None
        lasting = settings.persistent if persistent is None else persistent
        message = plain_message(body, self.engine.ids.next(), NO_ID, lasting, settings.priority, now, context)
        if node.targets:
            if node.properties is None:
                node.properties = {"MQTopicString": node.text, "MQPubLevel": LEVEL_MAX}
            message.properties = node.properties
            if unit is not None:
                self.engine._check_unit(unit)
            self.fan_out(node, message, node.targets, None, None, unit, now)
        else:
            self.count(node, 0, now)
        return message

    def takes_long(self, node: TopicNode, length: int, characters: int = 0) -> bool:
        """Return whether the selectors or the copies of a topic take too long for one step of a server.

        `length` is that of the body, `characters` those of the text in the properties.
        """
        if self.evaluations is None:
            return False
        if node.cost > LONG_COST:
            return True
        if not (node.terms or node.body_terms):
            return False
        python_follows()
        in_text = cost_of_text(node.searches, characters)
        return cost_of(node.terms, node.body_terms, length + characters) + in_text > STEP_COST

    def asks_long(self, node: TopicNode, message: Message) -> bool:
        """Return the same of a message."""
        in_text = node.searches or node.body_terms
        return self.takes_long(node, message.length, characters_of(message.properties) if in_text else 0)

    def evaluate_first(self, node: TopicNode, message: Message, level: int) -> None:
        """Raise `MustEvaluate` if selectors are to be evaluated before a message can be published."""
        if self.asks_long(node, message):
            address(message, node, level)
            selectors = [each.selector for each in node.matched if each.selector is not None]
            assert self.evaluations is not None
            self.evaluations.check(message, selectors)

    def publish(
        self,
        node: TopicNode,
        message: Message,
        level: int,
        options: int,
        connection: Any,
        unit: UnitOfWork | None,
        now: float,
        skips: Callable[[Subscription], bool] | None = None,
        *,
        may_come_again: bool = False,
    ) -> int:
        """Publish a finished message; return how many subscriptions it went to.

        A caller that may come again gets `MustEvaluate`, with nothing changed, for very many subscriptions.
        """
        if unit is not None:
            self.engine._check_unit(unit)
        address(message, node, level)

        def targets() -> list[Subscription]:
            self.tree.renew(node)
            found = node.targets if level == LEVEL_MAX else self.tree.at_level(node, level)
            if options & mq.MQPMO_SCOPE_QMGR:
                found = [each for each in found if not each.proxy]
            return found if skips is None else [each for each in found if not skips(each)]

        except_for = connection if options & mq.MQPMO_NOT_OWN_SUBS else None
        long = may_come_again and self.take_steps is not None and node.cost > LONG_COST
        done = next((each for each in self.done if each.is_for(node, message, connection, unit)), None)
        if done is not None:
            return self._taken(done, message)
        keeper = self.forms.keeper(node, message, now) if options & mq.MQPMO_RETAIN else None
        if not long:
            return self.fan_out(node, message, targets(), except_for, keeper, unit, now)
        self._check_length(message)
        fan_out = FanOut(self, node, message, targets, unit, connection, except_for, keeper)
        self.done.add(fan_out)
        raise MustEvaluate(fan_out)

    def _taken(self, done: FanOut, message: Message) -> int:
        """Answer a call that was made again, whose publication is done."""
        self.done.discard(done)
        if done.failure is not None:
            raise done.failure
        message.msg_id, message.put_time = done.message.msg_id, done.message.put_time
        self.engine.step.wait_for(done.position)
        return done.matched

    def surroundings(self) -> Any:
        """Return what copies depend on besides their publication, for `within`."""
        engine: Any = self.engine
        return engine.pubsub.neighbours.republisher.state(), engine.effects.publishing_copy

    @contextmanager
    def within(self, surroundings: Any) -> Iterator[None]:
        """Make copies as if in the step in which their publication began."""
        engine: Any = self.engine
        before = self.surroundings()
        republisher = engine.pubsub.neighbours.republisher
        try:
            republisher.become(surroundings[0])
            engine.effects.publishing_copy = surroundings[1]
            yield
        finally:
            republisher.become(before[0])
            engine.effects.publishing_copy = before[1]

    def fan_out(
        self,
        node: TopicNode,
        message: Message,
        targets: list[Subscription],
        except_for: Any,
        keeper: Any,
        unit: UnitOfWork | None,
        now: float,
    ) -> int:
        """Give each target its copy, all or none by the topic's rules; return how many got one."""
        self._check_length(message)
        matched = self.give(node, message, targets, except_for, keeper, unit, now, set())
        self.count(node, matched, now)
        return matched

    def give(
        self,
        node: TopicNode,
        message: Message,
        targets: list[Subscription],
        except_for: Any,
        keeper: Any,
        unit: UnitOfWork | None,
        now: float,
        served: set[tuple[str, bytes | None]],
    ) -> int:
        """Give some targets of a publication their copies; `served` has the groups that have theirs."""
        copies: list[Message] = []
        others: list[Subscription] = []
        failed: list[tuple[Subscription, int]] = []
        matched = place = 0
        lasting = message.persistent
        at_once = unit is None and keeper is None and not message.persistent and node.settings.best_effort
        user = message.descriptor.user_id
        for subscription in targets:
            if cython.compiled:
                ahead(targets, place)
            place += 1
            if except_for is not None and subscription.connection is except_for:
                continue
            if not subscription.plain and not self._goes_to(subscription, message, served, now):
                continue
            matched += 1
            queue = subscription.queue
            if (
                queue is None
                or queue.deleted
                or queue.stream is not None
                or (not subscription.plain and self.forms.special(subscription))
            ):
                others.append(subscription)
                lasting = lasting or subscription.persistence != "ASPUB"
                continue
            reason = refusal(queue, message)
            if reason:
                failed.append((subscription, reason))
                continue
            copy = self.copy_for(subscription, queue, message)
            if subscription.dressed or subscription.user != user:
                python_follows()
                self.forms.dress(copy, subscription, message)
                lasting = lasting or copy.persistent
            queue.depth += 1
            count_put(queue, copy)
            subscription.last_message = now
            subscription.count += 1
            if at_once and not copy.persistent:
                self.show(queue, copy, now)
            else:
                copies.append(copy)
        if keeper is not None:
            self._keep(keeper, copies)
        own = None
        if others or failed:
            python_follows()
            if unit is None and lasting:
                unit = own = self.engine.new_unit(None, now)
            self.forms.settle(node, message, copies, others, failed, unit, now)
        if copies:
            self.hand_over(copies, keeper, unit, now)
        if own is not None:
            self.engine.commit(own, now)
        return matched

    def _check_length(self, message: Message) -> None:
        if message.length > self.engine.length_max:
            detail = f"{message.length} bytes, MAXMSGL of {self.engine.name} is {self.engine.length_max}"
            raise error(mq.MQRC_MSG_TOO_BIG_FOR_Q_MGR, detail)

    def count(self, node: TopicNode, copies: int, now: float) -> None:
        """Count a publication and its copies."""
        self.published += 1
        self.delivered += copies
        node.published += 1
        node.delivered += copies
        node.last_published = now

    def _goes_to(
        self,
        subscription: Subscription,
        message: Message,
        served: set[tuple[str, bytes | None]],
        now: float,
    ) -> bool:
        """Return whether a subscription that is not plain gets a copy."""
        python_follows()
        if not subscription.wants(message, now, self.evaluations):
            return False
        return not (subscription.grouped and self.forms.served(served, subscription))

    def _keep(self, keeper: Any, copies: list[Message]) -> None:
        """Reserve the place of the retained copy; if that fails, the other reservations are released."""
        python_follows()
        queue = keeper.queue
        if queue is None or refusal(queue, keeper.copy):
            self.forms.give_back(copies)
            raise error(mq.MQRC_PUBLICATION_FAILURE, "the queue of retained publications takes no more")
        queue.depth += 1
        count_put(queue, keeper.copy)
        copies.append(keeper.copy)

    def copy_for(self, subscription: Subscription, queue: Queue, message: Message) -> Message:
        """Return a subscriber's copy, which shares as much as possible."""
        priority = subscription.priority
        if priority == AS_PUBLISHED:
            priority = message.priority
        elif priority == AS_QUEUE:
            priority = queue.default_priority
        correl_id = subscription.correl_id
        body = message.body
        assert body is not None
        copy = plain_message(
            body,
            message.msg_id,
            message.correl_id if correl_id is None else correl_id,
            message.persistent and not queue.temporary,
            priority,
            message.put_time,
            message.descriptor,
        )
        copy.properties = message.properties
        copy.expires_at = message.expires_at
        copy.reports = message.reports
        copy.queue = queue
        return copy

    def hand_over(self, copies: list[Message], keeper: Any, unit: UnitOfWork | None, now: float) -> None:
        """Let copies have the places that were taken for them: now, when on disk, or at commit."""
        engine = self.engine
        counted = 0 if unit is None else unit.count + 1
        start = engine.journal.end
        position = self._log(copies, unit)
        for copy in copies:
            queue = copy.queue
            if unit is None and not copy.persistent:
                self.show(queue, copy, now)
                continue
            queue.last_put = now
            if unit is not None:
                unit.add_put(queue, copy)
                copy.state = UNCOMMITTED
                copy.owner = unit
                queue.uncommitted += 1
            else:
                engine.wishes.pending.append((position, PUBLISH, queue, copy, start))
                if queue.arrivals is not None:  # in turn with what else is put to a transmission queue
                    python_follows()
                    queue.arrivals.offer(copy)
            if watched(queue):
                python_follows()
                engine.effects.message_put(queue, copy, unit)
        if position and unit is None:
            engine.step.wait_for(position)
        if unit is not None:
            unit.count = counted  # one publication, however many take it
        if keeper is not None:
            self._retain(keeper, unit, position, start)

    def show(self, queue: Queue, copy: Message, now: float) -> None:
        """Make a copy that waits for nothing visible."""
        queue.last_put = now
        self.engine.publish(queue, copy)
        if watched(queue):
            python_follows()
            self.engine.effects.message_put(queue, copy, None)

    def _retain(self, keeper: Any, unit: UnitOfWork | None, position: int, start: int) -> None:
        python_follows()
        if unit is not None:
            unit.when_ended(keeper.ended)
        elif keeper.copy.persistent:
            self.engine.wishes.pending.append((position, CALL, keeper.keep, None, start))
        else:
            keeper.keep()

    def _log(self, copies: list[Message], unit: UnitOfWork | None) -> int:
        """Write the persistent copies to the journal; return the position, 0 when none is."""
        engine = self.engine
        number = 0
        first: Message | None = None
        alike: list[bytes] = []  # the copies that look like the first one
        others: dict[tuple[int, int], tuple[Message, list[bytes]]] = {}
        for copy in copies:
            if not copy.persistent:
                continue
            if unit is not None and not number:
                engine.start_logging(unit)
                number = unit.number
            copy.seq = engine.next_seq
            engine.next_seq += 1
            if first is None:
                first = copy
            packed = pack_copy(copy.queue.id, copy.seq, copy.priority, copy.correl_id)
            if copy.properties is first.properties and copy.descriptor is first.descriptor:
                alike.append(packed)
            else:
                look = id(copy.descriptor), id(copy.properties)
                others.setdefault(look, (copy, []))[1].append(packed)
        if first is None:
            return 0
        if len(alike) == 1 and not others:
            return engine._log_put(first.queue, first, number)
        head = _group(first, alike, number)
        kind = records.PUBLICATION
        if others:
            kind = records.PUBLICATIONS
            groups = [_group(copy, packs, number) for copy, packs in others.values()]
            head = pack_count(1 + len(groups)) + head + b"".join(groups)
        assert first.body is not None
        return engine.journal.append(kind, head, first.body)


def address(message: Message, node: TopicNode, level: int) -> None:
    """Give a message the properties of a publication."""
    own = {**message.properties} if message.properties else {}
    message.properties = {**own, "MQTopicString": node.text, "MQPubLevel": level}


def _group(first: Message, copies: list[bytes], number: int) -> bytes:
    """Return the copies that differ from the first one only in what is packed, as a record holds them."""
    return encode_head(first, 0, number) + pack_count(len(copies)) + b"".join(copies)


def watched(queue: Queue) -> bool:
    """Return whether arrivals on a queue cause events or triggers."""
    return queue.depth_events is not None or queue.trigger is not None or queue.service_interval is not None


def refusal(queue: Queue, message: Message) -> int:
    """Return the reason why a queue takes no copy of a message, 0 when it does."""
    if not queue.put_enabled:
        return mq.MQRC_PUT_INHIBITED
    if message.length > queue.length_max:
        return mq.MQRC_MSG_TOO_BIG_FOR_Q
    return mq.MQRC_Q_FULL if queue.depth >= queue.depth_max else 0
