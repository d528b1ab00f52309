"""SET AUTHREC and DELETE AUTHREC: what users and groups may do with objects.

A record is one profile, one type of object and one user or group. Words that stand for several
authorities (ALL, ALLMQI, ALLADM) are stored as those they stand for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.commands.values import drop_tolerated, read_value
from penstock.admin.mqsc_parser import Parameters
from penstock.qmgr.attributes import catalogue
from penstock.qmgr.catalogue.authority import OBJECT_TYPES, authorities_of
from penstock.qmgr.objects import authority_record_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command, Parameter
    from penstock.admin.replies import Reply

WORDS = ("PROFILE", "OBJTYPE", "PRINCIPAL", "GROUP", "AUTHADD", "AUTHRMV", "SERVCOMP")
QMGR_PROFILE = "self"


def set_authrec(command: Command, context: Context) -> Iterator[Reply]:
    """Run SET AUTHREC."""
    parameters = Parameters(command)
    profile, object_type, entities = _record(command, parameters)
    adding = _authorities(object_type, parameters.take("AUTHADD"))
    removing = _authorities(object_type, parameters.take("AUTHRMV"))
    _rest(parameters)
    if adding is None and removing is None:
        raise command.name.fault("SET AUTHREC needs AUTHADD( list ) or AUTHRMV( list )")
    context.go()
    for entity_type, entity in entities:
        _change(
            context, profile, object_type, entity_type, entity, adding or frozenset(), removing or frozenset()
        )
    yield replies.done("AUTHREC", replies.CHANGED)


def delete_authrec(command: Command, context: Context) -> Iterator[Reply]:
    """Run DELETE AUTHREC."""
    parameters = Parameters(command)
    profile, object_type, entities = _record(command, parameters)
    _rest(parameters)
    context.go()
    for entity_type, entity in entities:
        name = authority_record_name(profile, object_type, entity_type, entity)
        found = context.engine.objects.find("AUTHREC", name)
        if found is None:
            yield replies.failed("AMQ8459E", f"Authority record for {profile} and {entity} not found.", 3171)
            return
        context.engine.delete(found, context.now)
    yield replies.done("AUTHREC", replies.DELETED)


def _record(command: Command, parameters: Parameters) -> tuple[str, str, list[tuple[str, str]]]:
    given = parameters.take("PROFILE")
    object_type = parameters.take_keyword("OBJTYPE", OBJECT_TYPES)
    if not object_type:
        raise command.name.fault(f"{command.verb} AUTHREC needs OBJTYPE( type )")
    profile = given.text.rstrip(" ") if given is not None else ""
    if object_type == "QMGR" and profile != "@class":
        profile = QMGR_PROFILE
    if not profile:
        raise command.name.fault(f"{command.verb} AUTHREC needs PROFILE( name )")
    if given is not None and len(profile) > catalogue("AUTHREC")["PROFILE"].length:
        raise given.value_fault("PROFILE has at most 48 characters")
    entities: list[tuple[str, str]] = []
    for entity_type in ("PRINCIPAL", "GROUP"):
        users = parameters.take(entity_type)
        entities += [(entity_type, word.text) for word in (users.values or () if users else ()) if word.text]
    if not entities:
        raise command.name.fault(f"{command.verb} AUTHREC needs PRINCIPAL( user ) or GROUP( name )")
    return profile, object_type, entities


def _authorities(object_type: str, parameter: Parameter | None) -> frozenset[str] | None:
    if parameter is None:
        return None
    words = read_value(catalogue("AUTHREC")["AUTHLIST"], parameter)
    assert isinstance(words, tuple)
    return authorities_of(object_type, words)


def _rest(parameters: Parameters) -> None:
    parameters.take("SERVCOMP")
    drop_tolerated(parameters)
    parameters.end(WORDS)


def _change(
    context: Context,
    profile: str,
    object_type: str,
    entity_type: str,
    entity: str,
    adding: frozenset[str],
    removing: frozenset[str],
) -> None:
    name = authority_record_name(profile, object_type, entity_type, entity)
    found = context.engine.objects.find("AUTHREC", name)
    before = found.attributes.get("AUTHLIST", ()) if found is not None else ()
    now = (frozenset(before) if isinstance(before, tuple) else frozenset()) | adding
    listed = tuple(sorted(now - removing))
    if found is not None:
        context.engine.alter(found, {"AUTHLIST": listed}, context.now)
        return
    values = {"PROFILE": profile, "ENTITY": entity, "ENTTYPE": entity_type, "OBJTYPE": object_type}
    context.engine.define("AUTHREC", name, {**values, "AUTHLIST": listed}, context.now)
