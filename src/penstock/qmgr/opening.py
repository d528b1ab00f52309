"""MQOPEN and MQCLOSE: options, shares, dynamic queues.

`open_object` turns a name and options into a `Handle`; `close` undoes it. Counting who has a queue
open for input and output is done only here, so that IPPROCS, exclusive use and triggering agree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.limits import DYNAMIC_PREFIX_LENGTH
from penstock.model.names import check_object_name
from penstock.qmgr import authorization
from penstock.qmgr.clusters import cluster_opening
from penstock.qmgr.connections import Connection, Cursor, Handle
from penstock.qmgr.names.name_resolution import Route, resolve
from penstock.qmgr.pubsub import topic_opening
from penstock.qmgr.selectors.selector import compile_selector
from penstock.qmgr.sharing import browsing as shared_browsing

if TYPE_CHECKING:
    from penstock.qmgr.authorization import Permissions
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition
    from penstock.qmgr.queue import Queue

INPUT = mq.MQOO_INPUT_AS_Q_DEF | mq.MQOO_INPUT_SHARED | mq.MQOO_INPUT_EXCLUSIVE
ACCESS = INPUT | mq.MQOO_BROWSE | mq.MQOO_OUTPUT | mq.MQOO_INQUIRE | mq.MQOO_SET
CONTEXT_OUT = (
    mq.MQOO_PASS_IDENTITY_CONTEXT
    | mq.MQOO_PASS_ALL_CONTEXT
    | mq.MQOO_SET_IDENTITY_CONTEXT
    | mq.MQOO_SET_ALL_CONTEXT
)
BINDS = mq.MQOO_BIND_ON_OPEN | mq.MQOO_BIND_NOT_FIXED | mq.MQOO_BIND_ON_GROUP
KNOWN = (
    ACCESS
    | CONTEXT_OUT
    | BINDS
    | mq.MQOO_SAVE_ALL_CONTEXT
    | mq.MQOO_ALTERNATE_USER_AUTHORITY
    | mq.MQOO_FAIL_IF_QUIESCING
    | mq.MQOO_RESOLVE_NAMES
    | mq.MQOO_RESOLVE_LOCAL_Q
    | mq.MQOO_CO_OP
    | mq.MQOO_NO_READ_AHEAD
    | mq.MQOO_READ_AHEAD
    | mq.MQOO_NO_MULTICAST
)
DELETE = mq.MQCO_DELETE | mq.MQCO_DELETE_PURGE

_NAMESPACES = {mq.MQOT_PROCESS: "PROCESS", mq.MQOT_NAMELIST: "NAMELIST", mq.MQOT_TOPIC: "TOPIC"}


def open_object(
    engine: Engine,
    connection: Connection,
    name: str,
    options: int,
    now: float,
    *,
    object_type: int = mq.MQOT_Q,
    qmgr: str = "",
    dynamic_name: str = "AMQ.*",
    selector: str | None = None,
    alternate_user: str = "",
    object_string: str = "",
) -> Handle:
    """Open an object with the options; a model queue creates a dynamic queue.

    `alternate_user` is whose authority counts, with MQOO_ALTERNATE_USER_AUTHORITY; messages still
    carry the connection's user. `object_string` goes on from a topic object's string.
    """
    _check_options(options, object_type)
    compiled = compile_selector(selector) if selector else None
    if len(connection.handles) >= int(engine.definition.attributes["MAXHANDS"]):
        raise error(mq.MQRC_HANDLE_NOT_AVAILABLE, "MAXHANDS handles are open already")
    permissions = authorization.acting(engine, connection, options, alternate_user, name, now)
    if object_type == mq.MQOT_TOPIC and (options & mq.MQOO_OUTPUT or object_string):
        handle = topic_opening.open_topic(engine, connection, name, object_string, options, now)
        if permissions is not None:
            authorization.check_topic(engine, connection, permissions, handle.topic, "PUB", now)
    elif object_type != mq.MQOT_Q:
        handle = _open_other(engine, connection, name, options, object_type)
        if permissions is not None and handle.definition is not None:
            authorization.check_other(engine, connection, permissions, handle.definition, options, now)
    else:
        handle = _open_queue(engine, connection, permissions, name, options, now, qmgr, dynamic_name)
    handle.selector = compiled
    if options & mq.MQOO_ALTERNATE_USER_AUTHORITY:
        handle.extra["alternate_user"] = alternate_user
    handle.number = connection.next_handle
    connection.next_handle += 1
    connection.handles[handle.number] = handle
    topic_opening.enter(engine, handle, now)
    return handle


def _check_options(options: int, object_type: int) -> None:
    if options & ~KNOWN:
        raise error(mq.MQRC_OPTIONS_ERROR, f"unknown open options {options & ~KNOWN:#x}")
    if not options & ACCESS and not options & mq.MQOO_RESOLVE_NAMES:
        raise error(mq.MQRC_OPTIONS_ERROR, "at least one of input, browse, output, inquire, set is needed")
    if (options & INPUT).bit_count() > 1:
        raise error(mq.MQRC_OPTIONS_ERROR, "only one of the input options may be given")
    if options & mq.MQOO_SAVE_ALL_CONTEXT and not options & INPUT:
        raise error(mq.MQRC_OPTIONS_ERROR, "SAVE_ALL_CONTEXT needs an input option")
    if options & CONTEXT_OUT and not options & mq.MQOO_OUTPUT:
        raise error(mq.MQRC_OPTIONS_ERROR, "context options need OUTPUT")
    if options & mq.MQOO_CO_OP and not options & mq.MQOO_BROWSE:
        raise error(mq.MQRC_OPTIONS_ERROR, "CO_OP needs BROWSE")
    if (options & BINDS).bit_count() > 1:
        raise error(mq.MQRC_OPTIONS_ERROR, "only one bind option may be given")
    if options & mq.MQOO_READ_AHEAD and options & mq.MQOO_NO_READ_AHEAD:
        raise error(mq.MQRC_OPTIONS_ERROR, "READ_AHEAD and NO_READ_AHEAD exclude each other")
    if object_type != mq.MQOT_Q and options & (INPUT | mq.MQOO_BROWSE | mq.MQOO_SET):
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, "only queues can be opened for input, browse or set")
    if object_type not in (mq.MQOT_Q, mq.MQOT_TOPIC) and options & mq.MQOO_OUTPUT:
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, "only queues and topics can be opened for output")


def _open_other(engine: Engine, connection: Connection, name: str, options: int, object_type: int) -> Handle:
    if object_type == mq.MQOT_Q_MGR:
        if name.rstrip(" ") not in ("", engine.name):
            raise error(mq.MQRC_UNKNOWN_OBJECT_Q_MGR, f"this queue manager is {engine.name}", object=name)
        return Handle(connection, 0, engine.name, options, engine.definition)
    name = name.rstrip(" ")
    namespace = _NAMESPACES.get(object_type)
    if namespace is None:
        raise error(mq.MQRC_OBJECT_TYPE_ERROR, f"object type {object_type} cannot be opened")
    definition = engine.objects.find(namespace, name)
    if definition is None:
        raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{namespace.lower()} {name} is not defined", object=name)
    return Handle(connection, 0, name, options, definition)


def _open_queue(
    engine: Engine,
    connection: Connection,
    permissions: Permissions | None,
    name: str,
    options: int,
    now: float,
    qmgr: str,
    dynamic_name: str,
) -> Handle:
    name = check_object_name(name, reason=mq.MQRC_UNKNOWN_OBJECT_NAME)
    route = resolve(engine, name, qmgr)
    if permissions is not None:
        authorization.check_queue(engine, connection, permissions, route, options, now)
    creator = False
    if route.first is not None and route.first.kind == "QMODEL":
        route = make_dynamic(engine, route.first, dynamic_name, now)
        creator = True
    if route.choice is not None:
        route = cluster_opening.bound(engine, route, options)
    _check_type(route, options)
    handle = Handle(connection, 0, name, options, route.first, route, route.queue, creator=creator)
    if creator:
        handle.name = route.resolved_queue
        if route.queue is not None and route.queue.temporary:
            route.queue.temporary_for = handle
        if permissions is not None and route.queue is not None:
            authorization.grant_creator(engine, permissions.user, route.queue, now)
    if route.queue is not None and not route.remote:
        _count_open(engine, handle, route.queue, now)
    if options & mq.MQOO_BROWSE:
        handle.cursor = Cursor()
    if route.choice is not None:
        handle.extra["bind"] = cluster_opening.bind_of(route, options)
    return handle


def _check_type(route: Route, options: int) -> None:
    if route.queue is not None and not route.remote:
        return
    if options & (INPUT | mq.MQOO_BROWSE):
        name = route.first.name if route.first else ""
        leads = f": it leads to topic {route.topic.name}, so messages can only be put" if route.topic else ""
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, f"{name} is not a local queue{leads}", object=name)
    if route.topic is not None and options & (mq.MQOO_SET | mq.MQOO_INQUIRE):
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, "a topic alias cannot be opened for inquire or set")
    if options & (mq.MQOO_SET | mq.MQOO_INQUIRE) and (route.first is None or route.first.kind == "QLOCAL"):
        raise error(
            mq.MQRC_OPTION_NOT_VALID_FOR_TYPE,
            "a queue of another queue manager cannot be opened for inquire or set",
        )


def _count_open(engine: Engine, handle: Handle, queue: Queue, now: float) -> None:
    options = handle.options
    if options & INPUT:
        exclusive = _wants_exclusive(queue, options)
        if queue.exclusive or (exclusive and queue.inputs):
            raise error(mq.MQRC_OBJECT_IN_USE, f"queue {queue.name} is open elsewhere", object=queue.name)
        queue.exclusive = exclusive
        queue.inputs += 1
    if options & mq.MQOO_OUTPUT:
        queue.outputs += 1
    if options & INPUT:
        engine.effects.input_opened(queue, now)
    if queue.shared is not None and options & (INPUT | mq.MQOO_OUTPUT):
        queue.shared.opened(queue, handle)


def _wants_exclusive(queue: Queue, options: int) -> bool:
    values = queue.definition.attributes
    if values["SHARE"] == "NO" or options & mq.MQOO_INPUT_EXCLUSIVE:
        return True
    return bool(options & mq.MQOO_INPUT_AS_Q_DEF) and values["DEFSOPT"] == "EXCL"


def make_dynamic(engine: Engine, model: Definition, pattern: str, now: float) -> Route:
    """Make a dynamic queue from a model; return the route to it."""
    name = _dynamic_name(engine, pattern)
    attributes = {key: value for key, value in model.attributes.items() if key != "DEFTYPE"}
    attributes["DEFTYPE"] = model.attributes["DEFTYPE"]
    engine.define("QLOCAL", name, attributes, now)
    return resolve(engine, name)


def _dynamic_name(engine: Engine, pattern: str) -> str:
    pattern = pattern.rstrip(" ")
    if pattern.endswith("*"):
        prefix = pattern[:-1]
        if len(prefix) > DYNAMIC_PREFIX_LENGTH:
            raise error(
                mq.MQRC_DYNAMIC_Q_NAME_ERROR,
                f"at most {DYNAMIC_PREFIX_LENGTH} characters may come before the asterisk",
            )
        while True:
            name = prefix + engine.ids.next()[-8:].hex().upper()[-(48 - len(prefix)) :]
            if engine.objects.find("QUEUE", name) is None:
                break
    else:
        name = pattern
    check_object_name(name, reason=mq.MQRC_DYNAMIC_Q_NAME_ERROR)
    if engine.objects.find("QUEUE", name) is not None:
        raise error(mq.MQRC_OBJECT_ALREADY_EXISTS, f"queue {name} exists already", object=name)
    return name


def close(engine: Engine, handle: Handle, options: int, now: float) -> int:
    """Close a handle; return a warning reason (2241 incomplete group ...) or 0."""
    if handle.closed:
        raise error(mq.MQRC_HOBJ_ERROR, "the handle is closed")
    if handle.subscription is not None:
        engine.pubsub.close(handle, options, now)
        return 0
    queue = handle.queue
    _check_close_options(options)
    if options & DELETE:
        _check_delete(handle, options)
        if queue is not None:
            authorization.check_delete(engine, handle, queue, now)
    warning = handle.logical_put.close() if handle.logical_put is not None else 0
    if handle.logical_get is not None:
        warning = warning or handle.logical_get.close()
    handle.closed = True
    handle.connection.handles.pop(handle.number, None)
    if handle.topic:
        topic_opening.close(engine, handle)
    if queue is not None and handle.route is not None and not handle.route.remote:
        _release(engine, handle, queue, now)
        _end_waits(engine, handle, queue, now)
        _delete_dynamic(engine, handle, queue, options, now)
    return warning


def _end_waits(engine: Engine, handle: Handle, queue: Queue, now: float) -> None:
    """End the waiting gets of a handle; other getters may have the messages that it released."""
    if queue.waiting is None:
        return
    for waiter in queue.waiting.everyone():
        if waiter.handle is handle:
            engine.fail_waiter(queue, waiter, mq.MQRC_HOBJ_ERROR)
    engine.serve(queue, now)


def _check_close_options(options: int) -> None:
    if options & ~(DELETE | mq.MQCO_KEEP_SUB | mq.MQCO_REMOVE_SUB | mq.MQCO_QUIESCE):
        raise error(mq.MQRC_OPTIONS_ERROR, f"unknown close options {options:#x}")
    if options & DELETE == DELETE:
        raise error(mq.MQRC_OPTIONS_ERROR, "DELETE and DELETE_PURGE exclude each other")
    if options & (mq.MQCO_KEEP_SUB | mq.MQCO_REMOVE_SUB):
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, "KEEP_SUB and REMOVE_SUB are for subscriptions")


def _check_delete(handle: Handle, options: int) -> None:
    queue = handle.queue
    if queue is None or queue.definition.attributes.get("DEFTYPE") not in ("PERMDYN", "TEMPDYN"):
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, "only dynamic queues can be deleted by a close")
    if queue.temporary and not handle.creator:
        raise error(
            mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, "only its creator can delete a temporary dynamic queue"
        )
    if not options & mq.MQCO_DELETE_PURGE and queue.depth and not queue.temporary:
        raise error(
            mq.MQRC_Q_NOT_EMPTY, f"queue {queue.name} holds {queue.depth} messages", object=queue.name
        )
    if queue.uncommitted and not queue.temporary:
        raise error(mq.MQRC_Q_NOT_EMPTY, f"queue {queue.name} has uncommitted messages", object=queue.name)


def _release(engine: Engine, handle: Handle, queue: Queue, now: float) -> None:
    if handle.cursor is not None and handle.cursor.locked is not None:
        engine.unlock(handle, now)
    if handle.has(INPUT):
        queue.inputs -= 1
        queue.exclusive = False
    if handle.has(mq.MQOO_OUTPUT):
        queue.outputs -= 1
    if queue.shared is not None:
        queue.shared.closed(queue)
        shared_browsing.closed(handle)
    if handle.has(INPUT) and not queue.deleted:
        engine.effects.input_closed(queue, now)


def _delete_dynamic(engine: Engine, handle: Handle, queue: Queue, options: int, now: float) -> None:
    if queue.deleted:
        return
    delete = options & DELETE
    if queue.temporary_for is handle or (delete and not queue.temporary):
        engine.remove_queue(queue, now)
