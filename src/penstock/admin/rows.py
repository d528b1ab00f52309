"""From a definition to the row that DISPLAY shows: every attribute, in order, with its present value.

What is stored comes from the definition; dates, counts and status come from where they are known, and
only on request: a display of a million names reads nothing else from the engine.
"""

from __future__ import annotations

import time
from functools import lru_cache
from typing import TYPE_CHECKING

from penstock.qmgr.catalogue.attributes import QUEUE_KINDS, Attribute, Value, catalogue
from penstock.qmgr.catalogue.sharing import NAMES as OF_GROUPS
from penstock.qmgr.objects import SEPARATOR
from penstock.qmgr.pubsub.subscription_definitions import RESOLVED
from penstock.qmgr.selectors.content_selection import names_body

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from penstock.admin.context import Engine
    from penstock.model.status import QueueStatus
    from penstock.qmgr.objects import Definition

HIDDEN = "********"
DATES_KEPT = 4096
HEADS: dict[str, tuple[str, ...]] = dict.fromkeys(QUEUE_KINDS, ("QUEUE", "TYPE")) | {
    "QMGR": ("QMNAME",),
    "CHANNEL": ("CHANNEL", "CHLTYPE"),
    "TOPIC": ("TOPIC", "TYPE"),
    "SUB": ("SUBID", "SUB"),
    "AUTHINFO": ("AUTHINFO", "AUTHTYPE"),
    "AUTHREC": ("PROFILE", "ENTITY", "ENTTYPE", "OBJTYPE", "AUTHLIST"),
    "CHLAUTH": (
        *("CHLAUTH", "TYPE", "SSLPEER", "SSLCERTI", "ADDRESS", "CLNTUSER", "QMNAME"),
        *("ADDRLIST", "USERLIST", "MCAUSER", "USERSRC"),
    ),
}
STATUS_FIELDS = frozenset({"CURDEPTH", "IPPROCS", "OPPROCS"})


def row(
    engine: Engine, definition: Definition, wanted: Container[str] | None, now: float
) -> dict[str, Value]:
    """Return the row of one object: all attributes, or its head and those wanted."""
    kind = definition.kind
    table = catalogue(kind, definition.subtype)
    head = HEADS.get(kind) or (next(iter(table)),)
    stored = definition.attributes
    status: QueueStatus | None = None
    found: dict[str, Value] = {}
    for name, attribute in table.items():
        if wanted is not None and name not in head and name not in wanted:
            continue
        if wanted is None and name in OF_GROUPS and not _is_of_group(engine, definition):
            continue
        if name in STATUS_FIELDS:
            if status is None:
                status = engine.queue_status(definition.name, now)
            found[name] = getattr(status, name.lower())
            continue
        if name == "QSGNAME":
            found[name] = group_of(engine)
            continue
        maker = _MADE.get(name)
        if maker is not None:
            made = maker(definition)
            if made is not None:
                found[name] = made
                continue
        value = stored.get(name, attribute.default)
        found[name] = HIDDEN if attribute.secret and value else value
    if kind == "CHLAUTH":
        _drop_rule_fields(found)
    return found


def table_of(kinds: tuple[str, ...], subtype: str = "") -> dict[str, Attribute]:
    """Return the attributes of some kinds together; the first kind that has one describes it."""
    merged: dict[str, Attribute] = {}
    for kind in kinds:
        for name, attribute in catalogue(kind, subtype).items():
            merged.setdefault(name, attribute)
    return merged


@lru_cache(DATES_KEPT)
def date_of(second: int) -> str:
    """Return yyyy-mm-dd, in the machine's time zone."""
    return time.strftime("%Y-%m-%d", time.localtime(second))


@lru_cache(DATES_KEPT)
def time_of(second: int, separator: str = ".") -> str:
    """Return hh.mm.ss, in the machine's time zone."""
    return time.strftime(f"%H{separator}%M{separator}%S", time.localtime(second))


def group_of(engine: Engine) -> str:
    """Return the name of the queue manager's group; empty if it has none."""
    group = getattr(engine, "group", None)
    return str(group.name) if group is not None else ""


def _is_of_group(engine: Engine, definition: Definition) -> bool:
    """Return whether a display shows the attributes of groups: an object of one, or a member."""
    if definition.kind == "QMGR":
        return bool(group_of(engine))
    return definition.kind == "CFSTRUCT" or definition.attributes.get("QSGDISP", "QMGR") != "QMGR"


def _clock(definition: Definition, moment: float) -> str:
    return time_of(int(moment), ":" if definition.kind == "SUB" else ".")


def _own_name(definition: Definition) -> str:
    return definition.name.split(SEPARATOR, 1)[0]


def _subscription_id(definition: Definition) -> Value | None:
    if definition.kind != "SUB" or definition.attributes.get("SUBID"):
        return None
    return f"414D5120{definition.id:040X}"


def _type(definition: Definition) -> Value | None:
    return definition.kind if definition.kind in QUEUE_KINDS else None


def _name_count(definition: Definition) -> Value | None:
    names = definition.attributes.get("NAMES", ())
    return len(names) if isinstance(names, tuple) else 0


def _authorities(definition: Definition) -> Value | None:
    return definition.attributes.get("AUTHLIST") or ("NONE",)


def _topic(definition: Definition) -> Value | None:
    return definition.attributes.get(RESOLVED) or None


def _selection(definition: Definition) -> Value | None:
    selector = str(definition.attributes.get("SELECTOR", ""))
    if not selector:
        return "NONE"
    return "EXTENDED" if names_body(selector) else "STANDARD"


def _named(kind: str) -> Callable[[Definition], Value | None]:
    return lambda definition: _own_name(definition) if definition.kind == kind else None


_MADE: dict[str, Callable[[Definition], Value | None]] = (
    {
        "ALTDATE": lambda definition: date_of(int(definition.altered)),
        "ALTTIME": lambda definition: _clock(definition, definition.altered),
        "CRDATE": lambda definition: date_of(int(definition.created)),
        "CRTIME": lambda definition: _clock(definition, definition.created),
        "TYPE": _type,
        "NAMCOUNT": _name_count,
        "AUTHLIST": _authorities,
        "SELTYPE": _selection,
        "TOPICSTR": _topic,
        "SUBID": _subscription_id,
        "QUEUE": lambda definition: definition.name,
        "QMNAME": _named("QMGR"),
    }
    | {
        kind: _named(kind)
        for kind in (
            "CHANNEL",
            "PROCESS",
            "NAMELIST",
            "LISTENER",
            "TOPIC",
            "SUB",
            "AUTHINFO",
            "SERVICE",
            "COMMINFO",
        )
    }
    | {"CHLAUTH": _named("CHLAUTH"), "CFSTRUCT": _named("CFSTRUCT")}
)


def _drop_rule_fields(found: dict[str, Value]) -> None:
    """Remove attributes that a rule of this kind does not have: a mapping has no WARN, a refusal no user."""
    blocking = found["TYPE"] in ("BLOCKUSER", "BLOCKADDR")
    refusing = found.get("USERSRC") == "NOACCESS"
    if not (blocking or refusing):
        found.pop("WARN", None)
    if refusing:
        found.pop("CHCKCLNT", None)
    if found.get("USERSRC") != "MAP":
        found.pop("MCAUSER", None)
    if not found.get("SSLCERTI"):
        found.pop("SSLCERTI", None)
