"""What a DISPLAY is to show: ALL, WHERE, selectors and names of attributes or status fields."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.admin.commands.display import Wish
from penstock.admin.syntax import near
from penstock.admin.where import parse_where
from penstock.admin.words.values import drop_tolerated

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.admin.mqsc_parser import Command, Parameter, Parameters
    from penstock.qmgr.catalogue.attributes import Attribute

SELECTORS = ("TRPTYPE", "TYPE", "CHLTYPE", "AUTHTYPE", "SUBTYPE", "DURABLE", "SUBID", "QSGDISP")
IGNORED_WORDS = ("CLUSINFO", "SUMMARY")


def read_wish(name: str, parameters: Parameters, table: Mapping[str, Attribute]) -> Wish:
    """Read ALL, WHERE, selectors and attribute names."""
    disposition = parameters.take("QSGDISP") if "QSGDISP" in table else None
    drop_tolerated(parameters)
    if disposition is not None:
        parameters.put_back(disposition)
    everything = parameters.take_word("ALL")
    wish = Wish(name, name.endswith("*"))
    where = parameters.take("WHERE")
    if where is not None:
        wish.filters.append(parse_where(where, table.get, table))
    for word in IGNORED_WORDS:
        if word not in table:
            parameters.take_word(word)
    wanted = {wish.filters[0].attribute} if wish.filters else set[str]()
    named = False
    for parameter in parameters.rest():
        wanted.add(_wanted(parameter, table, wish))
        named = True
    wish.wanted = None if everything or not (named or wish.generic or wish.filters) else wanted
    return wish


def _wanted(parameter: Parameter, table: Mapping[str, Attribute], wish: Wish) -> str:
    name = parameter.name
    attribute = table.get(name) or next((each for each in table.values() if _called(each, name)), None)
    if attribute is None:
        raise parameter.fault(f"{name} cannot be displayed here", near(name, table))
    if parameter.values is None:
        return attribute.name
    if attribute.name not in SELECTORS:
        raise parameter.fault(f"DISPLAY takes {name} without a value; use WHERE({name} EQ ...) to choose")
    if parameter.text.upper() != "ALL":
        wish.selectors[attribute.name] = str(attribute.check(parameter.text))
    return attribute.name


def _called(attribute: Attribute, word: str) -> bool:
    return word in attribute.aliases or (attribute.kind == "flag" and word == "NO" + attribute.name)


def name_or_id(command: Command) -> str:
    """Return the name in a DISPLAY; SUBID instead selects among all subscriptions."""
    return "*" if command.name.values is None and with_value(command, "SUBID") else command.object_name


def with_value(command: Command, *names: str) -> str | None:
    """Return the first of some parameters that a command gives a value, or None."""
    for parameter in command.parameters:
        if parameter.name in names and parameter.values is not None:
            return parameter.name
    return None
