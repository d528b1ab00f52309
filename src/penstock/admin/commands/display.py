"""DISPLAY of objects: QMGR, queues, channels, processes, namelists, listeners, topics, subscriptions ...

Rows are made one at a time, so that a display of very many objects needs little memory. An exact name without
attributes shows all of them; a generic name shows what identifies each object.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.admin import replies
from penstock.admin.commands.values import drop_tolerated
from penstock.admin.mqsc_parser import Parameters
from penstock.admin.rows import row, table_of
from penstock.admin.syntax import near
from penstock.admin.where import Filter, parse_where
from penstock.qmgr.attributes import QUEUE_KINDS, SUBTYPE_ATTRIBUTE, catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.mqsc_parser import Command, Parameter
    from penstock.admin.replies import Pause, Reply
    from penstock.qmgr.attributes import Attribute, Value
    from penstock.qmgr.objects import Definition

SELECTORS = ("TRPTYPE", "TYPE", "CHLTYPE", "AUTHTYPE", "SUBTYPE", "DURABLE", "SUBID")
IGNORED_WORDS = ("CLUSINFO", "SUMMARY")
LOOKED_AT_MAX = 100  # objects passed over while the engine is held
QMGR_GROUPS = {
    "EVENT": "AUTHOREV CHADEV CHLEV CMDEV CONFIGEV INHIBTEV LOCALEV LOGGEREV PERFMEV REMOTEEV SSLEV STRSTPEV",
    "CHINIT": "CHAD CHADEV CHADEXIT CHLEV IPADDRV MONACLS MONCHL SSLEV SSLRKEYC STATACLS STATCHL",
    "CLUSTER": "CLWLDATA CLWLEXIT CLWLLEN CLWLMRUC CLWLUSEQ DEFCLXQ MONACLS REPOS REPOSNL STATACLS",
    "PUBSUB": "MAXMSGL PARENT PSCLUS PSMODE PSNPMSG PSNPRES PSRTYCNT PSSYNCPT TREELIFE",
    "SYSTEM": "ACCTCONO ACCTINT ACCTMQI ACCTQ ACTIVREC ACTVCONO ACTVTRC ALTDATE ALTTIME CCSID CERTLABL"
    " CHLAUTH CMDLEVEL COMMANDQ CONNAUTH DEADQ DEFXMITQ DESCR DISTL MAXHANDS MAXMSGL MAXPRTY MAXUMSGS MONQ"
    " PLATFORM QMID ROUTEREC SCMDSERV STATINT STATMQI STATQ SYNCPT TRIGINT VERSION",
}


@dataclass(slots=True)
class Wish:
    """The request of a DISPLAY."""

    name: str
    generic: bool
    wanted: set[str] | None = None
    filters: list[Filter] = field(default_factory=list)
    selectors: dict[str, str] = field(default_factory=dict)

    def keeps(self, found: Mapping[str, Value]) -> bool:
        """Say whether a full row passes WHERE and the selectors."""
        return all(each.matches(found) for each in self.filters) and all(
            found.get(name) == value for name, value in self.selectors.items()
        )

    @property
    def plain(self) -> bool:
        """Whether every object of the name is shown, so that no full row is needed to decide."""
        return not self.filters and not self.selectors


def display(command: Command, context: Context) -> Iterator[Reply | Pause]:
    """Run DISPLAY of objects other than QMGR."""
    kinds: tuple[str, ...] = QUEUE_KINDS if command.noun == "QUEUE" else (command.noun,)
    name = name_or_id(command)
    parameters = Parameters(command)
    kinds, subtype = _type_selector(command, kinds, parameters)
    table = table_of(kinds, subtype)
    as_defined = command.noun == "SUB" and _as_defined(command, parameters)
    wish = read_wish(name, parameters, table)
    context.go()

    found_any = False
    for place, definition in enumerate(find_all(context, kinds, name)):
        if definition is None or place % LOOKED_AT_MAX == LOOKED_AT_MAX - 1:
            yield replies.PAUSE
        if definition is None:
            continue
        if subtype and definition.subtype != subtype:
            continue
        shown = show(context, definition, wish)
        if shown is not None:
            found_any = True
            if as_defined:
                _show_as_defined(shown, definition)
            yield replies.displayed(definition.kind, shown)
    if not found_any:
        yield replies.not_found(name)


def display_qmgr(command: Command, context: Context) -> Iterator[Reply]:
    """Run DISPLAY QMGR."""
    parameters = Parameters(command)
    groups: set[str] = set()
    for group, members in QMGR_GROUPS.items():
        if parameters.take_word(group):
            groups.update(members.split())
    wish = read_wish("", parameters, catalogue("QMGR"))
    if groups and not wish.generic:
        wish.wanted = groups | (wish.wanted or set())
    context.go()
    definition = context.qmgr()
    yield replies.displayed("QMGR", row(context.engine, definition, wish.wanted, context.now))


def show(context: Context, definition: Definition, wish: Wish) -> dict[str, Value] | None:
    """Return the row to show for one object, or None if WHERE excludes it."""
    if wish.plain:
        return row(context.engine, definition, wish.wanted, context.now)
    needed = {each.attribute for each in wish.filters} | wish.selectors.keys()
    if not wish.keeps(row(context.engine, definition, needed, context.now)):
        return None
    return row(context.engine, definition, wish.wanted, context.now)


def find_all(context: Context, kinds: tuple[str, ...], name: str) -> Iterator[Definition | None]:
    """Yield the objects of some kinds that match a name, generic or not, as far as the user may see them.

    Yields None from time to time if there are many, so that the caller can pause.
    """
    objects = context.engine.objects
    spaces = _SPACES.get(kinds[0], (kinds[0],))
    for space in spaces:
        if name.endswith("*"):
            for place, definition in enumerate(objects.leafed(space, name[:-1])):
                if definition is None:
                    yield None
                elif definition.kind in kinds and context.may_see(space, definition.name):
                    yield definition
                elif place % LOOKED_AT_MAX == 0:
                    yield None
        else:
            found = objects.find(space, name)
            if found is not None and found.kind in kinds:
                yield found


def read_wish(name: str, parameters: Parameters, table: Mapping[str, Attribute]) -> Wish:
    """Read ALL, WHERE, selectors and attribute names."""
    drop_tolerated(parameters)
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


def _show_as_defined(shown: dict[str, Value], definition: Definition) -> None:
    if "TOPICSTR" in shown:
        shown["TOPICSTR"] = definition.attributes["TOPICSTR"]
    shown["DISTYPE"] = "DEFINED"


def name_or_id(command: Command) -> str:
    """Return the name in a DISPLAY; SUBID instead selects among all subscriptions."""
    return "*" if command.name.values is None and with_value(command, "SUBID") else command.object_name


def with_value(command: Command, *names: str) -> str | None:
    """Return the first of some parameters that a command gives a value, or None."""
    for parameter in command.parameters:
        if parameter.name in names and parameter.values is not None:
            return parameter.name
    return None


_SPACES = dict.fromkeys(QUEUE_KINDS, ("QUEUE",)) | {"CHANNEL": ("CHANNEL", "CLNTCONN")}
