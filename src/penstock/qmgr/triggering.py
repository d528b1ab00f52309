"""Triggers in the engine: noticing the moment, and putting the trigger message.

The rules are in `trigger_rules`; this module supplies what they ask for. A trigger caused by a put
in a unit of work reaches the initiation queue when the unit ends, either way; one caused by a
persistent put, when that put is on disk: the program it starts finds the message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.qmgr import dead_letters
from penstock.qmgr.trigger_rules import (
    Surroundings,
    TriggerRules,
    TriggerState,
    able,
    trigger_message,
    trigger_rules,
)

if TYPE_CHECKING:
    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Queue
    from penstock.qmgr.unit_of_work import UnitOfWork


class Trigger:
    """The trigger of one queue: what its attributes say, and what it remembers."""

    __slots__ = ("rules", "state")

    def __init__(self, rules: TriggerRules) -> None:
        self.rules = rules
        self.state = TriggerState()


def altered(engine: Engine, queue: Queue, now: float) -> None:
    """Take over a queue's trigger attributes, and fire for messages that are there."""
    rules = trigger_rules(queue.definition.attributes)
    if rules is None:
        queue.trigger = None
        return
    if queue.trigger is None:
        queue.trigger = Trigger(rules)
    changed = queue.trigger.rules != rules or not queue.trigger.state
    queue.trigger.rules = rules
    if changed or queue.depth:
        _look_again(engine, queue, now)


def message_put(engine: Engine, queue: Queue, message: Message, unit: UnitOfWork | None) -> None:
    """Fire when this put is a trigger event."""
    trigger, now = queue.trigger, message.put_time
    rules = trigger.rules
    before = _count(queue, rules) - 1
    interval_ms = int(engine.definition.attributes["TRIGINT"])
    if not trigger.state.after_put(rules, message.priority, before, queue.inputs, now, interval_ms):
        return
    if unit is not None:
        unit.when_ended(lambda committed: _fire(engine, queue, now))
    elif message.persistent:
        engine.when_durable(lambda: _fire(engine, queue, now))
    else:
        _fire(engine, queue, now)


def _count(queue: Queue, rules: TriggerRules) -> int:
    """How many messages count; with TRIGMPRI the visible ones, at most as many as matter."""
    if rules.priority == 0:
        return queue.depth
    enough = rules.depth + 1
    found = 1  # the message that was just put may not be visible yet
    for message in queue.messages():
        if message.priority >= rules.priority:
            found += 1
            if found > enough:
                break
    return found


def input_opened(engine: Engine, queue: Queue, now: float) -> None:
    """A monitor may have opened an initiation queue: look at the queues that name it."""
    if queue.inputs != 1:
        return
    for other in engine.queues.values():
        if other.trigger is not None and other.trigger.rules.initiation_queue == queue.name:
            _look_again(engine, other, now)


def input_closed(engine: Engine, queue: Queue, now: float) -> None:
    """The last getter has gone while messages are there."""
    if queue.trigger is not None:
        trigger = queue.trigger
        if trigger.state.after_close(trigger.rules, queue.depth, queue.inputs):
            _fire(engine, queue, now)


def _look_again(engine: Engine, queue: Queue, now: float) -> None:
    trigger = queue.trigger
    if trigger.state.after_change(trigger.rules, queue.depth, queue.inputs):
        _fire(engine, queue, now)


def _fire(engine: Engine, queue: Queue, now: float) -> None:
    trigger = queue.trigger
    if trigger is None or queue.deleted:
        return
    rules = trigger.rules
    initq = engine.queues.get(rules.initiation_queue)
    process = engine.objects.find("PROCESS", rules.process) if rules.process else None
    around = Surroundings(
        queue.get_enabled,
        initq is not None and initq.put_enabled and initq.get_enabled,
        initq is not None and initq.inputs > 0,
        process is not None,
    )
    if initq is None or not able(rules, around):
        return
    attributes = process.attributes if process is not None else None
    message = trigger_message(
        rules, queue.name, attributes, now, engine.ids.next, engine.name, initq.default_priority
    )
    trigger.state.fired(now)
    if rules.switches_off:
        engine.alter(queue.definition, {"TRIGGER": "NO"}, now)
    try:
        engine.check_put(initq, message, None)
        engine.enqueue(initq, message, None)
    except MQError as failure:
        dead_letters.send(engine, message, failure.reason, initq.name, engine.name, None, now)
