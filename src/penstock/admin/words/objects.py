"""The words of DEFINE, ALTER, DELETE, CLEAR and of DISPLAY of objects.

Each function reads one command and returns what carries it out (`Action`); SyntaxFault contains the mistake
and its position. Reading changes nothing: the engine only supplies the type of an object whose attributes
are named.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.admin.commands import alter, clear, define, delete, display, display_clusters, group_objects
from penstock.admin.commands.display import QMGR_GROUPS
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.rows import table_of
from penstock.admin.words.choice import name_or_id, read_wish, with_value
from penstock.admin.words.values import (
    drop_tolerated,
    drop_topic_type,
    drop_tracing,
    read_disposition,
    read_subtype,
    read_values,
)
from penstock.qmgr.catalogue.attributes import (
    QUEUE_KINDS,
    SUBTYPE_ATTRIBUTE,
    ValueRefused,
    catalogue,
    check_name,
)
from penstock.qmgr.forcing import NEEDING_FORCE

if TYPE_CHECKING:
    from penstock.admin.context import Action, Context
    from penstock.admin.mqsc_parser import Command

YES_NO = ("NO", "YES")


def read_define(command: Command, context: Context) -> Action:
    """Read DEFINE."""
    kind = command.noun
    try:
        name = check_name(kind, command.object_name)
    except ValueRefused as refusal:
        raise command.name.value_fault(refusal.detail) from refusal
    parameters = Parameters(command)
    subtype = read_subtype(kind, parameters)
    if kind in SUBTYPE_ATTRIBUTE and not subtype:
        raise command.name.fault(define.refusal_of(kind, name, {}, subtype, ""))
    given_like = parameters.take("LIKE")
    like = given_like.text if given_like is not None else ""
    replace = parameters.take_word("REPLACE")
    parameters.take_word("NOREPLACE")
    drop_tolerated(parameters, kind)
    notes = drop_tracing(kind, parameters)
    drop_topic_type(kind, parameters)
    given = read_values(kind, subtype, parameters.rest())
    if why := define.refusal_of(kind, name, given, subtype, like):
        raise command.name.fault(why)
    return partial(
        define.define,
        kind=kind,
        name=name,
        given=given,
        subtype=subtype,
        like=like,
        replace=replace,
        notes=notes,
    )


def read_alter(command: Command, context: Context) -> Action:
    """Read ALTER."""
    kind = command.noun
    parameters = Parameters(command)
    name = "" if kind == "QMGR" else _name_or_number(command, parameters, context)
    force = kind in NEEDING_FORCE and parameters.take_word("FORCE")
    if kind in NEEDING_FORCE:
        parameters.take_word("NOFORCE")
    drop_tolerated(parameters, kind)
    notes = drop_tracing(kind, parameters)
    drop_topic_type(kind, parameters)
    subtype = read_subtype(kind, parameters)
    found = None if kind == "QMGR" else alter.find(context, kind, name, subtype)
    changes = read_values(kind, subtype or (found.subtype if found else ""), parameters.rest())
    return partial(
        alter.alter, kind=kind, name=name, changes=changes, subtype=subtype, force=force, notes=notes
    )


def read_delete(command: Command, context: Context) -> Action:
    """Read DELETE of anything but AUTHREC."""
    kind = command.noun
    parameters = Parameters(command)
    name = _name_or_number(command, parameters, context)
    subtype = read_subtype(kind, parameters)
    table = parameters.take_keyword("CHLTABLE", ("QMGRTBL", "CLNTTBL")) if kind == "CHANNEL" else ""
    purge = kind == "QLOCAL" and parameters.take_word("PURGE")
    if kind == "QLOCAL":
        parameters.take_word("NOPURGE")
    ignore = parameters.take_keyword("IGNSTATE", YES_NO) == "YES"
    records = parameters.take_keyword("AUTHREC", YES_NO, "YES") == "YES"
    disposition = read_disposition(kind, parameters)
    drop_tolerated(parameters, kind)
    drop_topic_type(kind, parameters)
    parameters.end(("PURGE", "NOPURGE", "IGNSTATE", "AUTHREC"))
    return partial(
        delete.delete,
        kind=kind,
        name=name,
        subtype=subtype,
        client_table=table == "CLNTTBL" if table else None,
        purge=purge,
        ignore_missing=ignore,
        records=records,
        disposition=disposition,
    )


def _name_or_number(command: Command, parameters: Parameters, context: Context) -> str:
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


def read_clear_queue(command: Command, context: Context) -> Action:
    """Read CLEAR QLOCAL."""
    name = command.object_name
    parameters = Parameters(command)
    drop_tolerated(parameters)
    parameters.end()
    return partial(clear.clear_queue, name=name)


def read_clear_topic(command: Command, context: Context) -> Action:
    """Read CLEAR TOPICSTR."""
    topic = command.name.text if command.name.values else command.object_name
    parameters = Parameters(command)
    drop_tolerated(parameters)
    kind = parameters.take_keyword("CLRTYPE", ("RETAINED",))
    scope = parameters.take_keyword("SCOPE", ("LOCAL", "GLOBAL"))
    parameters.end(("CLRTYPE",))
    if scope == "GLOBAL":
        raise command.name.fault("SCOPE(GLOBAL) is not supported: clear the topic at each queue manager")
    if not kind:
        raise command.name.fault("CLEAR TOPICSTR needs CLRTYPE( RETAINED )")
    return partial(clear.clear_topic, topic=topic)


def read_display(command: Command, context: Context) -> Action:
    """Read DISPLAY of objects other than QMGR."""
    kinds: tuple[str, ...] = QUEUE_KINDS if command.noun == "QUEUE" else (command.noun,)
    name = name_or_id(command)
    parameters = Parameters(command)
    kinds, subtype = _type_selector(command, kinds, parameters)
    if read_disposition(kinds[0], parameters, for_display=True) == "GROUP":
        parameters.rest()
        return partial(group_objects.display_group, kind=kinds[0], name=name)
    as_defined = command.noun == "SUB" and _as_defined(command, parameters)
    clustered = command.noun in ("QUEUE", "TOPIC") and any(
        each.name == "CLUSINFO" for each in command.parameters
    )
    if command.noun == "TOPIC" and with_value(command, "TYPE"):
        subtype = parameters.take_keyword("TYPE", ("LOCAL", "CLUSTER", "ALL"))
        clustered = clustered or subtype != "LOCAL"
    wish = read_wish(name, parameters, table_of(kinds, subtype))
    return partial(
        display_clusters.display_with_clusters if clustered else display.display,
        noun=command.noun,
        kinds=kinds,
        wish=wish,
        subtype=subtype if command.noun != "TOPIC" or clustered else "",
        as_defined=as_defined,
    )


def read_display_qmgr(command: Command, context: Context) -> Action:
    """Read DISPLAY QMGR."""
    parameters = Parameters(command)
    groups: set[str] = set()
    for group, members in QMGR_GROUPS.items():
        if parameters.take_word(group):
            groups.update(members.split())
    wish = read_wish("", parameters, catalogue("QMGR"))
    if groups and not wish.generic:
        wish.wanted = groups | (wish.wanted or set())
    return partial(display.display_qmgr, wanted=wish.wanted)


def _type_selector(
    command: Command, kinds: tuple[str, ...], parameters: Parameters
) -> tuple[tuple[str, ...], str]:
    """Read TYPE(QLOCAL), CHLTYPE(SDR) ...: the selected kinds of queue, or subtype."""
    noun = command.noun
    if noun == "QUEUE" or noun in QUEUE_KINDS:
        given = with_value(command, "TYPE", "QTYPE")
        if given is None:
            return kinds, ""
        word = parameters.take_keyword(given, (*QUEUE_KINDS, "ALL", "QUEUE"))
        return (kinds if word in ("ALL", "QUEUE") else (word,)), ""
    if noun not in SUBTYPE_ATTRIBUTE:
        return kinds, ""
    given = with_value(command, SUBTYPE_ATTRIBUTE[noun], "TYPE")
    if given is None:
        return kinds, ""
    types = catalogue(noun)[SUBTYPE_ATTRIBUTE[noun]].values
    word = parameters.take_keyword(given, (*types, "ALL"))
    return kinds, "" if word == "ALL" else word


def _as_defined(command: Command, parameters: Parameters) -> bool:
    """Read DISTYPE(DEFINED): topic strings as given, without the prefix of TOPICOBJ."""
    given = with_value(command, "DISTYPE")
    return given is not None and parameters.take_keyword(given, ("RESOLVED", "DEFINED")) == "DEFINED"
