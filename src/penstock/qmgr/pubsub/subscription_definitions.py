"""SUB definitions: completed and checked, and the `Subscription` that publishes see, made from one.

For subscriptions that administrators define, and for those of programs, which are stored in the same way.
`subscribing` has MQSUB.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.message import NO_ID
from penstock.qmgr import opening
from penstock.qmgr.names.name_resolution import resolve
from penstock.qmgr.pubsub.relation import key_of
from penstock.qmgr.pubsub.subscription import PROXY, Subscription
from penstock.qmgr.pubsub.topic_opening import topic_named
from penstock.qmgr.pubsub.topic_string import join, parse_pattern, stored_pattern
from penstock.qmgr.selectors.content_selection import compile_for, compile_kept

if TYPE_CHECKING:
    from penstock.qmgr.engine import Engine
    from penstock.qmgr.objects import Definition, Objects
    from penstock.qmgr.pubsub.topic_settings import TopicSettings

GROUPED = "GROUPED"  # YES for MQSO_GROUP_SUB
RESOLVED = "RESOLVED"  # the topic of a definition by TOPICOBJ, whatever becomes of that object
PRIORITIES = {"ASPUB": -3, "ASQDEF": -1}


def build(engine: Engine, definition: Definition) -> Subscription:
    """Make the subscription that a definition describes."""
    values: dict[str, Any] = dict(definition.attributes)
    pattern = stored_pattern(values.get(RESOLVED) or _topic_again(engine, values), values["WSCHEMA"])
    subscription = Subscription(definition, pattern, bytes.fromhex(values["SUBID"]))
    subscription.durable = values.get("DURABLE", "YES") == "YES"
    subscription.managed = values["DESTCLAS"] == "MANAGED"
    subscription.correl_id = _correl_id(values["DESTCORL"], subscription.id)
    subscription.user = values["SUBUSER"][:12]
    subscription.token = bytes.fromhex(values["PUBACCT"]).ljust(32, b"\0") if values["PUBACCT"] else None
    subscription.identity_data = values["PUBAPPID"]
    priority = values["PUBPRTY"]
    subscription.priority = PRIORITIES[priority] if isinstance(priority, str) else int(priority)
    subscription.level = int(values["SUBLEVEL"])
    subscription.selector = compile_kept(engine, values["SELECTOR"]) if values["SELECTOR"] else None
    subscription.properties = values["PSPROP"]
    subscription.user_data = values["USERDATA"]
    subscription.on_request = values["REQONLY"] == "YES"
    if isinstance(values["EXPIRY"], int) and values["EXPIRY"]:
        subscription.expires_at = definition.created + values["EXPIRY"] / 10
    if values["DESTQMGR"] in ("", engine.name):
        subscription.queue = engine.queues.get(values["DEST"])
    subscription.grouped = values.get(GROUPED) == "YES"
    subscription.plain = (
        subscription.selector is None
        and not subscription.grouped
        and not subscription.on_request
        and not subscription.expires_at
        and subscription.properties == "MSGPROP"
    )
    subscription.persistence = values.get("PUBPSIST", "ASPUB")
    subscription.dressed = bool(
        subscription.token or subscription.identity_data or subscription.user_data
    ) or (subscription.properties == "NONE" or subscription.persistence != "ASPUB")
    subscription.resumed = definition.altered
    if values.get("SUBTYPE") == PROXY:
        subscription.proxy, subscription.neighbour = True, key_of(definition)
    return subscription


def _topic_again(engine: Engine, values: dict[str, Any]) -> str:
    """Return the topic of a definition without a resolved topic string; a failure must not stop a start."""
    try:
        return topic_named(engine, values["TOPICOBJ"], values["TOPICSTR"])
    except MQError:
        return str(values["TOPICSTR"] or values["TOPICOBJ"])


def _correl_id(given: str, own: bytes) -> bytes | None:
    """Return what copies carry: a generated id when none is given, the publisher's when it is zeros."""
    if not given:
        return own
    value = bytes.fromhex(given).ljust(len(NO_ID), b"\0")
    return None if value == NO_ID else value


def complete(engine: Engine, name: str, given: dict[str, Any], now: float) -> dict[str, Any]:
    """Return the checked attributes of a SUB, with defaults filled in; a managed queue is created."""
    if given.get("SUBTYPE") == PROXY and given.get("SUBID"):
        return given  # made by `neighbours`, and complete
    if given["SELECTOR"]:
        compile_for(engine, given["SELECTOR"])
    existing = engine.objects.find("SUB", name)
    if existing is not None:
        _check_class(existing, given)
    _check_provided(engine, given, existing)
    if given.get(GROUPED) == "YES" and (given["DESTCLAS"] == "MANAGED" or not given["DESTCORL"]):
        raise error(mq.MQRC_OPTIONS_ERROR, f"GROUPED(YES) of {name} needs DEST and DESTCORL", object=name)
    if given.get("SUBTYPE") == "API":
        return given  # made here, and complete
    values = dict(given)
    topic = values[RESOLVED] = _topic_of(engine, values, existing)
    parsed = parse_pattern if existing is None else stored_pattern
    settings = engine.pubsub.tree.settings_at(parsed(topic, values["WSCHEMA"]).fixed)
    durable = values.get("DURABLE", "YES") == "YES"
    if existing is None:
        check_allowed(settings, topic, durable)
    values.setdefault("DURABLE", "YES")
    values.setdefault("SUBTYPE", "ADMIN")
    before = existing.attributes if existing is not None else {}
    values["SUBID"] = before.get("SUBID") or engine.ids.next().hex().upper()
    values["SUBUSER"] = values["SUBUSER"] or before.get("SUBUSER", "") or "penstock"
    if values["DESTCLAS"] == "MANAGED":
        managed = before.get("DESTCLAS") == "MANAGED"
        values["DEST"] = before["DEST"] if managed else managed_queue(engine, settings, durable, now)
    elif not values["DEST"]:
        raise error(
            mq.MQRC_INVALID_DESTINATION, f"subscription {name} needs DEST, or DESTCLAS(MANAGED)", object=name
        )
    return values


def _check_class(existing: Definition, given: dict[str, Any]) -> None:
    """Refuse to make a managed destination a provided one, or the other way: whose queue would it be?"""
    before, name = existing.attributes, existing.name
    managed = before["DESTCLAS"] == "MANAGED"
    elsewhere = managed and given["DEST"] not in ("", before["DEST"])
    if before["DESTCLAS"] != given["DESTCLAS"] or elsewhere:
        raise error(
            mq.MQRC_DEST_CLASS_NOT_ALTERABLE,
            f"the destination of {name} is {'' if managed else 'not '}managed; delete it first",
            name=name,
        )


def _check_provided(engine: Engine, given: dict[str, Any], existing: Definition | None) -> None:
    """Refuse a temporary queue as the new destination of a durable subscription; an unknown one may come."""
    if given["DESTCLAS"] == "MANAGED" or given.get("DURABLE", "YES") == "NO":
        return
    made_here = existing is None and given.get("SUBTYPE") == "API"  # and checked
    if made_here or (existing is not None and existing.attributes["DEST"] == given["DEST"]):
        return
    queue = None
    with suppress(MQError):
        queue = resolve(engine, str(given["DEST"]), str(given["DESTQMGR"])).queue
    if queue is not None:
        check_lasting(queue.temporary, str(given["DEST"]))


def _topic_of(engine: Engine, values: dict[str, Any], existing: Definition | None) -> str:
    """Return the topic of a definition: as first resolved, unless it names another."""
    if existing is not None and existing.attributes.get(RESOLVED):
        if all(existing.attributes[name] == values[name] for name in ("TOPICOBJ", "TOPICSTR")):
            return str(existing.attributes[RESOLVED])
    return topic_named(engine, values["TOPICOBJ"], values["TOPICSTR"])


def defined_again(objects: Objects, definition: Definition) -> dict[str, Any]:
    """Return attributes that mean the same topic in a new definition, whatever became of its TOPICOBJ."""
    values: dict[str, Any] = dict(definition.attributes)
    resolved = values.get(RESOLVED)
    if resolved and values["TOPICOBJ"]:
        found = objects.find("TOPIC", values["TOPICOBJ"])
        base = str(found.attributes.get("TOPICSTR", "")) if found is not None else None
        if base is None or join(base, values["TOPICSTR"]) != resolved:
            values["TOPICOBJ"], values["TOPICSTR"] = "", resolved
    return values


def check_allowed(settings: TopicSettings, topic: str, durable: bool) -> None:
    """Refuse a subscription that the topic does not allow."""
    if not settings.sub_enabled:
        raise error(mq.MQRC_SUB_INHIBITED, f"topic {topic} is SUB(DISABLED)", topic=topic)
    if durable and settings.values["DURSUB"] != "YES":
        raise error(mq.MQRC_DURABILITY_NOT_ALLOWED, f"topic {topic} is DURSUB(NO)", topic=topic)


def check_lasting(temporary: bool, queue: str) -> None:
    """Refuse a temporary queue as the destination of a durable subscription."""
    if temporary:
        raise error(
            mq.MQRC_DURABILITY_NOT_ALLOWED,
            f"a durable subscription outlives {queue}, which is temporary",
            object=queue,
        )


def managed_queue(engine: Engine, settings: TopicSettings, durable: bool, now: float) -> str:
    """Make the queue of a managed subscription from the topic's model; return its name."""
    model_name = str(settings.values["MDURMDL" if durable else "MNDURMDL"])
    model = engine.objects.find("QUEUE", model_name)
    if model is None or model.kind != "QMODEL":
        raise error(
            mq.MQRC_UNKNOWN_OBJECT_NAME, f"model queue {model_name} is not defined", object=model_name
        )
    if durable:
        check_lasting(model.attributes.get("DEFTYPE") == "TEMPDYN", model_name)
    pattern = f"SYSTEM.MANAGED.{'DURABLE' if durable else 'NDURABLE'}.*"
    return opening.make_dynamic(engine, model, pattern, now).resolved_queue
