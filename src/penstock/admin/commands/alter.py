"""ALTER: change only the given attributes.

The engine applies a change to queues and handles. `find`, which other commands use too, looks up an object
with its subtype. Invariant: nothing is changed before everything was accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.commands import group_objects
from penstock.admin.commands.values import check_required, contradiction
from penstock.admin.notes import notes_on
from penstock.model import constants as mq
from penstock.qmgr.catalogue.attributes import catalogue
from penstock.qmgr.objects import namespace_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from penstock.admin.context import Context
    from penstock.admin.replies import Pause, Reply
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.qmgr.objects import Definition

FIXED: dict[str, tuple[str, ...]] = {
    "TOPIC": ("TOPICSTR",),
    "SUB": ("TOPICSTR", "TOPICOBJ", "WSCHEMA", "SUBSCOPE", "DESTCLAS", "GROUPED"),
}


def alter(
    context: Context,
    kind: str,
    name: str,
    changes: Mapping[str, Value],
    *,
    subtype: str = "",
    force: bool = False,
    notes: Sequence[str] = (),
) -> Iterator[Reply | Pause]:
    """Change attributes of an object; `changes` were checked."""
    command_authority.check_alter(context, kind, name, changes, subtype)
    if changes.get("SELECTOR"):
        yield replies.Compile(str(changes["SELECTOR"]))
    if changes.get("QSGDISP") == "GROUP":
        if not (yield from group_objects.alter_group(context, kind, name, changes)):
            yield replies.not_found(name)
            return
        changes = {**changes, "QSGDISP": "COPY"}
    found = context.qmgr() if kind == "QMGR" else find(context, kind, name, subtype)
    if found is None:
        yield replies.not_found(name)
        return
    wrong = _refusal(found, subtype, changes)
    if wrong is not None:
        yield wrong
        return
    check_required(kind, found.subtype, found.name, changes)
    if found.kind == "CFSTRUCT" or found.attributes.get("QSGDISP") == "SHARED":
        merged = {**found.attributes, **changes}
        group_objects.check(context, kind, merged)
        yield from group_objects.store(context, kind, name, merged, new=False)
        yield replies.done(kind, replies.CHANGED)
        return
    group_objects.check(context, kind, {**found.attributes, **changes})
    typo = typo_note(context, changes)
    context.engine.alter(found, dict(changes), context.now, force=force)
    yield replies.done(kind, replies.CHANGED).with_notes(
        [*notes, *notes_on(kind, found.subtype, found.name, changes), *typo]
    )


def typo_note(context: Context, given: Mapping[str, Value]) -> list[str]:
    """Return a note about a new cluster whose name resembles that of a known one."""
    for name in ("CLUSTER", "REPOS"):
        cluster = str(given.get(name, ""))
        if meant := context.engine.clusters.likely_typo(cluster):
            return [f"{name}({cluster}) is a new cluster; did you mean {meant}?"]
    return []


def find(context: Context, kind: str, name: str, subtype: str = "") -> Definition | None:
    """Return the object of this kind and name; a client channel if no other channel has the name."""
    objects = context.engine.objects
    found = objects.find(namespace_of(kind, {"CHLTYPE": subtype}), name)
    if found is None and kind == "CHANNEL" and not subtype:
        found = objects.find("CLNTCONN", name)
    return found if found is not None and found.kind == kind else None


def _refusal(found: Definition, subtype: str, changes: Mapping[str, Value]) -> Reply | None:
    if subtype and found.subtype != subtype:
        text = f"Penstock object has different type: {found.name} is {found.subtype}, not {subtype}."
        return replies.failed("AMQ8151E", text, mq.MQRC_OBJECT_TYPE_ERROR)
    for name in FIXED.get(found.kind, ()):
        before = found.attributes.get(name, catalogue(found.kind)[name].default)
        if changes.get(name, before) != before:
            text = f"Attribute value error: {name} cannot be altered; delete and define {found.name} again."
            return replies.failed("AMQ8425E", text, mq.MQRCCF_ATTR_VALUE_ERROR)
    if not changes.keys() & {"REPOS", "REPOSNL", "CLUSTER", "CLUSNL"}:
        return None
    return contradiction(found.kind, {**found.attributes, **changes})
