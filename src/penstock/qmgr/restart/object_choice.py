"""Objects chosen by type and name, as rcdmqimg and rcrmqobj choose them: exact names, or with an asterisk.

Pure data: it looks through definitions and changes nothing. Media images and the recovery from them use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.catalogue.attributes import QUEUE_KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from penstock.qmgr.objects import Definition

ALL = "all"
_QUEUES = frozenset(QUEUE_KINDS)
# namespaces or kinds of queue, by MQ's words and their short forms
TYPES: dict[str, frozenset[str]] = {
    "authinfo": frozenset(("AUTHINFO",)),
    "channel": frozenset(("CHANNEL",)),
    "chl": frozenset(("CHANNEL",)),
    "clntconn": frozenset(("CLNTCONN",)),
    "clcn": frozenset(("CLNTCONN",)),
    "comminfo": frozenset(("COMMINFO",)),
    "listener": frozenset(("LISTENER",)),
    "lstr": frozenset(("LISTENER",)),
    "namelist": frozenset(("NAMELIST",)),
    "nl": frozenset(("NAMELIST",)),
    "process": frozenset(("PROCESS",)),
    "prcs": frozenset(("PROCESS",)),
    "qmgr": frozenset(("QMGR",)),
    "queue": _QUEUES,
    "q": _QUEUES,
    "qalias": frozenset(("QALIAS",)),
    "qa": frozenset(("QALIAS",)),
    "qlocal": frozenset(("QLOCAL",)),
    "ql": frozenset(("QLOCAL",)),
    "qmodel": frozenset(("QMODEL",)),
    "qm": frozenset(("QMODEL",)),
    "qremote": frozenset(("QREMOTE",)),
    "qr": frozenset(("QREMOTE",)),
    "service": frozenset(("SERVICE",)),
    "srvc": frozenset(("SERVICE",)),
    "sub": frozenset(("SUB",)),
    "topic": frozenset(("TOPIC",)),
    "top": frozenset(("TOPIC",)),
}
TYPES[ALL] = TYPES["*"] = frozenset().union(*TYPES.values())


def is_everything(names: Sequence[str], object_type: str) -> bool:
    """Return whether all objects are meant; 2043 for an unknown type."""
    return kinds_of(object_type) is TYPES[ALL] and (not names or "*" in names)


def kinds_of(object_type: str) -> frozenset[str]:
    """Return the namespaces and kinds of queue of a type; 2043 for an unknown one."""
    found = TYPES.get(object_type.lower())
    if found is None:
        known = ", ".join(sorted(word for word in TYPES if len(word) > 4 or word == ALL))
        raise error(mq.MQRC_OBJECT_TYPE_ERROR, f"{object_type} is no type of object: use one of {known}")
    return found


def chosen_objects(
    definitions: Iterable[Definition], names: Sequence[str], object_type: str = ALL
) -> list[Definition]:
    """Return the objects of a type that some name or pattern fits; 2085 for one that fits none."""
    kinds = kinds_of(object_type)
    candidates = [each for each in definitions if kinds & {each.namespace, each.kind}]
    found: dict[tuple[str, str], Definition] = {}
    for pattern in names or ("*",):
        fitting = [each for each in candidates if _fits(each.name, pattern)]
        if not fitting and names:
            what = "no object" if kinds is TYPES[ALL] else f"no {object_type.lower()}"
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, f"{what} has the name {pattern}", object=pattern)
        found |= {(each.namespace, each.name): each for each in fitting}
    return list(found.values())


def _fits(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern
