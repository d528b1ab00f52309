"""Queued publish/subscribe: command messages on SYSTEM.BROKER.CONTROL.QUEUE, carried out as they arrive.

It waits on its queues as any getter does. A command is got in a unit of work that also holds its answer and
all that it does, registrations too (`unit`, which `definitions` asks for), so that a crash leaves it done
once or still to do; by the time the put of a command returns it is done, unless something has to be read or
compiled first: then soon after. A command that concerns very many topics or subscriptions is carried out by
housekeeping, some at a step (`go_on`), and no checkpoint is taken meanwhile: what is retained is then sent in
a unit of its own, which is committed just before the command's. Other messages go to the
dead-letter queue. A command has the authority of the user that its message names. Subscriptions made here are
durable, unless their queue is temporary: then they go with it. They go to the queue that the command names,
and get their publications with an MQRFH2 (PSPROP(RFH2)).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr import authorization
from penstock.qmgr.connections import Connection
from penstock.qmgr.core import TRY_AGAIN
from penstock.qmgr.messages import dead_letters
from penstock.qmgr.names.name_resolution import resolve
from penstock.qmgr.pubsub import psc_commands
from penstock.qmgr.pubsub.delivering import STEP_NODES
from penstock.qmgr.pubsub.queued_subscriber import (
    Destination,
    check_point,
    patterns_of,
    request_of,
    scheme_of,
)
from penstock.qmgr.pubsub.subscribing import (
    alter,
    check_authority,
    check_user,
    release,
    remove,
    subscribe,
    switches,
)
from penstock.qmgr.pubsub.system_reader import is_being_read
from penstock.qmgr.pubsub.topic_tree import LEVEL_MAX
from penstock.qmgr.selectors.content_selection import is_quick
from penstock.qmgr.selectors.evaluations import STEP_COST, Evaluation, MustEvaluate, characters_of, cost_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.pubsub.psc_commands import PscCommand
    from penstock.qmgr.pubsub.subscription import Subscription
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Waiter

QUEUES = ("SYSTEM.BROKER.CONTROL.QUEUE", "SYSTEM.BROKER.DEFAULT.STREAM")
REASONS = {
    mq.MQRC_NOT_AUTHORIZED: mq.MQRCCF_NOT_AUTHORIZED,
    mq.MQRC_TOPIC_STRING_ERROR: mq.MQRCCF_TOPIC_ERROR,
    mq.MQRC_IDENTITY_MISMATCH: mq.MQRCCF_WRONG_USER,
    mq.MQRC_SELECTOR_SYNTAX_ERROR: mq.MQRCCF_FILTER_ERROR,
}
WARNING = 1  # completion code
APPLICATION = "penstock queued publish/subscribe"
STEP_REMOVALS = 50  # subscriptions that one step removes: one to two milliseconds
LONG_SECONDS = 60.0  # after which no selector of a command is evaluated: checkpoints wait for it


@dataclass(slots=True)
class Long:
    """A command that is carried out in steps."""

    unit: Any
    steps: Iterator[None]
    begun: float = 0.0  # 0 before its first step
    ended: bool = False


class QueuedPubSub:
    """The reader of one engine's command queues."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.running = False
        self.unit: UnitOfWork | None = None  # of the command that is being carried out
        self._waiting: dict[str, Waiter] = {}
        self._with_queues: dict[str, set[str]] = {}  # subscriptions by temporary queue
        self._held: dict[str, tuple[Message, Any]] = {}  # commands that need bodies from disk
        self.long: dict[str, Long] = {}  # those that are carried out in steps, by queue
        self._now = self._begun = 0.0  # of the step that is being made, and of its command
        self._at_once = True  # the command is one step
        self._connection: Any = None

    def start(self, now: float) -> None:
        """Begin to read, or continue after an obstacle."""
        self.running = True
        if self._connection is None:
            self._connection = self.engine.connect("penstock", APPLICATION, 0, now)
            del self.engine.connected[self._connection.number]  # no user: it is part of the queue manager
        for name in QUEUES:
            queue = self.engine.queues.get(name)
            if queue is None or name in self._waiting or name in self.long or not queue.get_enabled:
                continue
            if name in self._held:
                self._carry_out(queue, *self._held.pop(name), now)
            self._read(queue, now)

    def stop(self) -> None:
        """Read no more."""
        self.running = False
        for waiter in self._waiting.values():
            waiter.queue.waiting.remove(waiter)
        self._waiting.clear()

    def _read(self, queue: Queue, now: float) -> None:
        """Process the waiting commands, then wait for more."""
        engine = self.engine
        while self.running and queue.name not in self._held and queue.name not in self.long:
            unit = engine.new_unit(None, now)
            message = engine.take(queue, None, unit, now)
            if message is None:
                if not is_being_read(engine):
                    self._waiting[queue.name] = engine.wait(queue, None, unit, self._woken)
                return
            self._carry_out(queue, message, unit, now)

    def _woken(self, waiter: Waiter) -> None:
        queue, message = waiter.queue, waiter.message
        self._waiting.pop(queue.name, None)
        if message is not None:
            self._carry_out(queue, message, waiter.unit, message.put_time)
        elif waiter.reason != TRY_AGAIN:
            return  # the queue is closed to gets, deleted, or all ends; a later start looks again
        if self.running and not queue.deleted and queue.name not in self._waiting:
            self._read(queue, message.put_time if message is not None else queue.last_put)

    def _carry_out(self, queue: Queue, message: Message, unit: Any, now: float) -> None:
        engine = self.engine
        try:
            command = psc_commands.read_command(message)
            unread = [] if self._is_long(command, now) else self._unread(command, message, now)
            if unread:  # the host reads them, the next tick carries the command out
                engine.wishes.unread += unread
                self._held[queue.name] = message, unit
                return
            wanted = command.values.get("Filter", "") if command.name == "RegSub" else ""
            if wanted and not is_quick(engine, wanted):  # the host compiles it, as above
                engine.wishes.to_compile.append(wanted)
                self._held[queue.name] = message, unit
                return
        except MQError as failure:
            self._end(message, unit, now, failure)
            return
        steps = self._steps(command, message, unit)
        if self._is_long(command, now):
            self.long[queue.name] = Long(unit, steps)
        else:
            self._step(unit, steps, now, last=True)

    def go_on(self, now: float) -> None:
        """Take a step of each long command. The host calls it until none is left: no checkpoint meanwhile.

        Between two calls it has the journal on disk: the next command sees what the last one retained.
        """
        for name, command in list(self.long.items()):
            if not command.ended:
                self._begun = command.begun = command.begun or now
                command.ended = self._step(command.unit, command.steps, now)
            else:
                del self.long[name]
                queue = self.engine.queues.get(name)
                if queue is not None and self.running and name not in self._waiting:
                    self._read(queue, now)

    def _step(self, unit: Any, steps: Iterator[None], now: float, *, last: bool = False) -> bool:
        """Take one step of a command, or all that are left; say whether that was the last."""
        self.unit, self._now, self._at_once = unit, now, last
        try:
            for _ in steps:
                if not last:
                    return False
        finally:
            self.unit = None
        return True

    def _is_long(self, command: PscCommand, now: float) -> bool:
        """Return whether a command concerns so much that others would have to wait for it."""
        if command.has("DeregAll"):
            return len(self.engine.pubsub.subscriptions) > STEP_NODES
        if command.name == "Publish":
            return any(self._is_long_publish(each, command, now) for each in command.topics)
        if command.name == "DeregSub" or command.options & {"NewPubsOnly", "PubOnReqOnly"}:
            return False
        below = self.engine.pubsub.retained.count_below
        count = sum(below(pattern) for pattern in patterns_of(command))
        selects = self.engine.pubsub.publisher.evaluations is not None and command.values.get("Filter")
        return count > (0 if selects else STEP_NODES)

    def _is_long_publish(self, topic: str, command: PscCommand, now: float) -> bool:
        """Return whether the selectors of a topic may take long; those of a new one are not known yet."""
        pubsub, length, characters = self.engine.pubsub, len(command.body), characters_of(command.properties)
        if pubsub.tree.find(topic) is not None:
            return pubsub.publisher.takes_long(pubsub.tree.ready(topic, now), length, characters)
        return pubsub.publisher.evaluations is not None and cost_of(0, 1, length + characters) > STEP_COST

    def _steps(self, command: PscCommand, message: Message, unit: Any) -> Iterator[None]:
        """Carry a command out, and end it."""
        try:
            reason = yield from self._run(command, message, unit)
        except MQError as failure:
            self._end(message, unit, self._now, failure)
            return
        self._end(message, unit, self._now, None, reason)

    def _end(self, message: Message, unit: Any, now: float, failure: MQError | None, reason: int = 0) -> None:
        """Answer a command, and commit it."""
        engine, warning = self.engine, reason != 0
        self.unit = None
        if failure is not None:
            reason = REASONS.get(failure.reason, failure.reason)
            warning = failure.comp == WARNING
        if reason == mq.MQRC_RFH_FORMAT_ERROR and not warning:
            dead_letters.send(engine, message, mq.MQRC_RFH_FORMAT_ERROR, QUEUES[0], engine.name, unit, now)
        elif message.descriptor.reply_to and psc_commands.wants_answer(message, reason != 0):
            self._answer(message, reason, warning, unit, now)
        engine.commit(unit, now)

    def _unread(self, command: PscCommand, message: Message, now: float) -> list[Message]:
        """Return the retained publications that a command sends and whose bodies are on disk."""
        retained = self.engine.pubsub.retained
        patterns = []
        if command.name == "RegSub" and not command.options & {"NewPubsOnly", "PubOnReqOnly"}:
            patterns = patterns_of(command)
        elif command.name == "ReqUpdate":
            patterns = [
                each.pattern for each in self._subscribed(command, self._destination(command, message))
            ]
        return [each for pattern in patterns for each in retained.unread(retained.matching(pattern, now))]

    def _answer(self, message: Message, reason: int, warning: bool, unit: Any, now: float) -> None:
        engine, described = self.engine, message.descriptor
        reply = psc_commands.answer(message, reason, warning, engine.name, engine.ids.next, now)
        try:
            route = resolve(engine, described.reply_to, described.reply_to_qmgr)
            engine.put_message(route, reply, unit, now)
        except MQError as failure:
            dead_letters.send(
                engine, reply, failure.reason, described.reply_to, described.reply_to_qmgr, unit, now
            )

    def _run(self, command: PscCommand, message: Message, unit: Any) -> Generator[None, None, int]:
        """Carry a command out, topic by topic; return the reason of a warning, or 0.

        A topic that is refused leaves the others as they are: a warning then, an error when none is left.
        """
        if not command.topics and not command.has("DeregAll"):
            raise error(mq.MQRCCF_TOPIC_ERROR, "the command names no topic")
        check_point(command)
        sender = self._sender(message)
        if command.name == "DeregSub":
            return (yield from self._deregister(command, self._destination(command, message), sender))
        if command.name == "ReqUpdate":
            return (yield from self._update(command, self._destination(command, message), sender))
        refusals: list[MQError] = []
        for topic in command.topics:
            try:
                yield from self._run_for(topic, command, message, sender, unit)
            except MQError as refused:
                refusals.append(refused)
        if len(refusals) == len(command.topics):
            raise refusals[0]
        return REASONS.get(refusals[0].reason, refusals[0].reason) if refusals else 0

    def _run_for(
        self, topic: str, command: PscCommand, message: Message, sender: Connection, unit: Any
    ) -> Iterator[None]:
        now = self._now
        if command.name == "RegSub":
            yield from self._register(command, self._destination(command, message), topic, sender)
            return
        if sender.permissions is not None:
            authorization.check_topic(self.engine, sender, sender.permissions, topic, "PUB", now)
        if command.name == "Publish":
            yield from self._publish(command, topic, message, unit)
        elif not (yield from self.engine.pubsub.clear_retained(topic, now, unit)):
            raise error(mq.MQRCCF_NO_RETAINED_MSG, f"nothing is retained for {topic}", comp=WARNING)

    def _destination(self, command: PscCommand, message: Message) -> Destination:
        return Destination(command, message, self.engine.name)

    def _sender(self, message: Message) -> Connection:
        """Return who a command acts as: the user that its message names."""
        own, user = self._connection, message.descriptor.user_id
        access = self.engine.access
        acting = access.sender(user) if access is not None else None
        return Connection(
            own.number, user, APPLICATION, own.started, context=message.descriptor, permissions=acting
        )

    def _publish(self, command: PscCommand, topic: str, message: Message, unit: Any) -> Iterator[None]:
        options = mq.MQPMO_RETAIN if command.has("RetainPub") else 0
        if command.has("Local"):
            options |= mq.MQPMO_SCOPE_QMGR
        own = self._destination(command, message) if command.has("OtherSubsOnly") else None

        def skips(subscription: Subscription) -> bool:
            return self._comes_back(subscription) or (own is not None and own.takes(subscription))

        copy = message.with_contents(
            command.body,
            command.descriptor.replace(msg_type=mq.MQMT_DATAGRAM, report=0),
            dict(command.properties) or None,
        )
        pubsub = self.engine.pubsub
        again = not self._at_once
        while True:
            try:
                if again:
                    pubsub.evaluate_first(topic, copy, LEVEL_MAX, self._now)
                pubsub.publish(
                    self._connection, topic, copy, options, unit, self._now, skips=skips, may_come_again=again
                )
                break
            except MustEvaluate as needed:
                evaluation = needed.evaluation
            if evaluation.texts:  # selectors; else it is very many copies
                self._check_time()
            self.engine.wishes.unread.append(evaluation)
            yield
        yield  # a topic, a step

    def _check_time(self) -> None:
        """Raise when checkpoints have waited too long for a command whose selectors are to be evaluated."""
        if self._now - self._begun > LONG_SECONDS:
            text = f"its selectors are not evaluated after {LONG_SECONDS:.0f} s; use simpler ones"
            raise error(mq.MQRCCF_FILTER_ERROR, text)

    def _comes_back(self, subscription: Subscription) -> bool:
        """Return whether a subscription's copies are commands again: they would go round for ever."""
        queue = subscription.queue
        if queue is None:
            values = subscription.definition.attributes
            try:
                queue = resolve(self.engine, str(values["DEST"]), str(values["DESTQMGR"])).queue
            except MQError:
                return False
        return queue is not None and queue.name in QUEUES

    def _register(
        self, command: PscCommand, destination: Destination, topic: str, sender: Connection
    ) -> Iterator[None]:
        engine, now = self.engine, self._now
        request = request_of(command, destination, topic)
        queue = engine.queues.get(destination.queue) if not destination.qmgr else None
        if queue is not None and queue.temporary:
            request.options &= ~mq.MQSO_DURABLE
        existing = engine.pubsub.subscriptions.get(request.name)
        if existing is not None:
            same = existing.pattern.text == topic and existing.pattern.scheme == scheme_of(command)
            if not same or not destination.takes(existing):
                raise error(mq.MQRCCF_DUPLICATE_SUBSCRIPTION, f"{request.name} is another's")
            check_user(sender, existing)
            check_authority(engine, sender, existing, "SUB", now, request)
            request.options |= mq.MQSO_ALTER
            altered = alter(engine, existing, request, now)
            engine.alter(altered.definition, switches(request.options), now)
            return
        handle, _ = subscribe(engine, sender, request, now)
        subscription = handle.subscription
        release(handle)
        if not subscription.durable:
            self._with_queues.setdefault(destination.queue, set()).add(subscription.name)
        if not command.has("NewPubsOnly") and not command.has("PubOnReqOnly"):
            try:
                yield from self._send(subscription)
            except MQError:
                remove(engine, subscription, self._now)
                raise

    def _send(self, subscription: Subscription) -> Generator[None, None, int]:
        """Give a subscription what is retained for it; return how many publications."""
        engine = self.engine
        if self._at_once:
            return engine.pubsub.send_retained(subscription, self._now, self.unit)
        delivery = engine.pubsub.deliver_to(subscription, self._now)
        while not delivery.step(self._now):
            wanted = engine.step.take_load() or []
            if any(isinstance(each, Evaluation) for each in wanted):
                try:
                    self._check_time()
                except MQError:
                    delivery.end(self._now)
                    raise
            engine.wishes.unread += wanted
            yield
        yield  # a topic, a step
        return delivery.sent

    def queue_removed(self, name: str, now: float) -> None:
        """A temporary queue was deleted: its subscriptions are deleted too."""
        for each in self._with_queues.pop(name, ()):
            subscription = self.engine.pubsub.subscriptions.get(each)
            if subscription is not None and not subscription.durable:
                remove(self.engine, subscription, now)

    def forgotten(self, definition: Definition) -> None:
        """A subscription was removed, so its queue no longer matters."""
        queue = str(definition.attributes["DEST"])
        names = self._with_queues.get(queue)
        if names is not None:
            names.discard(definition.name)
            if not names:
                del self._with_queues[queue]

    def _deregister(
        self, command: PscCommand, destination: Destination, sender: Connection
    ) -> Generator[None, None, int]:
        subscriptions = self.engine.pubsub.subscriptions
        if command.has("DeregAll"):
            wanted = set(command.topics)
            found = [
                each
                for each in subscriptions.values()
                if destination.registered(each) and (not wanted or each.pattern.text in wanted)
            ]
        else:
            found = self._subscribed(command, destination)
        self._check_theirs(found, sender, self._now)
        for count, subscription in enumerate(found, 1):
            if not subscription.removed:
                remove(self.engine, subscription, self._now)
            if count % STEP_REMOVALS == 0:
                yield
        return 0 if found else mq.MQRCCF_NOT_REGISTERED

    def _check_theirs(self, found: list[Subscription], sender: Connection, now: float) -> None:
        """Raise when one of these subscriptions is another user's, or its topic not for this one."""
        for subscription in found:
            check_user(sender, subscription)
            check_authority(self.engine, sender, subscription, "SUB", now)

    def _update(
        self, command: PscCommand, destination: Destination, sender: Connection
    ) -> Generator[None, None, int]:
        found = self._subscribed(command, destination)
        self._check_theirs(found, sender, self._now)
        sent = 0
        for each in found:
            sent += yield from self._send(each)
        if len(found) < len(command.topics):
            return mq.MQRCCF_NOT_REGISTERED
        return 0 if sent else mq.MQRCCF_NO_RETAINED_MSG

    def _subscribed(self, command: PscCommand, destination: Destination) -> list[Subscription]:
        """Return the subscriptions that a command names."""
        subscriptions = self.engine.pubsub.subscriptions
        named = ((topic, subscriptions.get(destination.name_for(topic, command))) for topic in command.topics)
        return [found for topic, found in named if found is not None and found.pattern.text == topic]
