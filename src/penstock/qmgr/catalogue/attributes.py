"""The catalogue of objects: which attributes each kind has, and which names are allowed.

`catalogue(kind, subtype)` is the one lookup for all: the engine uses it to inquire and set by number,
`admin` to parse, fill in and display. A subtype is a channel's CHLTYPE, an AUTHINFO's AUTHTYPE or a
CHLAUTH's TYPE; without it the answer covers all of them. The tables are constants; nothing here keeps
state, and nothing here knows which objects exist.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache

from penstock.model import constants as mq
from penstock.model.limits import CHANNEL_NAME_LENGTH, TOPIC_STRING_LENGTH
from penstock.qmgr.catalogue import authority, channels, programs, queue_manager, queues, sharing, topics
from penstock.qmgr.catalogue.attribute import NAME_CHARACTERS, Attribute, Value, ValueRefused, refused

__all__ = [
    "KINDS",
    "QUEUE_KINDS",
    "SUBTYPE_ATTRIBUTE",
    "Attribute",
    "Value",
    "ValueRefused",
    "attribute_called",
    "by_number",
    "catalogue",
    "check_name",
    "custom_values",
    "defaults",
    "refused",
]

QUEUE_KINDS = ("QLOCAL", "QALIAS", "QREMOTE", "QMODEL")

_TABLES: dict[str, tuple[Attribute, ...]] = {
    "QMGR": queue_manager.QMGR,
    "QLOCAL": queues.QLOCAL,
    "QALIAS": queues.QALIAS,
    "QREMOTE": queues.QREMOTE,
    "QMODEL": queues.QMODEL,
    "PROCESS": programs.PROCESS,
    "NAMELIST": programs.NAMELIST,
    "CHANNEL": channels.CHANNEL,
    "LISTENER": programs.LISTENER,
    "TOPIC": topics.TOPIC,
    "SUB": topics.SUB,
    "AUTHINFO": authority.AUTHINFO,
    "AUTHREC": authority.AUTHREC,
    "CHLAUTH": authority.CHLAUTH,
    "SERVICE": programs.SERVICE,
    "COMMINFO": topics.COMMINFO,
    "CFSTRUCT": sharing.CFSTRUCT,
}
KINDS = tuple(_TABLES)
SUBTYPE_ATTRIBUTE = {"CHANNEL": "CHLTYPE", "AUTHINFO": "AUTHTYPE", "CHLAUTH": "TYPE"}
NAME_LENGTHS = {
    "CFSTRUCT": 12,
    "CHANNEL": CHANNEL_NAME_LENGTH,
    "CHLAUTH": CHANNEL_NAME_LENGTH,
    "SUB": TOPIC_STRING_LENGTH,
}
WORDS_KEPT = 4096  # words that users wrote, right or wrong, in the cache
FREE_NAMES = frozenset({"SUB", "CHLAUTH", "AUTHREC"})


@cache
def catalogue(kind: str, subtype: str = "") -> dict[str, Attribute]:
    """Return the attributes of a kind by name, in display order; KeyError for an unknown kind.

    The dictionary is shared: read it, do not change it.
    """
    found: dict[str, Attribute] = {}
    for attribute in _TABLES[kind]:
        if not subtype or not attribute.applies or subtype in attribute.applies:
            found.setdefault(attribute.name, attribute)
    return found


@lru_cache(WORDS_KEPT)
def attribute_called(kind: str, word: str, subtype: str = "") -> Attribute | None:
    """Return the attribute that a word names: its name, an alias, or NO before a flag; None when nothing."""
    table = catalogue(kind, subtype)
    if word in table:
        return table[word]
    for attribute in table.values():
        if word in attribute.aliases or (attribute.kind == "flag" and word == "NO" + attribute.name):
            return attribute
    return None


@cache
def by_number(kind: str, subtype: str = "") -> dict[int, Attribute]:
    """Return the attributes of a kind by MQIA_/MQCA_ number, for MQINQ and MQSET."""
    return {each.number: each for each in catalogue(kind, subtype).values() if each.number}


@cache
def _default_values(kind: str, subtype: str) -> dict[str, Value]:
    settable = (each for each in catalogue(kind, subtype).values() if not each.read_only)
    return {each.name: each.default for each in settable}


def defaults(kind: str, subtype: str = "") -> dict[str, Value]:
    """Return a new dictionary with the default of every attribute that a user may set."""
    values = dict(_default_values(kind, subtype))
    if subtype:
        values[SUBTYPE_ATTRIBUTE[kind]] = subtype
    return values


def check_name(kind: str, name: str) -> str:
    """Return an object's name without trailing blanks; ValueRefused if it is invalid for this kind."""
    name = name.rstrip(" ")
    length = NAME_LENGTHS.get(kind, 48)
    if not name:
        raise refused(kind, f"{kind} needs a name", mq.MQRCCF_OBJECT_NAME_ERROR)
    if len(name) > length:
        detail = f"{kind}({name}): the name has {len(name)} characters, allowed are {length}"
        raise refused(kind, detail, mq.MQRCCF_OBJECT_NAME_ERROR)
    if kind not in FREE_NAMES and not NAME_CHARACTERS.issuperset(name):
        wrong = next(letter for letter in name if letter not in NAME_CHARACTERS)
        detail = f"{kind}({name}): {wrong!r} is not allowed in a name; letters, digits and . _ / % are"
        raise refused(kind, detail, mq.MQRCCF_OBJECT_NAME_ERROR)
    return name


# possessive throughout: a text without an end must not be tried in every way that quotes can pair up
_CUSTOM_ITEM = re.compile(r"([A-Za-z][A-Za-z0-9_]*+)\s*+\(((?:'(?:[^']|'')*+'|[^()'])*+)\)")


def custom_values(text: str) -> dict[str, str]:
    """Return the contents of a CUSTOM attribute: names in upper case with their values, quotes removed.

    Text that is not of the form NAME(value) NAME(value) is stored by MQ and means nothing: it is skipped.

    >>> custom_values("CAPEXPRY(100) BACKOUT(MOVE)")
    {'CAPEXPRY': '100', 'BACKOUT': 'MOVE'}
    """
    found: dict[str, str] = {}
    for match in _CUSTOM_ITEM.finditer(text):
        value = match[2].strip()
        if value.startswith("'") and value.endswith("'") and len(value) > 1:
            value = value[1:-1].replace("''", "'")
        found[match[1].upper()] = value
    return found
