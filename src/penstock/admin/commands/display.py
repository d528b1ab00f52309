"""DISPLAY of objects: QMGR, queues, channels, processes, namelists, listeners, topics, subscriptions ...

Rows are made one at a time, so that a display of very many objects needs little memory. An exact name
without attributes shows all of them; a generic name shows what identifies each object.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.admin import command_authority, replies
from penstock.admin.rows import row
from penstock.qmgr.catalogue.attributes import QUEUE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from penstock.admin.context import Context
    from penstock.admin.replies import Pause, Reply
    from penstock.admin.where import Filter
    from penstock.qmgr.catalogue.attributes import Value
    from penstock.qmgr.objects import Definition

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
        """Return whether a full row passes WHERE and the selectors."""
        return all(each.matches(found) for each in self.filters) and all(
            found.get(name) == value for name, value in self.selectors.items()
        )

    @property
    def plain(self) -> bool:
        """Whether every object of the name is shown, so that no full row is needed to decide."""
        return not self.filters and not self.selectors


def display(
    context: Context,
    noun: str,
    kinds: tuple[str, ...],
    wish: Wish,
    *,
    subtype: str = "",
    as_defined: bool = False,
) -> Iterator[Reply | Pause]:
    """Show objects of some kinds."""
    name = wish.name
    command_authority.check(context, "DISPLAY", noun, name, subtype)
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


def display_qmgr(context: Context, wanted: set[str] | None = None) -> Iterator[Reply]:
    """Show the queue manager's own attributes; all of them for None."""
    command_authority.check(context, "DISPLAY", "QMGR")
    yield replies.displayed("QMGR", row(context.engine, context.qmgr(), wanted, context.now))


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


def _show_as_defined(shown: dict[str, Value], definition: Definition) -> None:
    if "TOPICSTR" in shown:
        shown["TOPICSTR"] = definition.attributes["TOPICSTR"]
    shown["DISTYPE"] = "DEFINED"


_SPACES = dict.fromkeys(QUEUE_KINDS, ("QUEUE",)) | {"CHANNEL": ("CHANNEL", "CLNTCONN")}
