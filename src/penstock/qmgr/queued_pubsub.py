"""Queued publish/subscribe: command messages on SYSTEM.BROKER.CONTROL.QUEUE, carried out as they arrive.

It waits on its queues as any getter does. A command is got in a unit of work that also holds its answer and
all that it does, registrations too (`unit`, which `definitions` asks for), so that a crash leaves it done
once or still to do; by the time the put of a command returns it is done. What is no command goes to the
dead-letter queue. Subscriptions made here are durable, go to the queue that the command names, and get their
publications with an MQRFH2 (PSPROP(RFH2)).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID, Message
from penstock.qmgr import dead_letters, psc_commands
from penstock.qmgr.core import TRY_AGAIN
from penstock.qmgr.name_resolution import resolve
from penstock.qmgr.subscribing import SubscribeRequest, alter, remove, subscribe
from penstock.qmgr.topic_string import BY_CHARACTER, BY_TOPIC, parse_pattern

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.psc_commands import PscCommand
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.subscription import Subscription
    from penstock.qmgr.unit_of_work import UnitOfWork
    from penstock.qmgr.waiters import Waiter

QUEUES = ("SYSTEM.BROKER.CONTROL.QUEUE", "SYSTEM.BROKER.DEFAULT.STREAM")
REASONS = {2425: psc_commands.MQRCCF_TOPIC_ERROR, 2459: psc_commands.MQRCCF_FILTER_ERROR}
APPLICATION = "penstock queued publish/subscribe"


class QueuedPubSub:
    """The reader of one engine's command queues."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.running = False
        self.unit: UnitOfWork | None = None  # of the command that is being carried out
        self._waiting: dict[str, Waiter] = {}
        self._held: dict[str, tuple[Message, Any]] = {}  # commands that need what is still on disk
        self._connection: Any = None

    def start(self, now: float) -> None:
        """Begin to read, or go on after something stood in the way."""
        self.running = True
        if self._connection is None:
            self._connection = self.engine.connect("penstock", APPLICATION, 0, now)
            del self.engine.connected[self._connection.number]  # nobody's: it is part of the queue manager
        for name in QUEUES:
            queue = self.engine.queues.get(name)
            if queue is None or name in self._waiting or not queue.get_enabled:
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
        """Carry out what is there, then wait for more."""
        engine = self.engine
        while self.running and queue.name not in self._held:
            unit = engine.new_unit(None, now)
            message = engine.take(queue, None, unit, now)
            if message is None:
                if engine.to_load is not None:  # the host reads it, the next tick comes back here
                    engine.effects.unread += engine.to_load
                    engine.to_load = None
                    return
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
        reason, warning = 0, False
        try:
            command = psc_commands.read_command(message)
            unread = self._unread(command, message, now)
            if unread:  # the host reads them, the next tick carries the command out
                engine.effects.unread += unread
                self._held[queue.name] = message, unit
                return
            self.unit = unit
            reason = self._run(command, message, unit, now)
            warning = reason != 0
        except MQError as failure:
            reason = REASONS.get(failure.reason, failure.reason)
        finally:
            self.unit = None
        if reason == 2421 and not warning:
            dead_letters.send(engine, message, 2421, QUEUES[0], engine.name, unit, now)
        elif message.descriptor.reply_to and psc_commands.wants_answer(message, reason != 0):
            self._answer(message, reason, warning, unit, now)
        engine.commit(unit, now)

    def _unread(self, command: PscCommand, message: Message, now: float) -> list[Message]:
        """Return the retained publications that a command sends and whose bodies are on disk."""
        retained = self.engine.pubsub.retained
        patterns = []
        if command.name == "RegSub" and not command.options & {"NewPubsOnly", "PubOnReqOnly"}:
            scheme = BY_CHARACTER if command.has("WildcardChar") else BY_TOPIC
            patterns = [parse_pattern(topic, scheme) for topic in command.topics]
        elif command.name == "ReqUpdate":
            patterns = [each.pattern for each in self._subscribed(command, Destination(command, message))]
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

    def _run(self, command: PscCommand, message: Message, unit: Any, now: float) -> int:
        """Carry a command out; return the reason of a warning, or 0."""
        if not command.topics and not command.has("DeregAll"):
            raise error(psc_commands.MQRCCF_TOPIC_ERROR, "the command names no topic")
        if command.name == "Publish":
            return self._publish(command, message, unit, now)
        if command.name == "DelPub":
            found = sum(self.engine.pubsub.clear_retained(topic, now, unit) for topic in command.topics)
            return 0 if found else psc_commands.MQRCCF_NO_RETAINED_MSG
        destination = Destination(command, message)
        if command.name == "RegSub":
            for topic in command.topics:
                self._register(command, destination, topic, now)
            return 0
        if command.name == "DeregSub":
            return self._deregister(command, destination, now)
        return self._update(command, destination, now)

    def _publish(self, command: PscCommand, message: Message, unit: Any, now: float) -> int:
        options = mq.MQPMO_RETAIN if command.has("RetainPub") else 0
        if command.has("Local"):
            options |= mq.MQPMO_SCOPE_QMGR
        for topic in command.topics:
            copy = Message(
                command.body,
                message.msg_id,
                message.correl_id,
                message.persistent,
                message.priority,
                message.put_time,
                message.expires_at,
                command.descriptor.replace(msg_type=mq.MQMT_DATAGRAM, report=0),
                dict(command.properties) or None,
            )
            self.engine.pubsub.publish(self._connection, topic, copy, options, unit, now)
        return 0

    def _register(self, command: PscCommand, destination: Destination, topic: str, now: float) -> None:
        options = mq.MQSO_CREATE | mq.MQSO_DURABLE
        if command.has("PubOnReqOnly"):
            options |= mq.MQSO_PUBLICATIONS_ON_REQUEST
        if command.has("WildcardChar"):
            options |= mq.MQSO_WILDCARD_CHAR
        if command.has("Local"):
            options |= mq.MQSO_SCOPE_QMGR
        request = SubscribeRequest(
            topic=topic,
            name=destination.name_for(topic, command.values.get("SubName", "")),
            options=options,
            queue=destination.queue,
            qmgr=destination.qmgr,
            selector=command.values.get("Filter"),
            correl_id=destination.correl_id or NO_ID,
            user_data=command.values.get("SubUserData"),
            properties="RFH2",
        )
        existing = self.engine.pubsub.subscriptions.get(request.name)
        if existing is not None:
            request.options = mq.MQSO_ALTER | mq.MQSO_DURABLE
            alter(self.engine, existing, request, now)
            return
        handle, _ = subscribe(self.engine, self._connection, request, now)
        self.engine.close(handle, 0, now)
        if not command.has("NewPubsOnly") and not command.has("PubOnReqOnly"):
            self.engine.pubsub.send_retained(handle.subscription, now, self.unit)

    def _deregister(self, command: PscCommand, destination: Destination, now: float) -> int:
        subscriptions = self.engine.pubsub.subscriptions
        if command.has("DeregAll"):
            found = [each for name, each in subscriptions.items() if name.startswith(destination.prefix)]
        else:
            found = self._subscribed(command, destination)
        for subscription in found:
            remove(self.engine, subscription, now)
        return 0 if found else psc_commands.MQRCCF_NOT_REGISTERED

    def _update(self, command: PscCommand, destination: Destination, now: float) -> int:
        found = self._subscribed(command, destination)
        sent = sum(self.engine.pubsub.send_retained(each, now, self.unit) for each in found)
        if len(found) < len(command.topics):
            return psc_commands.MQRCCF_NOT_REGISTERED
        return 0 if sent else psc_commands.MQRCCF_NO_RETAINED_MSG

    def _subscribed(self, command: PscCommand, destination: Destination) -> list[Subscription]:
        """Return the subscriptions that a command names."""
        subscriptions = self.engine.pubsub.subscriptions
        names = (destination.name_for(topic, command.values.get("SubName", "")) for topic in command.topics)
        return [subscriptions[name] for name in names if name in subscriptions]


class Destination:
    """Who a subscriber is to queued publish/subscribe: its queue, and a correlation id when it uses one."""

    def __init__(self, command: PscCommand, message: Message) -> None:
        self.queue = command.values.get("QName", "") or message.descriptor.reply_to
        self.qmgr = command.values.get("QMgrName", "")
        if not self.queue:
            raise error(psc_commands.MQRCCF_Q_NAME_ERROR, "neither QName nor a reply-to queue is given")
        if not command.values.get("QName", ""):
            self.qmgr = message.descriptor.reply_to_qmgr
        self.correl_id = message.correl_id if command.has("CorrelAsId") else None
        identity = f":{self.correl_id.hex().upper()}" if self.correl_id is not None else ""
        self.prefix = f"RFH2:{self.qmgr}:{self.queue}{identity}:"

    def name_for(self, topic: str, given: str) -> str:
        """Return the name of this subscriber's subscription to a topic."""
        return given or self.prefix + topic
