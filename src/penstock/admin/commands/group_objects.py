"""DEFINE, ALTER and DELETE of what a queue-sharing group keeps: structures, shared queues, group objects.

The definition goes to the facility first, then into this engine; other members copy it. A group object
(QSGDISP(GROUP)) is a COPY in each member. Called by `define`, `alter` and `delete`, which do the local part.
Invariant: nothing is changed here unless the facility has it; without a group only defaults are accepted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.group import GroupObject, outside, required
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.catalogue.attributes import catalogue
from penstock.qmgr.objects import Definition, namespace_of
from penstock.qmgr.sharing import intra_group, structures
from penstock.qmgr.sharing.shared_queue import refusal
from penstock.qmgr.streams.stream_rules import check_streams

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.replies import Pause, Reply
    from penstock.qmgr.catalogue.attributes import Value

KEPT = ("SHARED", "GROUP")  # dispositions whose definition the facility has
SHARED_MODEL = "SHAREDYN"
OF_MEMBERS = {"CFCONLOS": "TOLERATE", "IGQ": "DISABLED", "IGQAUT": "DEF", "IGQUSER": ""}  # as without a group


def check(context: Context, kind: str, values: Mapping[str, Value]) -> None:
    """Raise what forbids attributes of a group: no group, an unknown structure, what contradicts."""
    if kind == "CFSTRUCT":
        required(context, "CFSTRUCT")
        if why := structures.refusal_of(values):
            raise error(mq.MQRCCF_ATTR_VALUE_ERROR, why)
        return
    if kind == "QMGR":
        for attribute, outside_value in OF_MEMBERS.items():
            if (value := values.get(attribute, outside_value)) != outside_value:
                required(context, f"{attribute}({value})")
        return
    disposition = str(values.get("QSGDISP", "QMGR"))
    if disposition != "QMGR":
        required(context, f"QSGDISP({disposition})")
    if kind not in ("QLOCAL", "QMODEL"):
        return
    structure, index = str(values.get("CFSTRUCT", "")), str(values.get("INDXTYPE", "NONE"))
    if structure:
        required(context, f"CFSTRUCT({structure})")
    if index != "NONE":
        required(context, f"INDXTYPE({index})")
    _check_queue(context, kind, values, disposition, structure, index)


def _check_queue(
    context: Context, kind: str, values: Mapping[str, Value], disposition: str, structure: str, index: str
) -> None:
    is_shared = disposition == "SHARED" or (kind == "QMODEL" and values.get("DEFTYPE") == SHARED_MODEL)
    if kind == "QMODEL" and disposition == "SHARED":
        raise _wrong("a model queue is not shared: DEFTYPE(SHAREDYN) makes queues that are")
    if is_shared and not structure:
        raise _wrong(f"QSGDISP({disposition}) needs CFSTRUCT( structure )")
    if not is_shared and disposition != "GROUP" and (structure or index != "NONE"):
        word = f"CFSTRUCT({structure})" if structure else f"INDXTYPE({index})"
        raise _wrong(f"{word} is for shared queues: give QSGDISP(SHARED)")
    if structure and context.engine.objects.find("CFSTRUCT", structure) is None:
        raise error(
            mq.MQRC_CF_STRUC_ERROR, f"structure {structure} is not defined: DEFINE CFSTRUCT", object=structure
        )
    if index == "MSGTOKEN":
        raise _wrong("INDXTYPE(MSGTOKEN) is refused: there are no message tokens")
    if is_shared and (why := refusal(values)):
        raise _wrong(why)


def _wrong(why: str) -> Exception:
    return error(mq.MQRCCF_ATTR_VALUE_ERROR, why)


def store(
    context: Context, kind: str, name: str, values: dict[str, Value], *, new: bool
) -> Generator[Reply | Pause, None, dict[str, Value] | None]:
    """Keep a definition in the facility if it is the group's.

    Return the attributes of the object that the engine is to keep; None if the group keeps it.
    """
    disposition = str(values.get("QSGDISP", "QMGR"))
    if kind == "CFSTRUCT":
        disposition = "SHARED"
        if why := structures.name_refusal(name, structures.NAME_LENGTH_MAX, "structure"):
            raise error(mq.MQRCCF_OBJECT_NAME_ERROR, why, object=name)
    if disposition == "COPY":
        raise _wrong("QSGDISP(COPY) is made by the group: define the object with QSGDISP(GROUP)")
    if disposition not in KEPT:
        return values
    if disposition == "SHARED" and (why := intra_group.refusal(name, values)):
        raise _wrong(why)
    group = required(context, f"QSGDISP({disposition})")
    own = context.engine.objects.find(namespace_of(kind, {}), name)
    if new and own is not None:
        raise error(mq.MQRC_OBJECT_ALREADY_EXISTS, f"{kind} {name} exists already", object=name)
    check_streams(context.engine, Definition(kind, name, values, 0, context.now, context.now), own)
    definition = GroupObject(kind, name, disposition, dict(values), altered=context.now)
    stored = yield from outside(lambda: group.store(definition, new=new))
    if disposition == "GROUP":
        return {**values, "QSGDISP": "COPY"}
    group.apply(stored)
    return None


def alter_group(
    context: Context, kind: str, name: str, changes: Mapping[str, Value]
) -> Generator[Reply | Pause, None, bool]:
    """Change a group object in the facility; False if the group has none of this name."""
    group = required(context, "QSGDISP(GROUP)")
    found = yield from outside(lambda: group.find(kind, name))
    if found is None or found.disposition != "GROUP":
        return False
    changed = GroupObject(kind, name, "GROUP", {**found.attributes, **changes, "QSGDISP": "GROUP"})
    check(context, kind, changed.attributes)
    yield from outside(lambda: group.store(changed, new=False))
    return True


def remove(
    context: Context, definition: Definition | None, kind: str, name: str, disposition: str, purge: bool
) -> Generator[Reply | Pause, None, bool]:
    """Remove a definition from the facility if it is the group's; return whether nothing is left here."""
    own = str(definition.attributes.get("QSGDISP", "QMGR")) if definition is not None else disposition
    if kind != "CFSTRUCT" and disposition != "GROUP" and own != "SHARED":
        return False
    group = required(context, f"DELETE {kind}({name})")
    if kind == "CFSTRUCT":
        _check_unused(context, name)
    yield from outside(lambda: group.remove(kind, name, purge=purge))
    if definition is None or definition.attributes.get("QSGDISP") == "COPY":
        return definition is None
    group.drop(kind, name)
    return True


def _check_unused(context: Context, structure: str) -> None:
    for each in context.engine.objects.all("QUEUE"):
        if each.attributes.get("CFSTRUCT") == structure:
            raise error(
                mq.MQRC_OBJECT_IN_USE, f"structure {structure} has queue {each.name}", object=structure
            )


def display_group(context: Context, kind: str, name: str) -> Iterator[Reply | Pause]:
    """Show group objects as the facility has them: DISPLAY ... QSGDISP(GROUP)."""
    group = required(context, "QSGDISP(GROUP)")
    found = yield from outside(lambda: group.matching(kind, name))
    shown = False
    for each in found:
        if each.disposition == "GROUP":
            shown = True
            head = {"QUEUE" if kind.startswith("Q") else kind: each.name}
            wanted = {key: each.attributes[key] for key in catalogue(kind) if key in each.attributes}
            yield replies.displayed(kind, {**head, **wanted})
    if not shown:
        yield replies.not_found(name)
