"""Triggers in the engine: noticing the moment, and putting the trigger message.

The rules are in `trigger_rules`; this module supplies what they ask for. A trigger caused by a put
in a unit of work reaches the initiation queue when the unit ends, either way; one caused by a
persistent put, when that put is on disk: the program it starts finds the message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.errors import MQError
from penstock.qmgr.messages import dead_letters
from penstock.qmgr.states import AVAILABLE, GOT, PACKED, UNCOMMITTED
from penstock.qmgr.triggers.trigger_rules import (
    Surroundings,
    TriggerRules,
    TriggerState,
    able,
    trigger_message,
    trigger_rules,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.message import Message
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.queue import Lane, Queue
    from penstock.qmgr.unit_of_work import UnitOfWork


class Trigger:
    """The trigger of one queue: its attributes and its state."""

    __slots__ = ("get_enabled", "rules", "state", "unseen")

    def __init__(self) -> None:
        self.rules: TriggerRules | None = None
        self.state = TriggerState()
        self.get_enabled = False
        self.unseen: list[Message] = []  # count for TRIGMPRI, but are on no lane yet


def altered(engine: Engine, queue: Queue, now: float) -> None:
    """Take a queue's trigger attributes; if they or GET changed, check the existing messages."""
    rules = trigger_rules(queue.definition.attributes)
    if rules is None:
        queue.trigger = None
        return
    if queue.trigger is None:
        queue.trigger = Trigger()
    trigger = queue.trigger
    changed = trigger.rules != rules or (queue.get_enabled and not trigger.get_enabled)
    trigger.rules, trigger.get_enabled = rules, queue.get_enabled
    if changed:
        _look_again(engine, queue, now)


def process_altered(engine: Engine, name: str, now: float) -> None:
    """A process was defined or altered: look at the queues that name it and have not triggered."""
    for queue in list(engine.queues.values()):
        trigger = queue.trigger
        if trigger is not None and trigger.rules.process == name and not trigger.state.has_fired:
            _look_again(engine, queue, now)


def message_put(engine: Engine, queue: Queue, message: Message, unit: UnitOfWork | None, now: float) -> None:
    """Fire when this put is a trigger event."""
    if queue.shared is not None:
        return  # when it is committed
    trigger = queue.trigger
    rules = trigger.rules
    if queue.inputs and rules.priority == 0 and rules.kind != "EVERY":
        return  # as for each message that a channel waits for: an open queue triggers at its close
    if message.priority >= rules.priority > 0 and _is_unseen(message):
        trigger.unseen.append(message)
    interval_ms = int(engine.definition.attributes["TRIGINT"])
    before = _count(queue) - 1
    if not trigger.state.after_put(rules, message.priority, before, queue.inputs, now, interval_ms):
        return
    if unit is not None:
        unit.when_ended(lambda committed: fire(engine, queue, now))
    elif message.persistent:
        engine.when_durable(lambda: fire(engine, queue, now))
    else:
        fire(engine, queue, now)


def _count(queue: Queue) -> int:
    """How many messages count: all, or with TRIGMPRI those of that priority, as far as it matters."""
    rules = queue.trigger.rules
    if rules.priority == 0 or queue.shared is not None:
        return int(queue.depth)
    enough = rules.depth + 1
    found = 0
    for message in _of_priority(queue, rules.priority):
        found += _weight(message)
        if found > enough:
            break
    trigger = queue.trigger
    trigger.unseen = [each for each in trigger.unseen if _is_unseen(each)]
    return found + len(trigger.unseen)


def _of_priority(queue: Queue, priority: int) -> Iterator[Message]:
    if not queue.by_priority:
        for lane in queue.lanes:
            yield from (each for each in _nodes(lane) if _priority(each) >= priority)
        return
    for lane in queue.lanes[priority:]:
        yield from _nodes(lane)


def _nodes(lane: Lane) -> Iterator[Message]:
    message = lane.oldest
    while message is not None:
        yield message
        message = message.newer


def _priority(node: Message) -> int:
    return node.lane if node.state == PACKED else node.priority


def _weight(message: Message) -> int:
    """Return how many messages a node of a lane counts for; packed ones have the priority of their lane."""
    if message.state == PACKED:
        return len(list(message.positions()))  # type: ignore[attr-defined]
    return message.state != GOT


def _is_unseen(message: Message) -> bool:
    """Accepted by a queue, but waiting for its unit or for the disk."""
    return message.state == UNCOMMITTED or (message.state == AVAILABLE and message.queue is None)


def input_opened(engine: Engine, queue: Queue, now: float) -> None:
    """A monitor may have opened an initiation queue: look at the queues that name it."""
    if queue.inputs != 1:
        return
    for other in list(engine.queues.values()):
        if other.trigger is not None and other.trigger.rules.initiation_queue == queue.name:
            _look_again(engine, other, now)


def input_closed(engine: Engine, queue: Queue, now: float) -> None:
    """The last getter has closed the queue while messages are on it."""
    if queue.trigger is not None and queue.shared is not None:
        return  # when the group has the close
    if queue.trigger is not None:
        trigger = queue.trigger
        if trigger.state.after_close(trigger.rules, _count(queue), queue.inputs):
            fire(engine, queue, now)


def _look_again(engine: Engine, queue: Queue, now: float) -> None:
    if queue.shared is not None:
        if engine.sharing is not None:
            engine.sharing.triggers.consider(queue)
        return
    trigger = queue.trigger
    if trigger.state.after_change(trigger.rules, _count(queue), queue.inputs):
        fire(engine, queue, now)


def has_monitor(engine: Engine, queue: Queue) -> bool:
    """Return whether a trigger message could be put: somebody has the initiation queue open."""
    initq = engine.queues.get(queue.trigger.rules.initiation_queue)
    return initq is not None and is_open_for_input(initq) and _message(engine, queue, initq, 0.0) is not None


def is_open_for_input(queue: Queue) -> bool:
    """Return whether somebody has a queue open for input; any member of the group, if it is shared."""
    return bool(queue.inputs or (queue.shared is not None and queue.member_inputs))  # type: ignore[attr-defined]


def fire(engine: Engine, queue: Queue, now: float) -> None:
    """Put the trigger message of a queue, if something can take it."""
    trigger = queue.trigger
    if trigger is None or queue.deleted:
        return
    initq = engine.queues.get(trigger.rules.initiation_queue)
    message = _message(engine, queue, initq, now)
    if initq is None or message is None or not is_open_for_input(initq):
        return
    trigger.state.fired(now)
    if trigger.rules.switches_off and queue.shared is None:
        engine.alter(queue.definition, {"TRIGGER": "NO"}, now)
    try:
        engine.check_put(initq, message, None)
        engine.enqueue(initq, message, None)
    except MQError as failure:
        dead_letters.send(engine, message, failure.reason, initq.name, engine.name, None, now)


def _message(engine: Engine, queue: Queue, initq: Queue | None, now: float) -> Message | None:
    """Return the trigger message that a monitor would get, None when something is in its way."""
    rules = queue.trigger.rules
    process = engine.objects.find("PROCESS", rules.process) if rules.process else None
    usable = initq is not None and initq.put_enabled and initq.get_enabled
    if not able(rules, Surroundings(queue.get_enabled, usable, True, process is not None)):
        return None
    attributes = process.attributes if process is not None else None
    priority = initq.default_priority if initq is not None else 0
    return trigger_message(rules, queue.name, attributes, now, engine.ids.next, engine.name, priority)


def awaited(engine: Engine, initiation_queue: str, now: float) -> list[Message]:
    """Return the trigger messages that a monitor would get for opening a queue; change nothing."""
    initq = engine.queues.get(initiation_queue)
    found = []
    for queue in engine.queues.values():
        trigger = queue.trigger
        if trigger is None or trigger.rules.initiation_queue != initiation_queue:
            continue
        if trigger.state.after_change(trigger.rules, _count(queue), queue.inputs):
            message = _message(engine, queue, initq, now)
            if message is not None:
                found.append(message)
    return found
