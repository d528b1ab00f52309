"""MQSUB and its neighbours: making, altering, resuming, closing and removing subscriptions.

A subscription is a SUB definition, as one that an administrator defined; those that are not durable are in
no journal. `subscription_definitions` makes the `Subscription` that publishes see. `subscribe` is what an
application calls: it checks in MQ's order, makes a managed queue when one is asked for, and returns a
handle. Nothing is changed before every check has passed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.limits import TOPIC_STRING_LENGTH
from penstock.model.message import NO_ID
from penstock.model.names import is_storable
from penstock.qmgr import authorization, definitions
from penstock.qmgr.catalogue.attributes import defaults
from penstock.qmgr.connections import Handle
from penstock.qmgr.names.name_resolution import resolve
from penstock.qmgr.objects import SEPARATOR
from penstock.qmgr.pubsub.subscription_definitions import (
    GROUPED,
    PRIORITIES,
    check_allowed,
    check_lasting,
    managed_queue,
)
from penstock.qmgr.pubsub.topic_opening import topic_named
from penstock.qmgr.pubsub.topic_string import BY_CHARACTER, BY_TOPIC, parse_pattern
from penstock.qmgr.selectors.content_selection import compile_for

if TYPE_CHECKING:
    from penstock.qmgr.connections import Connection
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.pubsub.subscription import Subscription

ACTIONS = mq.MQSO_CREATE | mq.MQSO_ALTER | mq.MQSO_RESUME
KNOWN = (
    ACTIONS
    | mq.MQSO_DURABLE
    | mq.MQSO_MANAGED
    | mq.MQSO_GROUP_SUB
    | mq.MQSO_SET_IDENTITY_CONTEXT
    | mq.MQSO_NO_MULTICAST
    | mq.MQSO_FIXED_USERID
    | mq.MQSO_ANY_USERID
    | mq.MQSO_PUBLICATIONS_ON_REQUEST
    | mq.MQSO_NEW_PUBLICATIONS_ONLY
    | mq.MQSO_FAIL_IF_QUIESCING
    | mq.MQSO_ALTERNATE_USER_AUTHORITY
    | mq.MQSO_WILDCARD_CHAR
    | mq.MQSO_WILDCARD_TOPIC
    | mq.MQSO_SET_CORREL_ID
    | mq.MQSO_SCOPE_QMGR
    | mq.MQSO_NO_READ_AHEAD
    | mq.MQSO_READ_AHEAD
)
MODEL = "SYSTEM.DEFAULT.SUB"
PERSISTENCES = ("ASPUB", "ASQDEF", "YES", "NO")
PROPERTY_FORMS = ("MSGPROP", "NONE", "RFH2", "COMPAT")
EXPIRY_MAX_TENTHS = 999_999_999
LENGTHS = {"accounting_token": 32, "appl_identity_data": 32}  # in bytes, as in a descriptor
_TEXT, _BYTES = (str, "a text"), (bytes, "bytes")
KINDS: dict[str, tuple[Any, str]] = {  # of what programs give
    **dict.fromkeys(("topic_object", "name", "queue", "qmgr", "user_data", "properties"), _TEXT),
    "selector": _TEXT,
    "appl_identity_data": _TEXT,
    "correl_id": _BYTES,
    "accounting_token": _BYTES,
    "level": (int, "a number"),
    "priority": (int, "a number"),
    "expiry": (int | float, "a number of seconds"),
}
SUBSCRIPTIONS_MAX = 5_000_000  # of one queue manager; ours


@dataclass(slots=True)
class SubscribeRequest:
    """The request of one MQSUB; None means MQ's default, or unchanged in an alter."""

    topic: str = ""  # goes on from the topic object's string
    topic_object: str = ""
    name: str = ""
    options: int = mq.MQSO_CREATE | mq.MQSO_MANAGED
    queue: str = ""  # the provided destination
    qmgr: str = ""
    selector: str | None = None
    correl_id: bytes | None = None
    level: int | None = None
    user_data: str | None = None
    expiry: float | None = None  # seconds
    priority: int | None = None
    persistence: str | None = None
    properties: str | None = None
    accounting_token: bytes | None = None
    appl_identity_data: str | None = None

    def __post_init__(self) -> None:
        for field, (kind, wanted) in KINDS.items():
            given = getattr(self, field)
            if given is not None and not isinstance(given, kind):
                reason = mq.MQRC_SELECTOR_SYNTAX_ERROR if field == "selector" else mq.MQRC_OPTIONS_ERROR
                raise error(reason, f"{field} of a subscription is {wanted}, not {type(given).__name__}")


# -- MQSUB -----------------------------------------------------------------------------------


def subscribe(
    engine: Engine, connection: Connection, request: SubscribeRequest, now: float
) -> tuple[Handle, bool]:
    """Create, alter or resume a subscription; return its handle and whether it is new."""
    options = request.options
    _check_options(request)
    existing = engine.pubsub.subscriptions.get(request.name) if request.name else None
    if existing is None and not options & mq.MQSO_CREATE:
        raise error(
            mq.MQRC_NO_SUBSCRIPTION, f"there is no subscription {request.name}", subscription=request.name
        )
    if existing is not None and not options & (mq.MQSO_ALTER | mq.MQSO_RESUME):
        raise error(
            mq.MQRC_SUB_ALREADY_EXISTS,
            f"subscription {request.name} exists already",
            subscription=request.name,
        )
    if len(connection.handles) >= int(engine.definition.attributes["MAXHANDS"]):
        raise error(mq.MQRC_HANDLE_NOT_AVAILABLE, "MAXHANDS handles are open already")
    if existing is not None:
        _check_resumable(engine, connection, existing, request)
        word = "SUB" if options & mq.MQSO_ALTER else "RESUME"
        check_authority(engine, connection, existing, word, now, request)
        if options & mq.MQSO_ALTER:
            existing = alter(engine, existing, request, now)
        subscription = existing
    else:
        subscription = _create(engine, connection, request, now)
    subscription.resumed = now
    return _open(connection, subscription, options), existing is None


def _check_options(request: SubscribeRequest) -> None:
    options = request.options
    if options & ~KNOWN:
        raise error(mq.MQRC_OPTIONS_ERROR, f"unknown subscribe options {options & ~KNOWN:#x}")
    if not options & ACTIONS or options & ACTIONS in (ACTIONS, mq.MQSO_ALTER | mq.MQSO_RESUME):
        raise error(mq.MQRC_OPTIONS_ERROR, "give CREATE, ALTER or RESUME, or CREATE with one of the others")
    if options & mq.MQSO_WILDCARD_CHAR and options & mq.MQSO_WILDCARD_TOPIC:
        raise error(mq.MQRC_OPTIONS_ERROR, "wildcards are by character or by topic level, not both")
    if options & mq.MQSO_FIXED_USERID and options & mq.MQSO_ANY_USERID:
        raise error(mq.MQRC_OPTIONS_ERROR, "FIXED_USERID and ANY_USERID exclude each other")
    if options & mq.MQSO_PUBLICATIONS_ON_REQUEST and options & mq.MQSO_NEW_PUBLICATIONS_ONLY:
        raise error(
            mq.MQRC_OPTIONS_ERROR, "PUBLICATIONS_ON_REQUEST and NEW_PUBLICATIONS_ONLY exclude each other"
        )
    if not request.name and (options & mq.MQSO_DURABLE or not options & mq.MQSO_CREATE):
        raise error(mq.MQRC_SUB_NAME_ERROR, "a durable subscription, and one to alter or resume, has a name")
    name = request.name
    if len(name) > TOPIC_STRING_LENGTH or SEPARATOR in name or "\0" in name or not is_storable(name):
        raise error(mq.MQRC_SUB_NAME_ERROR, "a subscription's name is text without control characters")
    if bool(options & mq.MQSO_MANAGED) == bool(request.queue) and options & mq.MQSO_CREATE:
        raise error(
            mq.MQRC_INVALID_DESTINATION, "a subscription has a managed destination or a queue of the caller's"
        )
    if options & mq.MQSO_GROUP_SUB and (options & mq.MQSO_MANAGED or not request.correl_id):
        raise error(mq.MQRC_OPTIONS_ERROR, "GROUP_SUB needs a queue and a correlation id of the caller's")
    if request.level is not None and not 0 <= request.level <= 9:
        raise error(mq.MQRC_SUBLEVEL_NOT_ALTERABLE, f"a subscription's level is 0 to 9, not {request.level}")
    if request.persistence is not None and request.persistence not in PERSISTENCES:
        raise error(
            mq.MQRC_PERSISTENCE_ERROR, f"the persistence of copies is one of {', '.join(PERSISTENCES)}"
        )
    if request.properties is not None and request.properties not in PROPERTY_FORMS:
        raise error(mq.MQRC_OPTIONS_ERROR, f"properties go as one of {', '.join(PROPERTY_FORMS)}")


def _create(engine: Engine, connection: Connection, request: SubscribeRequest, now: float) -> Subscription:
    options = request.options
    if len(engine.pubsub.subscriptions) >= SUBSCRIPTIONS_MAX:
        raise error(mq.MQRC_RESOURCE_PROBLEM, f"there are {SUBSCRIPTIONS_MAX} subscriptions already")
    durable = bool(options & mq.MQSO_DURABLE)
    scheme = BY_CHARACTER if options & mq.MQSO_WILDCARD_CHAR else BY_TOPIC
    topic = topic_named(engine, request.topic_object, request.topic)
    pattern = parse_pattern(topic, scheme)
    settings = engine.pubsub.tree.settings_at(pattern.fixed)
    check_allowed(settings, topic, durable)
    destination = resolve(engine, request.queue, request.qmgr) if request.queue else None
    authorization.check_subscribe(engine, connection, pattern.fixed, "SUB", destination, now)
    values = defaults("SUB") | {
        "TOPICSTR": topic,
        "SUBID": engine.ids.next().hex().upper(),
        "SUBUSER": connection.user,
        "SUBTYPE": "API",
        "DURABLE": "YES" if durable else "NO",
        "WSCHEMA": scheme,
        "DESTCLAS": "MANAGED" if options & mq.MQSO_MANAGED else "PROVIDED",
    }
    if options & mq.MQSO_GROUP_SUB:
        values[GROUPED] = "YES"
    values.update(switches(options))
    values.update(_changes(engine, request))
    if request.queue:
        values["DEST"], values["DESTQMGR"] = _destination(engine, request, durable)
    name = request.name or SEPARATOR + str(values["SUBID"])
    if options & mq.MQSO_MANAGED:
        values["DEST"] = managed_queue(engine, settings, durable, now)
    engine.define("SUB", name, values, now)
    return engine.pubsub.subscriptions[name]


def check_authority(
    engine: Engine,
    connection: Connection,
    existing: Subscription,
    word: str,
    now: float,
    request: SubscribeRequest | None = None,
) -> None:
    """Raise 2035 when a user may not resume (RESUME), alter or remove (SUB) a subscription."""
    queue = request.queue if request is not None else ""
    destination = resolve(engine, queue, request.qmgr) if queue and request is not None else None
    authorization.check_subscribe(engine, connection, existing.pattern.fixed, word, destination, now)


def switches(options: int) -> dict[str, Any]:
    """Return the attributes that options decide and that are the same whatever the destination."""
    return {
        "VARUSER": "FIXED" if options & mq.MQSO_FIXED_USERID else "ANY",
        "REQONLY": "YES" if options & mq.MQSO_PUBLICATIONS_ON_REQUEST else "NO",
        "SUBSCOPE": "QMGR" if options & mq.MQSO_SCOPE_QMGR else "ALL",
    }


def _changes(engine: Engine, request: SubscribeRequest) -> dict[str, Any]:
    """Return the attributes that a request gives, as a definition holds them."""
    _check_texts(request)
    changes: dict[str, Any] = {}
    if request.selector is not None:
        if request.selector:
            compile_for(engine, request.selector)
        changes["SELECTOR"] = request.selector
    if request.correl_id is not None:
        if len(request.correl_id) > len(NO_ID):
            raise error(
                mq.MQRC_CORREL_ID_ERROR, f"an id of {len(request.correl_id)} bytes; {len(NO_ID)} are the most"
            )
        changes["DESTCORL"] = request.correl_id.ljust(len(NO_ID), b"\0").hex().upper()
    if request.level is not None:
        changes["SUBLEVEL"] = request.level
    if request.user_data is not None:
        if len(request.user_data) > TOPIC_STRING_LENGTH:
            raise error(
                mq.MQRC_SUB_USER_DATA_ERROR, f"user data has at most {TOPIC_STRING_LENGTH} characters"
            )
        changes["USERDATA"] = request.user_data
    if request.expiry is not None:
        changes["EXPIRY"] = _tenths(request.expiry)
    if request.priority is not None:
        if request.priority not in (*PRIORITIES.values(), *range(10)):
            raise error(
                mq.MQRC_PRIORITY_ERROR,
                f"a subscription's priority is 0 to 9, -1 or -3, not {request.priority}",
            )
        changes["PUBPRTY"] = {number: word for word, number in PRIORITIES.items()}.get(
            request.priority, request.priority
        )
    if request.persistence is not None:
        changes["PUBPSIST"] = request.persistence
    if request.properties is not None:
        changes["PSPROP"] = request.properties
    if request.accounting_token is not None:
        changes["PUBACCT"] = request.accounting_token.hex().upper()
    if request.appl_identity_data is not None:
        changes["PUBAPPID"] = request.appl_identity_data
    return changes


def _check_texts(request: SubscribeRequest) -> None:
    """Refuse texts that no journal or descriptor can hold, before anything is made."""
    for field, reason in (
        ("selector", mq.MQRC_SELECTOR_SYNTAX_ERROR),
        ("user_data", mq.MQRC_SUB_USER_DATA_ERROR),
        ("appl_identity_data", mq.MQRC_OPTIONS_ERROR),
    ):
        if not is_storable(getattr(request, field) or ""):
            raise error(reason, f"{field} of a subscription holds half of a surrogate pair")
    for field, length in LENGTHS.items():
        given = getattr(request, field) or b""
        if len(given.encode() if isinstance(given, str) else given) > length:
            raise error(mq.MQRC_OPTIONS_ERROR, f"{field} of a subscription has at most {length} bytes")


def _tenths(seconds: float) -> int:
    tenths = round(seconds * 10) if 0 < seconds <= EXPIRY_MAX_TENTHS else 0
    if not 0 < tenths <= EXPIRY_MAX_TENTHS:
        raise error(mq.MQRC_EXPIRY_ERROR, "a subscription's expiry is above 0 and at most 99999999.9 seconds")
    return tenths


def _destination(engine: Engine, request: SubscribeRequest, durable: bool) -> tuple[str, str]:
    route = resolve(engine, request.queue, request.qmgr)
    if route.queue is None or (route.first is not None and route.first.kind == "QMODEL"):
        raise error(
            mq.MQRC_INVALID_DESTINATION,
            f"{request.queue} is not a queue that takes publications",
            object=request.queue,
        )
    if durable:
        check_lasting(route.queue.temporary, request.queue)
    return request.queue, request.qmgr


def _check_resumable(
    engine: Engine, connection: Connection, existing: Subscription, request: SubscribeRequest
) -> None:
    options, name = request.options, existing.name
    if existing.handle is not None:
        raise error(mq.MQRC_SUBSCRIPTION_IN_USE, f"subscription {name} is in use", subscription=name)
    check_user(connection, existing)
    if bool(options & mq.MQSO_DURABLE) != existing.durable and options & mq.MQSO_CREATE:
        raise error(
            mq.MQRC_DURABILITY_NOT_ALTERABLE,
            f"subscription {name} is {'' if existing.durable else 'not '}durable",
        )
    if options & mq.MQSO_CREATE and bool(options & mq.MQSO_GROUP_SUB) != existing.grouped:
        raise error(
            mq.MQRC_GROUPING_NOT_ALTERABLE,
            f"subscription {name} is {'' if existing.grouped else 'not '}grouped",
        )
    if request.topic or request.topic_object:
        topic = topic_named(engine, request.topic_object, request.topic)
        if topic != existing.pattern.text:
            raise error(
                mq.MQRC_TOPIC_NOT_ALTERABLE,
                f"subscription {name} is to topic {existing.pattern.text}",
                subscription=name,
            )


def check_user(connection: Connection, existing: Subscription) -> None:
    """Raise 2434 when a subscription is one user's (VARUSER(FIXED)) and the connection another's."""
    attributes, name = existing.definition.attributes, existing.name
    if attributes["VARUSER"] == "FIXED" and attributes["SUBUSER"] != connection.user:
        raise error(
            mq.MQRC_IDENTITY_MISMATCH,
            f"subscription {name} belongs to {attributes['SUBUSER']}",
            subscription=name,
        )


def alter(engine: Engine, existing: Subscription, request: SubscribeRequest, now: float) -> Subscription:
    """Change the given attributes of a subscription; return the changed subscription."""
    if request.queue and existing.managed:
        raise error(
            mq.MQRC_DEST_CLASS_NOT_ALTERABLE,
            f"subscription {existing.name} has a managed destination",
            name=existing.name,
        )
    if request.level is not None and request.level != existing.level:
        raise error(
            mq.MQRC_SUBLEVEL_NOT_ALTERABLE,
            f"the level of subscription {existing.name} cannot be altered",
            name=existing.name,
        )
    changes = _changes(engine, request)
    if request.queue:
        changes["DEST"], changes["DESTQMGR"] = _destination(engine, request, existing.durable)
    engine.alter(existing.definition, changes, now)
    return engine.pubsub.subscriptions[existing.name]


def _open(connection: Connection, subscription: Subscription, options: int) -> Handle:
    handle = Handle(connection, connection.next_handle, subscription.name, options, subscription.definition)
    handle.subscription = subscription
    connection.next_handle += 1
    connection.handles[handle.number] = handle
    subscription.connection = connection
    subscription.handle = handle
    return handle


# -- the end of a subscription ---------------------------------------------------------------


def release(handle: Handle) -> None:
    """Close a handle and leave its subscription as it is, durable or not."""
    subscription = handle.subscription
    handle.closed = True
    handle.connection.handles.pop(handle.number, None)
    if subscription.handle is handle:
        subscription.handle = subscription.connection = None


def close(engine: Engine, handle: Handle, options: int, now: float) -> None:
    """Close a subscription's handle: a non-durable one is removed, a durable one on request."""
    subscription = handle.subscription
    if options & ~(mq.MQCO_KEEP_SUB | mq.MQCO_REMOVE_SUB | mq.MQCO_QUIESCE):
        raise error(mq.MQRC_OPTION_NOT_VALID_FOR_TYPE, "a subscription is closed with KEEP_SUB or REMOVE_SUB")
    if options & mq.MQCO_KEEP_SUB and (options & mq.MQCO_REMOVE_SUB or not subscription.durable):
        raise error(mq.MQRC_OPTIONS_ERROR, "KEEP_SUB is for durable subscriptions, and excludes REMOVE_SUB")
    if handle.delivery is not None:
        handle.delivery.end(now)
    release(handle)
    if not subscription.removed and (not subscription.durable or options & mq.MQCO_REMOVE_SUB):
        remove(engine, subscription, now)


def remove(engine: Engine, subscription: Subscription, now: float) -> None:
    """Remove a subscription, with its managed queue and the messages on it."""
    definitions.delete_unchecked(engine, subscription.definition)
    release_queue(engine, subscription, now)


def release_queue(engine: Engine, subscription: Subscription, now: float) -> None:
    """Remove the managed queue of a subscription that is gone."""
    queue = subscription.queue
    if subscription.managed and queue is not None and not queue.deleted:
        engine.remove_queue(queue, now)
