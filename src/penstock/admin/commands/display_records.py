"""DISPLAY CHLAUTH, AUTHREC and ENTAUTH: records that have profiles instead of names.

Called by `runner`; `display` does the layout. It shows the records, or their effect for a user, and changes
nothing.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.channel_authentication.star_patterns import star_matches
from penstock.admin.commands.display import LOOKED_AT_MAX, show
from penstock.admin.commands.run_check import run_check
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.words.choice import read_wish
from penstock.admin.words.values import read_subtype
from penstock.model import constants as mq
from penstock.model.names import profile_matches
from penstock.qmgr.catalogue.attributes import catalogue
from penstock.qmgr.catalogue.authority import OBJECT_TYPES
from penstock.qmgr.objects import SEPARATOR

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command
    from penstock.admin.replies import Pause, Reply
    from penstock.qmgr.objects import Definition

MATCHES = ("GENERIC", "EXACT", "ALL", "RUNCHECK")
RULE_ORDER = ("SSLPEERMAP", "QMGRMAP", "USERMAP", "ADDRESSMAP", "BLOCKUSER", "BLOCKADDR")
CHOOSERS = ("ADDRESS", "CLNTUSER", "QMNAME", "SSLPEER", "SSLCERTI", "MCAUSER")
RECORD_MATCHES = ("PROFILE", "MEMBERSHIP", "EXACT")


def display_chlauth(command: Command, context: Context) -> Action:
    """Run DISPLAY CHLAUTH; the more specific profiles come first, in the order in which they are tried."""
    name = command.object_name
    parameters = Parameters(command)
    rule = read_subtype("CHLAUTH", parameters)
    match = parameters.take_keyword("MATCH", MATCHES, "GENERIC")
    chosen = {
        key: given.text for key in CHOOSERS if _has_value(command, key) and (given := parameters.take(key))
    }
    wish = read_wish(name, parameters, catalogue("CHLAUTH", rule))

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        if match == "RUNCHECK":
            yield from run_check(command, context, chosen, wish)
            return
        parts: list[list[Definition]] = [[]]  # each sorted: a sort of all of them would take long
        for place, each in enumerate(context.engine.objects.leafed("CHLAUTH", ""), 1):
            if (
                each is not None
                and _profile_fits(str(each.attributes["CHLAUTH"]), name, match)
                and (not rule or each.subtype == rule)
                and all(each.attributes.get(key) == value for key, value in chosen.items())
            ):
                parts[-1].append(each)
            if place % LOOKED_AT_MAX == 0:
                parts[-1].sort(key=_rule_order)
                parts.append([])
                yield replies.PAUSE
        parts[-1].sort(key=_rule_order)
        shown = False
        for definition in heapq.merge(*parts, key=_rule_order):
            visible = show(context, definition, wish)
            if visible is not None:
                shown = True
                yield replies.displayed("CHLAUTH", visible)
        if not shown:
            yield replies.failed(
                "AMQ8879E",
                f"Channel authentication record for {name} not found.",
                mq.MQRCCF_WRONG_CHLAUTH_TYPE,
            )

    return carry_out


def display_authrec(command: Command, context: Context) -> Action:
    """Run DISPLAY AUTHREC."""
    parameters = Parameters(command)
    given = parameters.take("PROFILE")
    profile = given.text if given is not None and given.values else ""
    object_type = parameters.take_keyword("OBJTYPE", (*OBJECT_TYPES, "ALL"), "ALL")
    entities = {
        kind: word.text for kind in ("PRINCIPAL", "GROUP") if (word := parameters.take(kind)) is not None
    }
    match = parameters.take_keyword("MATCH", RECORD_MATCHES, "PROFILE")
    parameters.take("SERVCOMP")
    wish = read_wish("*", parameters, catalogue("AUTHREC"))

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        shown = False
        for place, definition in enumerate(context.engine.objects.leafed("AUTHREC", "")):
            if definition is None or place % LOOKED_AT_MAX == LOOKED_AT_MAX - 1:
                yield replies.PAUSE
            if definition is None:
                continue
            values = definition.attributes
            if object_type not in ("ALL", values["OBJTYPE"]):
                continue
            if entities and entities.get(str(values["ENTTYPE"])) != values["ENTITY"]:
                continue
            if profile and not _record_fits(str(values["PROFILE"]), profile, match, str(values["OBJTYPE"])):
                continue
            visible = show(context, definition, wish)
            if visible is not None:
                shown = True
                yield replies.displayed("AUTHREC", visible)
        if not shown:
            yield replies.failed("AMQ8459E", "Authority record not found.", mq.MQRCCF_AUTH_VALUE_ERROR)

    return carry_out


def display_entauth(command: Command, context: Context) -> Action:
    """Run DISPLAY ENTAUTH: everything that a group, or a user with all groups, may do with one object."""
    parameters = Parameters(command)
    object_type = parameters.take_keyword("OBJTYPE", OBJECT_TYPES)
    entity_type = "PRINCIPAL"
    entity = parameters.take("PRINCIPAL")
    if entity is None:
        entity, entity_type = parameters.take("GROUP"), "GROUP"
    named = parameters.take("OBJNAME")
    parameters.take("SERVCOMP")
    parameters.take_word("ALL")
    parameters.end(("OBJTYPE", "OBJNAME", "PRINCIPAL", "GROUP"))
    if entity is None or not object_type:
        raise command.name.fault(
            "DISPLAY ENTAUTH needs PRINCIPAL( user ) or GROUP( name ), and OBJTYPE( type )"
        )
    name = named.text if named is not None else "self"

    def carry_out(context: Context) -> Iterator[Reply | Pause]:
        command_authority.check(context, command.verb, command.noun, command.given_name)
        found = context.engine.access.all_authorities(entity_type, entity.text, object_type, name)
        shown = {"ENTITY": entity.text, "ENTTYPE": entity_type, "OBJNAME": name, "OBJTYPE": object_type}
        yield replies.status("ENTAUTH", {**shown, "AUTHLIST": tuple(sorted(found)) or ("NONE",)})

    return carry_out


def _has_value(command: Command, name: str) -> bool:
    return any(each.name == name and each.values is not None for each in command.parameters)


def _profile_fits(profile: str, name: str, match: str) -> bool:
    if match == "EXACT":
        return profile == name
    if match == "ALL":
        return star_matches(profile, name) or star_matches(name, profile)
    return star_matches(name, profile)


def _rule_order(definition: Definition) -> tuple[str, int, str]:
    profile = str(definition.attributes["CHLAUTH"]).replace("*", "\x7f")
    return profile, RULE_ORDER.index(definition.subtype), definition.name.split(SEPARATOR, 1)[1]


def _record_fits(profile: str, asked: str, match: str, object_type: str) -> bool:
    if object_type == "QMGR" or profile == asked:
        return True
    return match != "EXACT" and profile_matches(profile, asked)
