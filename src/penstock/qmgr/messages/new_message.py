"""The message of a put: descriptor, context, ids, properties, expiry and defaults, as the request asks for.

It refuses what a descriptor may not have, and changes nothing in the engine. Called by `putting`. Compiled
through `new_message.pxd`, as `putting` is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NEVER, NO_ID, NO_TOKEN, Descriptor, Message
from penstock.model.properties import check_properties
from penstock.model.rfh2 import READ_LENGTH_MAX, detach_properties
from penstock.qmgr.catalogue.attributes import custom_values
from penstock.qmgr.messages.descriptor_rules import check_descriptor, clean_fields, padded, priority_of
from penstock.qmgr.names.name_resolution import resolve_reply

if TYPE_CHECKING:
    from penstock.qmgr.connections import Connection, Handle
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.names.name_resolution import Route
    from penstock.qmgr.putting import PutRequest

IDENTITY = ("user_id", "accounting_token", "appl_identity_data")
ORIGIN = ("put_appl_type", "put_appl_name", "appl_origin_data")
EXPIRY_MAX_SECONDS = 99_999_999.9


def build(
    engine: Engine,
    connection: Connection,
    route: Route,
    request: PutRequest,
    now: float,
) -> tuple[Message, int]:
    """Make the message of a request; return it with a warning reason or 0."""
    priority, warning = _priority(engine, route, request.priority)
    properties = dict(request.properties) if request.properties else None
    if request.fields.get("format") == mq.MQFMT_RF_HEADER_2:
        properties = {**_rfh2_properties(request), **(properties or {})} or None
    message = Message(
        request.body,
        _msg_id(engine, request),
        _correl_id(engine, request),
        _persistent(route, request.persistent),
        priority,
        now,
        _expires_at(route, request.expiry, now),
        _descriptor(engine, connection, request),
        check_properties(properties) if properties else None,
    )
    message.put_time = _put_time(request, now)
    return message, warning


def _put_time(request: PutRequest, now: float) -> float:
    """When the message was put, for its context: the original's when all context is passed or set."""
    if request.options & mq.MQPMO_SET_ALL_CONTEXT and request.put_time is not None:
        return request.put_time
    if request.options & mq.MQPMO_PASS_ALL_CONTEXT and request.context_from is not None:
        passed = request.context_from.saved_context
        return passed.put_time if passed is not None else now
    return now


def _persistent(route: Route, wanted: bool | None) -> bool:
    if wanted is None:
        return route.default_persistent
    if wanted not in (True, False):
        raise error(mq.MQRC_PERSISTENCE_ERROR, f"persistent is True, False or None, not {wanted!r}")
    return bool(wanted)


def _rfh2_properties(request: PutRequest) -> dict[str, Any]:
    """Return the properties in the folders of an MQRFH2 body, for selectors; the body is not changed.

    Headers that would take long to read are data alone.
    """
    known = {"encoding", "ccsid", "format"}
    described = Descriptor(**{key: value for key, value in request.fields.items() if key in known})
    try:
        return detach_properties(request.body, described, READ_LENGTH_MAX)[0]
    except MQError:
        return {}


def _priority(engine: Engine, route: Route, wanted: int | None) -> tuple[int, int]:
    if wanted is None or wanted == mq.MQPRI_PRIORITY_AS_Q_DEF:
        return route.default_priority, 0
    return priority_of(wanted, engine.priority_max)


def _msg_id(engine: Engine, request: PutRequest) -> bytes:
    if request.msg_id is None or request.options & mq.MQPMO_NEW_MSG_ID:
        return engine.ids.next()
    given = padded(request.msg_id, "msg_id")
    return engine.ids.next() if given == NO_ID else given


def _correl_id(engine: Engine, request: PutRequest) -> bytes:
    if request.options & mq.MQPMO_NEW_CORREL_ID:
        return engine.ids.next()
    return NO_ID if request.correl_id is None else padded(request.correl_id, "correl_id")


def _expires_at(route: Route, expiry: float | None, now: float) -> float:
    if expiry is not None and not (isinstance(expiry, int | float) and 0 < expiry <= EXPIRY_MAX_SECONDS):
        raise error(
            mq.MQRC_EXPIRY_ERROR,
            f"an expiry of {expiry} seconds is not above 0 and at most {EXPIRY_MAX_SECONDS}",
        )
    caps = [cap for cap in map(expiry_cap, route.path) if cap is not None]
    if expiry is not None:
        caps.append(expiry)
    return now + min(caps) if caps else NEVER


def expiry_cap(definition: Any) -> float | None:
    """Return the longest life, in seconds, that a definition allows: CAPEXPRY, as attribute or in CUSTOM."""
    caps = [definition.attributes.get("CAPEXPRY")]
    custom = definition.attributes.get("CUSTOM", "")
    if "CAPEXPRY" in custom:
        caps.append(custom_values(custom).get("CAPEXPRY"))
    tenths = [int(cap) for cap in caps if cap is not None and str(cap).isdigit() and int(cap)]
    return min(tenths) / 10 if tenths else None


def _descriptor(engine: Engine, connection: Connection, request: PutRequest) -> Descriptor:
    fields = clean_fields(request.fields)
    options = request.options
    context = _context(connection, options, fields, request.context_from)
    if not fields and context is connection.context:
        return context
    descriptor = context.replace(**fields) if fields else context
    check_descriptor(descriptor)
    if descriptor.reply_to or descriptor.reply_to_qmgr:
        reply_to, reply_to_qmgr = resolve_reply(engine, descriptor.reply_to, descriptor.reply_to_qmgr)
        if options & mq.MQPMO_SUPPRESS_REPLYTO:
            reply_to = reply_to_qmgr = ""
        descriptor = descriptor.replace(reply_to=reply_to, reply_to_qmgr=reply_to_qmgr)
    if descriptor.ccsid == 0:
        descriptor = descriptor.replace(ccsid=engine.definition.attributes["CCSID"])
    return descriptor


def _context(
    connection: Connection, options: int, fields: dict[str, Any], source: Handle | None
) -> Descriptor:
    own = connection.context
    set_all = options & mq.MQPMO_SET_ALL_CONTEXT
    set_identity = options & (mq.MQPMO_SET_IDENTITY_CONTEXT | mq.MQPMO_SET_ALL_CONTEXT)
    for name in IDENTITY:
        if name in fields and not set_identity:
            del fields[name]
    for name in ORIGIN:
        if name in fields and not set_all:
            del fields[name]
    if options & mq.MQPMO_NO_CONTEXT or set_all:
        return Descriptor(encoding=own.encoding, ccsid=own.ccsid)
    if set_identity:
        return own.replace(user_id="", accounting_token=NO_TOKEN, appl_identity_data="")
    if not options & (mq.MQPMO_PASS_IDENTITY_CONTEXT | mq.MQPMO_PASS_ALL_CONTEXT):
        return own
    if source is None or source.closed or not source.has(mq.MQOO_SAVE_ALL_CONTEXT):
        raise error(
            mq.MQRC_CONTEXT_HANDLE_ERROR, "context is passed from a handle opened with SAVE_ALL_CONTEXT"
        )
    if source.saved_context is None:
        raise error(mq.MQRC_CONTEXT_NOT_AVAILABLE, "no message was got with that handle yet")
    passed = source.saved_context.descriptor
    names = IDENTITY + ORIGIN if options & mq.MQPMO_PASS_ALL_CONTEXT else IDENTITY
    return own.replace(**{name: getattr(passed, name) for name in names})
