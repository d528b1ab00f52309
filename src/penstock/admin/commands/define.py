"""DEFINE: make an object, from the given attributes, LIKE another, or the SYSTEM.DEFAULT object of its kind.

With REPLACE every attribute is set again; messages stay. The attributes passed to the engine are complete.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.commands.values import (
    contradiction,
    drop_tolerated,
    drop_topic_type,
    drop_tracing,
    read_subtype,
    read_values,
)
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.notes import notes_on, warnings_about
from penstock.model.errors import MQError
from penstock.qmgr.attributes import SUBTYPE_ATTRIBUTE, Value, ValueRefused, catalogue, check_name, defaults
from penstock.qmgr.objects import namespace_of
from penstock.qmgr.pubsub.subscribing import defined_again
from penstock.qmgr.system_objects import born_as, default_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply

READS_MAX = 10  # of bodies that are spilled again before they are sent


def define(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run DEFINE."""
    kind = command.noun
    name = checked_name(command)
    parameters = Parameters(command)
    subtype = read_subtype(kind, parameters)
    if kind in SUBTYPE_ATTRIBUTE and not subtype:
        needed = SUBTYPE_ATTRIBUTE[kind]
        raise command.name.fault(f"DEFINE {kind} needs {needed}( type )")
    like = parameters.take("LIKE")
    replace = parameters.take_word("REPLACE")
    parameters.take_word("NOREPLACE")
    drop_tolerated(parameters)
    notes = drop_tracing(kind, parameters)
    drop_topic_type(kind, parameters)
    given = read_values(kind, subtype, parameters.rest())
    if kind == "TOPIC" and not given.get("TOPICSTR") and like is None and born_as(kind, name) is None:
        raise command.name.fault("DEFINE TOPIC needs TOPICSTR( string )")
    context.go()
    if given.get("SELECTOR"):
        yield replies.Compile(str(given["SELECTOR"]))

    space = namespace_of(kind, {"CHLTYPE": subtype})
    topic_given = bool(given.keys() & {"TOPICOBJ", "TOPICSTR"})
    base = _base(context, kind, subtype, name, space, like.text if like else "", topic_given)
    if base is None:
        yield replies.not_found(like.text if like else name)
        return
    values = base | given
    if kind == "SUB" and values["DESTCLAS"] == "MANAGED" and "DEST" not in given:
        values["DEST"] = ""  # that of LIKE is another's
    wrong = contradiction(kind, values) or _other_type(context, space, name, subtype if replace else "")
    if wrong is not None:
        yield wrong
        return
    if replace:
        _keep_secrets(context, kind, space, name, given, values)
    new = context.engine.objects.find(space, name) is None
    context.engine.define(kind, name, values, context.now, replace=replace)
    if kind == "SUB" and new:
        yield from _give_retained(context, name)
    notes += notes_on(kind, subtype, name, given)
    notes += warnings_about(kind, subtype, name, values)
    yield replies.done(kind, replies.CREATED).with_notes(notes)


def _give_retained(context: Context, name: str) -> Iterator[Pause]:
    """Deliver retained publications to a new subscription; what its queue refuses stays undelivered."""
    engine = context.engine
    subscription = engine.pubsub.subscriptions.get(name)
    if subscription is None or subscription.on_request:
        return
    held = engine.pubsub.retained_for(subscription, context.now)
    with suppress(MQError):
        for _ in range(READS_MAX):
            if subscription.removed or engine.pubsub.send_retained(subscription, context.now, held=held) >= 0:
                return
            yield replies.Read(engine.step.take_load() or [])


def checked_name(command: Command) -> str:
    """Return the name of a command's object, checked for its kind."""
    try:
        return check_name(command.noun, command.object_name)
    except ValueRefused as refusal:
        raise command.name.value_fault(refusal.detail) from refusal


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
    context: Context, kind: str, space: str, name: str, given: dict[str, Value], values: dict[str, Value]
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
    return replies.failed("AMQ8151E", text, 2043)
