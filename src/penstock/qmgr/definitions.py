"""Making, changing and removing objects: the registry, the queues behind it, and the journal.

Called by `admin` for MQSC and by `opening` for dynamic queues. Attributes arrive complete and
checked (`admin` does that); here is what a change means for a running queue manager. Each change
is one journal record, so that a restart finds the objects as they were.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr import forcing, records
from penstock.qmgr.catalogue.attributes import custom_values
from penstock.qmgr.core import TRY_AGAIN
from penstock.qmgr.monitoring import change_events
from penstock.qmgr.objects import Definition
from penstock.qmgr.pubsub import cluster_topics
from penstock.qmgr.queue import Queue
from penstock.qmgr.sharing.shared_queue import SHARED_IDS, NoGroup, SharedQueue
from penstock.qmgr.streams.stream_rules import check_streams
from penstock.qmgr.streams.streaming import IN_FACILITY, stream_of

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine

SET, REMOVE = "set", "remove"


def define(
    engine: Engine, kind: str, name: str, attributes: dict[str, Any], now: float, replace: bool = False
) -> Definition:
    """Make an object, or replace one of the same kind; messages on a replaced queue stay."""
    objects = engine.objects
    if kind == "SUB" and (replace or objects.find("SUB", name) is None):
        attributes = engine.pubsub.complete(name, attributes, now)
    definition = Definition(kind, name, dict(attributes), engine.next_object, now, now)
    _check_topic_string(engine, definition)
    existing = objects.find(definition.namespace, name)
    if kind == "TOPIC":
        cluster_topics.check(engine, definition, existing if replace else None)
    check_streams(engine, definition, existing)
    if existing is not None:
        if not replace:
            raise error(mq.MQRC_OBJECT_ALREADY_EXISTS, f"{existing.kind} {name} exists already", object=name)
        if existing.kind != kind:
            raise error(mq.MQRC_OBJECT_TYPE_ERROR, f"{name} is a {existing.kind}, not a {kind}", object=name)
        definition.id = existing.id
        definition.created = existing.created
        forcing.check(engine, existing, definition, force=False)
    else:
        engine.next_object += 1
    store(engine, definition, now)
    reason = mq.MQRC_CONFIG_CREATE_OBJECT if existing is None else mq.MQRC_CONFIG_CHANGE_OBJECT
    change_events.object_changed(engine, definition, reason, now)
    return definition


def alter(
    engine: Engine, definition: Definition, changes: dict[str, Any], now: float, force: bool = False
) -> None:
    """Change attributes; handles stay good, or the change needs `force` (see `forcing`)."""
    attributes = {**definition.attributes, **changes}
    if definition.kind == "SUB":
        attributes = engine.pubsub.complete(definition.name, attributes, now)
    changed = Definition(definition.kind, definition.name, attributes, definition.id, definition.created, now)
    _check_topic_string(engine, changed)
    if definition.kind == "TOPIC":
        cluster_topics.check(engine, changed, definition)
    elif definition.kind == "QMGR":
        cluster_topics.check_disabling(engine, changes)
    check_streams(engine, changed, definition)
    useless = forcing.check(engine, definition, changed, force)
    store(engine, changed, now)
    forcing.invalidate(engine, useless, now)
    change_events.object_changed(engine, changed, mq.MQRC_CONFIG_CHANGE_OBJECT, now)


def _check_topic_string(engine: Engine, definition: Definition) -> None:
    """Refuse a second TOPIC object for a topic string: which of them would be inherited from?"""
    text = str(definition.attributes.get("TOPICSTR", "")) if definition.kind == "TOPIC" else ""
    there = engine.pubsub.tree.own_object_at(text) if text else None
    if there is not None and there.name != definition.name:
        raise error(
            mq.MQRCCF_TOPICSTR_ALREADY_EXISTS,
            f"topic {text} has object {there.name} already",
            object=there.name,
        )


def delete(engine: Engine, definition: Definition, now: float, purge: bool = False) -> None:
    """Remove an object; 2055 for a queue with messages (unless purged), 2042 for one in use."""
    check_deletable(engine, definition, purge)
    queue = engine.queues.get(definition.name) if definition.kind == "QLOCAL" else None
    if queue is not None:
        engine.empty_queue(queue, now)
    subscription = engine.pubsub.subscriptions.get(definition.name) if definition.kind == "SUB" else None
    _log(engine, REMOVE, definition)
    forget(engine, definition)
    if subscription is not None:
        engine.pubsub.release_queue(subscription, now)
    if definition.kind == "CHANNEL":
        engine.sync_book.hold(definition.name, False)  # another one of this name is not stopped
    change_events.object_changed(engine, definition, mq.MQRC_CONFIG_DELETE_OBJECT, now)
    engine.clusters.definition_changed(definition, now)


def in_use(engine: Engine, definition: Definition) -> bool:
    """Return whether a handle leads to or through an object."""
    for connection in engine.connected.values():
        for handle in connection.handles.values():
            path = handle.route.path if handle.route is not None else (handle.definition,)
            for each in path:
                if each.name == definition.name and each.namespace == definition.namespace:
                    return True
    return False


def check_deletable(engine: Engine, definition: Definition, purge: bool) -> None:
    """Raise what forbids to delete an object: 2042 when it is in use, 2055 for messages unless purged."""
    if in_use(engine, definition):
        raise error(mq.MQRC_OBJECT_IN_USE, f"{definition.name} is open", object=definition.name)
    queue = engine.queues.get(definition.name) if definition.kind == "QLOCAL" else None
    if queue is None:
        return
    if queue.inputs:  # a channel has it, or the channel initiator: they need no handle
        raise error(mq.MQRC_OBJECT_IN_USE, f"queue {queue.name} is open for input", object=queue.name)
    if queue.uncommitted or engine.reservations.holds(queue):
        raise error(
            mq.MQRC_OBJECT_IN_USE,
            f"queue {queue.name} has uncommitted or reserved messages",
            object=queue.name,
        )
    if queue.depth and not purge:
        raise error(
            mq.MQRC_Q_NOT_EMPTY, f"queue {queue.name} holds {queue.depth} messages", object=queue.name
        )


def store(engine: Engine, definition: Definition, now: float) -> None:
    """Log a definition and put it in force."""
    _log(engine, SET, definition)
    install(engine, definition)
    queue = engine.queues.get(definition.name) if definition.kind == "QLOCAL" else None
    if definition.kind == "QMGR":
        engine.effects.qmgr_altered(now)
    if definition.kind == "PROCESS":
        engine.effects.process_altered(definition.name, now)
    if definition.kind == "QALIAS":
        _wake(engine, engine.queues.get(str(definition.attributes["TARGET"])))
    if queue is not None:
        engine.effects.queue_altered(queue, now)
        if not queue.get_enabled and queue.waiting is not None:
            for waiter in queue.waiting.everyone():
                engine.fail_waiter(queue, waiter, mq.MQRC_GET_INHIBITED)
    engine.clusters.definition_changed(definition, now)


def _wake(engine: Engine, queue: Queue | None) -> None:
    """Make waiters of a queue check again: their alias may not allow it any more."""
    if queue is not None and queue.waiting is not None:
        for waiter in queue.waiting.everyone():
            engine.fail_waiter(queue, waiter, TRY_AGAIN)


def _log(engine: Engine, action: str, definition: Definition) -> None:
    if temporary(definition):
        return  # neither a temporary dynamic queue nor such a subscription outlives its creator
    value = action, *definition.values()
    unit = engine.pubsub.queued.unit
    if unit is None:
        engine.step.wait_for(engine.journal.append(records.OBJECT, records.pack_value(value), b""))
        return
    engine.start_logging(unit)
    engine.journal.append(records.OBJECT_OF_UNIT, records.pack_value((unit.number, *value)), b"")


def temporary(definition: Definition) -> bool:
    """Return whether an object is deleted with its creator, so that it is not journalled."""
    if definition.kind == "QLOCAL":
        return definition.attributes.get("DEFTYPE") == "TEMPDYN"
    return definition.kind == "SUB" and definition.attributes.get("DURABLE") == "NO"


def replay(engine: Engine, payload: Any) -> None:
    """Apply an object record of the journal again.

    The checkpoint may know better already: replay begins before it when units were open. By then the
    object may be gone, or another one may have its name, with a higher number.
    """
    apply_again(engine, *records.unpack_value(payload))


def apply_again(
    engine: Engine,
    action: str,
    kind: str,
    name: str,
    attributes: dict[str, Any],
    number: int,
    created: float,
    altered: float,
) -> None:
    """Apply an object record; see `replay`."""
    definition = Definition(kind, name, restore_attributes(attributes), number, created, altered)
    if number < SHARED_IDS:
        engine.next_object = max(engine.next_object, number + 1)
    known = engine.objects.find(definition.namespace, name)
    if action == SET and (known is None or known.id <= number):
        install(engine, definition)
    elif action == REMOVE and known is not None and known.id == number:
        forget(engine, known)


def restore_attributes(attributes: dict[str, Any]) -> dict[str, Any]:
    """Undo what encoding does to attribute values: lists of names are tuples here."""
    return {key: tuple(value) if isinstance(value, list) else value for key, value in attributes.items()}


def install(engine: Engine, definition: Definition) -> None:
    """Put a definition in force without logging it."""
    before = engine.objects.find(definition.namespace, definition.name)
    if before is not None and before.kind == definition.kind == "TOPIC":
        engine.pubsub.forgotten(before)  # it may have been elsewhere in the tree
    engine.objects.put(definition)
    if definition.kind in ("TOPIC", "SUB"):
        engine.pubsub.installed(definition)
    if definition.kind == "SUB":
        return  # no name leads through it
    engine.dependencies.changed(definition)
    if definition.kind == "QMGR":
        engine.definition = definition
        apply_qmgr(engine, definition)
    if definition.kind != "QLOCAL":
        return
    queue = engine.queues.get(definition.name)
    if queue is None:
        queue = _queue_of(engine, definition)
        engine.queues[definition.name] = queue
        engine.queues_by_id[definition.id] = queue
    else:
        queue.apply(definition)
    custom = custom_values(str(definition.attributes.get("CUSTOM", "")))
    queue.moves_backouts = custom.get("BACKOUT") == "MOVE"
    queue.stream = stream_of(definition) or (IN_FACILITY if queue.shared is not None else None)


def _queue_of(engine: Engine, definition: Definition) -> Queue:
    if definition.attributes.get("QSGDISP") != "SHARED":
        return Queue(definition)
    queue = SharedQueue(definition)
    queue.shared = engine.sharing or NoGroup()
    return queue


def apply_qmgr(engine: Engine, definition: Definition) -> None:
    """Take over the queue manager's own attributes."""
    values: dict[str, Any] = dict(definition.attributes)
    engine.length_max = values["MAXMSGL"]
    engine.uncommitted_max = values["MAXUMSGS"]
    engine.priority_max = values.get("MAXPRTY", 9)
    engine.pubsub.switch(str(values.get("PSMODE", "ENABLED")))
    engine.pubsub.neighbours.qmgr_altered(str(values.get("PARENT", "")).strip())


def copy_of_group(engine: Engine, definition: Definition) -> None:
    """Put a definition of the group in force; a restart knows it before the facility is asked."""
    before = engine.objects.find(definition.namespace, definition.name)
    if before is None or before.attributes != definition.attributes or before.id != definition.id:
        _append(engine, SET, definition)
    install(engine, definition)


def forget_of_group(engine: Engine, definition: Definition) -> None:
    """Take a definition of the group out of force."""
    _append(engine, REMOVE, definition)
    forget(engine, definition)


def _append(engine: Engine, action: str, definition: Definition) -> None:
    """Log a change that no caller waits for: the facility has it."""
    engine.journal.append(records.OBJECT, records.pack_value((action, *definition.values())), b"")


def forget(engine: Engine, definition: Definition) -> None:
    """Take a definition out of force without logging it."""
    engine.objects.remove(definition)
    if definition.kind in ("TOPIC", "SUB"):
        engine.pubsub.forgotten(definition)
    if definition.kind == "SUB":
        return
    engine.dependencies.changed(definition)
    if definition.kind != "QLOCAL":
        return
    queue = engine.queues.pop(definition.name, None)
    if queue is not None:
        engine.queues_by_id.pop(queue.id, None)
        if engine.effects is not None:
            engine.effects.statistics.queue_deleted(queue)
            engine.effects.accounted.discard(queue.name)
        queue.deleted = True
        if queue.waiting is not None:
            for waiter in queue.waiting.everyone():
                engine.fail_waiter(queue, waiter, mq.MQRC_Q_DELETED)


def delete_unchecked(engine: Engine, definition: Definition) -> None:
    """Remove a queue that its last user closes and the caller has emptied, or a subscription."""
    _log(engine, REMOVE, definition)
    forget(engine, definition)
