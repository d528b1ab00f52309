"""The words of SET AUTHREC and DELETE AUTHREC."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.admin.commands import set_authrec
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.values import drop_tolerated, read_value
from penstock.qmgr.catalogue.attributes import catalogue
from penstock.qmgr.catalogue.authority import OBJECT_TYPES, authorities_of

if TYPE_CHECKING:
    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command, Parameter

WORDS = ("PROFILE", "OBJTYPE", "PRINCIPAL", "GROUP", "AUTHADD", "AUTHRMV", "SERVCOMP")
QMGR_PROFILE = "self"


def read_set_authrec(command: Command, context: Context) -> Action:
    """Read SET AUTHREC."""
    parameters = Parameters(command)
    profile, object_type, entities = _record(command, parameters)
    adding = _authorities(object_type, parameters.take("AUTHADD"))
    removing = _authorities(object_type, parameters.take("AUTHRMV"))
    _rest(parameters)
    if adding is None and removing is None:
        raise command.name.fault("SET AUTHREC needs AUTHADD( list ) or AUTHRMV( list )")
    return partial(
        set_authrec.set_authrec,
        profile=profile,
        object_type=object_type,
        entities=entities,
        adding=adding or frozenset(),
        removing=removing or frozenset(),
    )


def read_delete_authrec(command: Command, context: Context) -> Action:
    """Read DELETE AUTHREC."""
    parameters = Parameters(command)
    profile, object_type, entities = _record(command, parameters)
    _rest(parameters)
    return partial(set_authrec.delete_authrec, profile=profile, object_type=object_type, entities=entities)


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
