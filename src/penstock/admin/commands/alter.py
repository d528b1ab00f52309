"""ALTER: change only the given attributes.

Reads and checks; the engine applies a change to queues and handles. Called by `runner`. `find`, which other
commands use too, looks up an object with its subtype. Invariant: nothing is changed before every parameter
was accepted.
"""

from __future__ import annotations

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
from penstock.admin.notes import notes_on
from penstock.qmgr.attributes import catalogue
from penstock.qmgr.forcing import NEEDING_FORCE
from penstock.qmgr.objects import namespace_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply
    from penstock.qmgr.attributes import Value
    from penstock.qmgr.objects import Definition

FIXED: dict[str, tuple[str, ...]] = {
    "TOPIC": ("TOPICSTR",),
    "SUB": ("TOPICSTR", "TOPICOBJ", "WSCHEMA", "SUBSCOPE", "DESTCLAS", "GROUPED"),
}


def alter(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run ALTER."""
    kind = command.noun
    parameters = Parameters(command)
    name = "" if kind == "QMGR" else name_or_number(command, parameters, context)
    force = kind in NEEDING_FORCE and parameters.take_word("FORCE")
    if kind in NEEDING_FORCE:
        parameters.take_word("NOFORCE")
    drop_tolerated(parameters)
    notes = drop_tracing(kind, parameters)
    drop_topic_type(kind, parameters)
    subtype = read_subtype(kind, parameters)
    found = context.qmgr() if kind == "QMGR" else find(context, kind, name, subtype)
    changes = read_values(kind, subtype or (found.subtype if found else ""), parameters.rest())
    context.go()
    if changes.get("SELECTOR"):
        yield replies.Compile(str(changes["SELECTOR"]))
        found = find(context, kind, name, subtype)

    if found is None:
        yield replies.not_found(name)
        return
    wrong = _refusal(found, subtype, changes)
    if wrong is not None:
        yield wrong
        return
    context.engine.alter(found, changes, context.now, force=force)
    notes += notes_on(kind, found.subtype, found.name, changes)
    yield replies.done(kind, replies.CHANGED).with_notes(notes)


def name_or_number(command: Command, parameters: Parameters, context: Context) -> str:
    """Return the name of a command's object; a SUB may be identified by its SUBID instead, or as well."""
    number = parameters.take("SUBID") if command.noun == "SUB" else None
    if number is None:
        return command.object_name
    wanted = number.text.upper()
    given = command.object_name if command.name.values is not None else None
    for subscription in context.engine.pubsub.subscriptions.values():
        if subscription.definition.attributes["SUBID"] == wanted and given in (None, subscription.name):
            return str(subscription.definition.name)
    return f"SUBID({wanted})"


def find(context: Context, kind: str, name: str, subtype: str = "") -> Definition | None:
    """Return the object of this kind and name; a client channel if no other channel has the name."""
    objects = context.engine.objects
    found = objects.find(namespace_of(kind, {"CHLTYPE": subtype}), name)
    if found is None and kind == "CHANNEL" and not subtype:
        found = objects.find("CLNTCONN", name)
    return found if found is not None and found.kind == kind else None


def _refusal(found: Definition, subtype: str, changes: dict[str, Value]) -> Reply | None:
    if subtype and found.subtype != subtype:
        text = f"Penstock object has different type: {found.name} is {found.subtype}, not {subtype}."
        return replies.failed("AMQ8151E", text, 2043)
    for name in FIXED.get(found.kind, ()):
        before = found.attributes.get(name, catalogue(found.kind)[name].default)
        if changes.get(name, before) != before:
            text = f"Attribute value error: {name} cannot be altered; delete and define {found.name} again."
            return replies.failed("AMQ8425E", text, 4005)
    if not changes.keys() & {"REPOS", "REPOSNL", "CLUSTER", "CLUSNL"}:
        return None
    return contradiction(found.kind, {**found.attributes, **changes})
