"""What a verb needs authority for: from open and put options to the words of authority records.

`opening`, `putting`, `engine` and the short way ask here, when a connection has `permissions`; one without
(the program that embeds the queue manager) may do everything. Who has which authority is decided by what
is behind `Permissions`, in room `admin`. A refusal is 2035 and, with AUTHOREV, an event.
Invariant: nothing was changed when a check refuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.catalogue.authority import authorities_of
from penstock.qmgr.monitoring import events
from penstock.qmgr.objects import SEPARATOR, authority_record_name
from penstock.qmgr.pubsub import topic_string

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.connections import Connection, Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.queue import Queue

QMGR = ("QMGR", "self")
MANAGED = "SYSTEM.MANAGED."  # how the queues of subscriptions are called
INPUT = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
OPEN_NEEDS = (
    (INPUT, "GET"),
    (mq.MQOO_BROWSE, "BROWSE"),
    (mq.MQOO_OUTPUT, "PUT"),
    (mq.MQOO_INQUIRE, "INQ"),
    (mq.MQOO_SET, "SET"),
    (mq.MQOO_PASS_IDENTITY_CONTEXT, "PASSID"),
    (mq.MQOO_PASS_ALL_CONTEXT, "PASSALL"),
    (mq.MQOO_SET_IDENTITY_CONTEXT, "SETID"),
    (mq.MQOO_SET_ALL_CONTEXT, "SETALL"),
)
PUT_NEEDS = (
    (mq.MQPMO_PASS_IDENTITY_CONTEXT, "PASSID"),
    (mq.MQPMO_PASS_ALL_CONTEXT, "PASSALL"),
    (mq.MQPMO_SET_IDENTITY_CONTEXT, "SETID"),
    (mq.MQPMO_SET_ALL_CONTEXT, "SETALL"),
)
# Acting as another user also needs authority for the queue manager.
OF_QMGR = frozenset(("SETID", "SETALL"))
Words = tuple[str, ...]


class Permissions(Protocol):
    """What one user may do."""

    user: str

    @property
    def administrator(self) -> bool:
        """Whether the user may do everything."""

    def refusal(self, object_type: str, name: str, needed: Words) -> str:
        """Return why the user may not do all that is needed with an object; empty when he may."""

    def of(self, user: str) -> Permissions:
        """Return the permissions of another user."""


def check_connect(engine: Engine, permissions: Permissions, culprit: events.Culprit, now: float) -> None:
    """Raise 2035 when a user may not connect."""
    why = permissions.refusal(*QMGR, ("CONNECT",))
    if why:
        _refuse(engine, why, lambda: events.connect_refused(culprit), permissions, engine.name, now)


def acting(
    engine: Engine, connection: Connection, options: int, alternate_user: str, name: str, now: float
) -> Permissions | None:
    """Return whose permissions count for an open: the connection's, or the alternate user's if allowed."""
    permissions = connection.permissions
    if permissions is None or not options & mq.MQOO_ALTERNATE_USER_AUTHORITY:
        return permissions
    why = permissions.refusal(*QMGR, ("ALTUSR",))
    if why:
        _refuse_open(engine, connection, why, name, options, now)
    return permissions.of(alternate_user.rstrip(" "))


def check_queue(
    engine: Engine,
    connection: Connection,
    permissions: Permissions,
    route: Route,
    options: int,
    now: float,
) -> None:
    """Raise 2035 if a queue may not be opened with the options."""
    words = tuple(word for option, word in OPEN_NEEDS if options & option)
    why = queue_refusal(engine, connection, permissions, route, words)
    if why:
        first = route.first
        _refuse_open(engine, connection, why, first.name if first is not None else "", options, now)


def check_other(
    engine: Engine,
    connection: Connection,
    permissions: Permissions,
    definition: Definition,
    options: int,
    now: float,
) -> None:
    """Raise 2035 if a queue manager, process, namelist or topic may not be opened with the options."""
    words = tuple(word for option, word in OPEN_NEEDS if options & option)
    object_type, name = QMGR if definition.kind == "QMGR" else (definition.kind, definition.name)
    if object_type == "TOPIC":
        words = tuple("PUB" if word == "PUT" else word for word in words if word != "INQ")
    why = permissions.refusal(object_type, name, words)
    if why:
        _refuse_open(engine, connection, why, name, options, now)


def check_topic(
    engine: Engine, connection: Connection, permissions: Permissions, topic: str, word: str, now: float
) -> None:
    """Raise 2035 when a topic may not be published (PUB) or subscribed to (SUB, RESUME)."""
    why = topic_refusal(engine, permissions, topic, word)
    if why:
        _refuse_open(engine, connection, why, topic, mq.MQOO_OUTPUT if word == "PUB" else INPUT, now)


def check_subscribe(
    engine: Engine, connection: Connection, topic: str, word: str, destination: Route | None, now: float
) -> None:
    """Raise 2035 when a topic may not be subscribed to, or its messages may not go to a queue."""
    permissions = connection.permissions
    if permissions is None:
        return
    check_topic(engine, connection, permissions, topic, word, now)
    if destination is not None:
        check_queue(engine, connection, permissions, destination, mq.MQOO_OUTPUT, now)


def check_put1(engine: Engine, connection: Connection, route: Route, options: int, now: float) -> None:
    """Raise 2035 when a message may not be put along a route without opening it first."""
    permissions = connection.permissions
    if permissions is None:
        return
    words = ("PUT", *(word for option, word in PUT_NEEDS if options & option))
    why = queue_refusal(engine, connection, permissions, route, words)
    if not why and options & mq.MQPMO_ALTERNATE_USER_AUTHORITY:
        why = permissions.refusal(*QMGR, ("ALTUSR",))
    if why:
        first = route.first
        _refuse_open(engine, connection, why, first.name if first is not None else "", mq.MQOO_OUTPUT, now)


def check_get(engine: Engine, connection: Connection, route: Route, now: float) -> None:
    """Raise 2035 when messages may not be got along a route."""
    permissions = connection.permissions
    why = queue_refusal(engine, connection, permissions, route, ("GET",)) if permissions is not None else ""
    if why:
        first = route.first
        _refuse_open(engine, connection, why, first.name if first is not None else "", INPUT, now)


def check_delete(engine: Engine, handle: Handle, queue: Queue, now: float) -> None:
    """Raise 2035 when the closer of a dynamic queue may not delete it; its creator always may."""
    permissions = handle.connection.permissions
    if permissions is None or handle.creator or _owns(engine, handle.connection, permissions, queue.name):
        return
    why = permissions.refusal("QUEUE", queue.name, ("DLT",))
    if why:
        culprit = events.culprit(handle.connection.context, permissions.user)
        _refuse(engine, why, lambda: events.close_refused(culprit, queue.name), permissions, queue.name, now)


def refuse_command(engine: Any, connection: Connection, why: str, name: str, now: float) -> None:
    """Raise 2035 for an administration command; MQSC is what PCF calls an escape."""
    culprit = events.culprit(connection.context, connection.user)
    engine.effects.not_authorized(lambda: events.command_refused(culprit, mq.MQCMD_ESCAPE), now)
    raise refused(why, connection.user, name)


def check_qmgr(engine: Engine, connection: Connection, *words: str) -> None:
    """Raise 2035 when a connection lacks an authority for the queue manager as a whole."""
    permissions = connection.permissions
    why = permissions.refusal(*QMGR, words) if permissions is not None else ""
    if why:
        raise refused(why, connection.user, engine.name)


def check_resolve(engine: Engine, connection: Connection, xid: str) -> str | None:
    """Raise 2035 unless a connection is of the user who prepared a unit, or may change the queue manager.

    Who prepared a unit that the group holds is known to the group: returns the user that it has to be then,
    None if any will do.
    """
    unit = engine.prepared.get(xid)
    if unit is not None and unit.user and unit.user == connection.user:
        return None
    try:
        check_qmgr(engine, connection, "CHG")
    except MQError:
        if unit is None and engine.sharing is not None and connection.user:
            return connection.user
        raise
    return None


def check_administrator(engine: Engine, connection: Connection) -> None:
    """Raise 2035 unless a connection is an administrator's: for what reads or copies everything."""
    permissions = connection.permissions
    if permissions is not None and not permissions.administrator:
        raise refused("only an administrator may do this", connection.user, engine.name)


def queue_refusal(
    engine: Engine, connection: Connection | None, permissions: Permissions, route: Route, words: Words
) -> str:
    """Return why a queue may not be used in some ways; empty when it may.

    An alias or a remote definition counts by its own name, whatever it leads to. A name at another queue
    manager counts by that queue manager (RQMNAME) or by the transmission queue that leads there.
    """
    first = route.first
    assert first is not None
    if _is_direct(route):
        return _direct_refusal(permissions, route, words)
    if first.kind == "QMODEL":
        words = (*words, "DSP")
    elif _is_transmission(first) and "PUT" in words:
        words = (*words, "SETALL")
    of_qmgr = tuple(word for word in words if word in OF_QMGR)
    why = permissions.refusal(*QMGR, of_qmgr) if of_qmgr else ""
    if not why and first.kind != "TOPIC" and not _owns(engine, connection, permissions, first.name):
        why = permissions.refusal("QUEUE", first.name, words)
    if not why and route.topic is not None:
        why = topic_refusal(engine, permissions, str(route.topic.attributes["TOPICSTR"]), "PUB")
    return why


def topic_refusal(engine: Engine, permissions: Permissions, topic: str, word: str) -> str:
    """Return why a topic may not be used; empty when a TOPIC object at it, or anywhere above, allows it.

    2425 for an invalid topic string, for every user.
    """
    if topic:
        topic_string.check_topic(topic)
    refusal = ""
    for definition in engine.pubsub.tree.objects_above(topic):
        why = permissions.refusal("TOPIC", definition.name, (word,))
        if not why:
            return ""
        refusal = refusal or f"{why} (topic string {topic})"
    return refusal or f"no topic object is defined at or above {topic}"


def within(permissions: Permissions | None, definition: Definition | None, options: int) -> int:
    """Return those of the open options that a user may have; all of them if the user may have none."""
    if permissions is None or definition is None:
        return options
    found = 0
    for option, word in OPEN_NEEDS:
        if options & option and not permissions.refusal("QUEUE", definition.name, (word,)):
            found |= options & option
    return found or options


def grant_creator(engine: Engine, user: str, queue: Queue, now: float) -> None:
    """Give the creator of a permanent dynamic queue all authority for it.

    A temporary one needs no record: it lives only as long as the handle of its creator.
    """
    if queue.temporary:
        return
    values = {"PROFILE": queue.name, "ENTITY": user, "ENTTYPE": "PRINCIPAL", "OBJTYPE": "QUEUE"}
    words = tuple(sorted(authorities_of("QUEUE", ("ALL",))))
    name = authority_record_name(queue.name, "QUEUE", "PRINCIPAL", user)
    engine.define("AUTHREC", name, {**values, "AUTHLIST": words}, now, replace=True)


def forget_queue(engine: Engine, queue: Queue, now: float) -> None:
    """Remove the authority records that are about a dynamic queue alone."""
    for record in list(engine.objects.starting_with("AUTHREC", SEPARATOR.join((queue.name, "QUEUE", "")))):
        engine.delete(record, now)


def _is_direct(route: Route) -> bool:
    """Whether a name at another queue manager was given, without a definition for the queue."""
    first = route.first
    if not route.remote or first is None:
        return False
    return first.kind == "QLOCAL" or (first.kind == "QREMOTE" and not first.attributes.get("RNAME"))


def _direct_refusal(permissions: Permissions, route: Route, words: Words) -> str:
    assert route.queue is not None
    why = permissions.refusal("RQMNAME", route.resolved_qmgr, words)
    return permissions.refusal("QUEUE", route.queue.name, words) if why else ""


def _is_transmission(definition: Definition) -> bool:
    return definition.kind == "QLOCAL" and definition.attributes.get("USAGE") == "XMITQ"


def _owns(engine: Engine, connection: Connection | None, permissions: Permissions, name: str) -> bool:
    """Whether a user made a temporary queue, or has the subscription open whose managed queue it is."""
    queue = engine.queues.get(name)
    if queue is None:
        return False
    creator = queue.temporary_for
    if creator is not None and creator.connection.user == permissions.user:
        return True
    if not name.startswith(MANAGED) or connection is None:
        return False
    newest_first = reversed(connection.handles.values())  # mostly it is the one that is being opened
    mine = (handle.subscription for handle in newest_first)
    return any(each is not None and each.managed and each.queue is queue for each in mine)


def _refuse_open(
    engine: Engine, connection: Connection, why: str, name: str, options: int, now: float
) -> None:
    culprit = events.culprit(connection.context, connection.user)
    permissions = connection.permissions
    assert permissions is not None
    _refuse(engine, why, lambda: events.open_refused(culprit, name, options), permissions, name, now)


def _refuse(
    engine: Engine,
    why: str,
    event: Callable[[], events.Event],
    permissions: Permissions,
    name: str,
    now: float,
) -> None:
    engine.effects.not_authorized(event, now)
    raise refused(why, permissions.user, name)


def refused(why: str, user: str, name: str) -> MQError:
    """Return 2035 with who, what and why."""
    return error(mq.MQRC_NOT_AUTHORIZED, why, user=user, object=name)
