"""DEFINE: make an object, from the given attributes, LIKE another, or the SYSTEM.DEFAULT object of its kind.

With REPLACE every attribute is set again; messages stay. The attributes passed to the engine are complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.commands import group_objects
from penstock.admin.commands.alter import typo_note
from penstock.admin.commands.values import check_required, contradiction
from penstock.admin.notes import notes_on, warnings_about
from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.qmgr.catalogue.attributes import (
    SUBTYPE_ATTRIBUTE,
    Value,
    ValueRefused,
    catalogue,
    check_name,
    defaults,
)
from penstock.qmgr.catalogue.system_objects import born_as, default_object
from penstock.qmgr.objects import namespace_of
from penstock.qmgr.pubsub.subscription_definitions import defined_again
from penstock.qmgr.sharing import structures

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.admin.context import Context
    from penstock.admin.replies import Pause, Reply


def define(
    context: Context,
    kind: str,
    name: str,
    given: Mapping[str, Value],
    *,
    subtype: str = "",
    like: str = "",
    replace: bool = False,
    notes: Sequence[str] = (),
) -> Iterator[Reply | Pause]:
    """Make an object; `given` are attributes that were checked."""
    if why := refusal_of(kind, name, given, subtype, like):
        raise error(mq.MQRCCF_PARM_MISSING, why, object=name)
    name = _checked_name(kind, name)
    command_authority.check_define(context, kind, name, given, subtype, like, replace)
    if given.get("SELECTOR"):
        yield replies.Compile(str(given["SELECTOR"]))

    space = namespace_of(kind, {"CHLTYPE": subtype})
    topic_given = bool(given.keys() & {"TOPICOBJ", "TOPICSTR"})
    base = _base(context, kind, subtype, name, space, like, topic_given)
    if base is None:
        yield replies.not_found(like)
        return
    values = {**base, **given}
    if kind == "SUB" and values["DESTCLAS"] == "MANAGED" and "DEST" not in given:
        values["DEST"] = ""  # that of LIKE is another's
    if kind == "CFSTRUCT":
        values = structures.completed(given, values)
    check_required(kind, subtype, name, values)
    group_objects.check(context, kind, values)
    wrong = contradiction(kind, values) or _other_type(context, space, name, subtype if replace else "")
    if wrong is not None:
        yield wrong
        return
    if replace:
        _keep_secrets(context, kind, space, name, given, values)
    new = context.engine.objects.find(space, name) is None
    typo = typo_note(context, given)
    kept = yield from group_objects.store(context, kind, name, values, new=not replace)
    if kept is not None:
        existing = context.engine.objects.find(space, name)
        copied = (
            existing is not None and existing.attributes.get("QSGDISP") == "COPY"
        )  # by the group's thread
        context.engine.define(kind, name, kept, context.now, replace=replace or (new and copied))
    if kind == "SUB" and new:
        yield from _give_retained(context, name)
    told = [*notes, *notes_on(kind, subtype, name, given), *warnings_about(kind, subtype, name, values)]
    told += typo
    yield replies.done(kind, replies.CREATED).with_notes(told)


def _checked_name(kind: str, name: str) -> str:
    try:
        return check_name(kind, name)
    except ValueRefused as refusal:
        raise error(mq.MQRCCF_OBJECT_NAME_ERROR, refusal.detail, object=name) from refusal


def refusal_of(kind: str, name: str, given: Mapping[str, Value], subtype: str, like: str) -> str:
    """Return the missing attributes of a DEFINE as a text; empty if there are none."""
    if kind in SUBTYPE_ATTRIBUTE and not subtype:
        return f"DEFINE {kind} needs {SUBTYPE_ATTRIBUTE[kind]}( type )"
    if subtype and subtype not in catalogue(kind)[SUBTYPE_ATTRIBUTE[kind]].values:
        return f"{subtype} is no {SUBTYPE_ATTRIBUTE[kind]} of a {kind}"
    if kind == "TOPIC" and not given.get("TOPICSTR") and not like and born_as(kind, name) is None:
        return "DEFINE TOPIC needs TOPICSTR( string )"
    return ""


def _give_retained(context: Context, name: str) -> Iterator[Pause]:
    """Deliver retained publications to a new subscription; those that its queue refuses are not delivered."""
    engine = context.engine
    subscription = engine.pubsub.subscriptions.get(name)
    if subscription is None or subscription.on_request:
        return
    delivery = engine.pubsub.deliver_to(subscription, context.now)
    try:
        while not delivery.step(context.now):
            unread = engine.step.take_load()
            yield replies.Read(unread) if unread else replies.PAUSE
    except MQError:
        return
    except GeneratorExit:  # the script is abandoned, and the engine is not held
        engine.pubsub.left.append(delivery)
        raise


def _base(
    context: Context, kind: str, subtype: str, name: str, space: str, like: str, topic_given: bool
) -> dict[str, Value] | None:
    """Return the attributes to start from; None if LIKE names an unknown object."""
    complete = defaults(kind, subtype)
    source: Mapping[str, Value] | None
    model = default_object(kind, subtype)
    if like:
        found = context.engine.objects.find(space, like)
        if found is None or found.kind != kind or found.subtype != subtype:
            return None
        same_topic = kind == "SUB" and not topic_given
        source = defined_again(context.engine.objects, found) if same_topic else found.attributes
    elif name == model:
        source = born_as(kind, name)
    else:
        found = context.engine.objects.find(space, model)
        source = found.attributes if found is not None else None
    if source is not None:
        complete.update((key, value) for key, value in source.items() if key in complete)
    return complete


def _keep_secrets(
    context: Context, kind: str, space: str, name: str, given: Mapping[str, Value], values: dict[str, Value]
) -> None:
    """Keep a password that the command does not give: an exported script has none and must not remove it."""
    existing = context.engine.objects.find(space, name)
    if existing is None:
        return
    for key, attribute in catalogue(kind).items():
        if attribute.secret and key in values and key not in given:
            values[key] = existing.attributes.get(key, "")


def _other_type(context: Context, space: str, name: str, subtype: str) -> Reply | None:
    """Refuse to replace a channel or authentication information by one of another type."""
    existing = context.engine.objects.find(space, name) if subtype else None
    if existing is None or existing.subtype == subtype:
        return None
    text = f"Penstock object has different type: {name} is {existing.subtype}, not {subtype}."
    return replies.failed("AMQ8151E", text, mq.MQRC_OBJECT_TYPE_ERROR)
