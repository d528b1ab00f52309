"""The text of MQRFH2 folders: properties as nested elements with types, and back.

The syntax is XML-like, but this is not an XML parser: no declarations, comments, CDATA or entities except the
five predefined and character references, so there is nothing to expand. Depth, elements and the characters of
all names are limited. Called by `rfh2`; invalid text raises 2421, text beside elements 2498. Invariant:
decoding what was encoded gives the same names, values and MQTYPEs.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.errors import MQError, error
from penstock.model.limits import PROPERTY_NAME_LENGTH
from penstock.model.properties import PropertyValue, property_type
from penstock.model.rfh2_values import DT, READERS, content_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

DEPTH_MAX = 100  # elements within elements of one folder
ELEMENTS_MAX = 100_000  # of one folder
NAME_CHARACTERS_MAX = 4_000_000  # of all names in one folder: deep paths repeat their beginning
ATTRIBUTES_LENGTH_MAX = 1_000  # of one element

# Folders that hold properties without saying so.
PROPERTY_FOLDERS = frozenset(["usr", "jms", "mcd", "mqext", "mqps", "mq", "mq_usr", "mqema"])

# The names of publish/subscribe properties in programs, and in folders.
SYNONYMS = {
    "MQTopicString": "mqps.Top",
    "MQSubUserData": "mqps.Sud",
    "MQIsRetained": "mqps.Ret",
    "MQPubOptions": "mqps.Pub",
    "MQPubLevel": "mqps.Pbl",
}
_NAMES = {short: name for name, short in SYNONYMS.items()}

_PADDING = " \t\r\n\0"
_NAME = r"[^\s<>/=\"'&!?]++"
_ATTRIBUTES = r"(?:\s++[^\s=<>/\"']++\s*+=\s*+(?:\"[^\"<]*+\"|'[^'<]*+'))*+"
_TOKEN = re.compile(
    rf"<({_NAME})({_ATTRIBUTES})\s*+(?:/>|>([^<]*+)</\1\s*+>)\s*+"  # a value
    rf"|<({_NAME})({_ATTRIBUTES})\s*+>\s*+"  # the beginning of a level
    rf"|</({_NAME})\s*+>\s*+"  # its end
)
_ATTRIBUTE = re.compile(r"""\s+([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_REFERENCE = re.compile(r"&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));|&")
_PREDEFINED = {"amp": "&", "lt": "<", "gt": ">", "quot": '"', "apos": "'"}


class Folder(NamedTuple):
    """A folder's name, whether it declares that it holds properties, and its values by path."""

    name: str
    says_properties: bool
    values: list[tuple[str, PropertyValue]]


def encode_folders(properties: Mapping[str, PropertyValue]) -> tuple[str, ...]:
    """Return the folders that hold the properties, one text a folder, without padding.

    >>> encode_folders({"colour": "red", "a.b": 5})
    ('<usr><colour>red</colour></usr>', "<a content='properties'><b dt='i4'>5</b></a>")
    """
    folders: dict[str, _Level] = {}
    for name, value in properties.items():
        folder, _, rest = SYNONYMS.get(name, name).partition(".")
        if not rest:
            folder, rest = "usr", name
        *path, leaf = rest.split(".")
        level = folders.setdefault(folder, _Level())
        for step in path:
            level = level.levels.setdefault(step, _Level())
        level.leaves.append((leaf, value))
    return tuple(_folder_text(name, level) for name, level in folders.items())


def decode_folders(folders: Iterable[str]) -> tuple[dict[str, PropertyValue], tuple[str, ...]]:
    """Return the properties in the folders, and the folders without properties, unchanged.

    A name that comes twice has its last value. A folder holds properties when MQ defines it so
    (usr, jms, mcd, mqext, mqps, mq, mq_usr) or when its attribute is content='properties'.
    """
    properties: dict[str, PropertyValue] = {}
    others: list[str] = []
    for text in folders:
        if not text.strip(_PADDING):
            others.append(text)
            continue
        folder = decode_folder(text)
        if folder.name == "usr":
            for path, value in folder.values:
                properties[f"usr.{path}" if "." in path else path] = value
        elif folder.says_properties or folder.name in PROPERTY_FOLDERS:
            for path, value in folder.values:
                name = f"{folder.name}.{path}"
                properties[_NAMES.get(name, name)] = value
        else:
            others.append(text)
    return properties, tuple(others)


def decode_folder(text: str) -> Folder:
    """Read one folder; blanks and NULs around it are padding."""
    text = text.strip(_PADDING)
    root = _TOKEN.match(text)
    if root is None or root[6] is not None:
        raise _bad(text, 0)
    says = _attributes((root[2] or root[5] or "")[:ATTRIBUTES_LENGTH_MAX]).says_properties
    if root[1] is not None:  # one element and no more
        if root.end() != len(text):
            raise _bad(text, root.end())
        if (root[3] or "").strip():
            raise error(mq.MQRC_MIXED_CONTENT_NOT_ALLOWED, f"folder <{root[1]}> holds text, not elements")
        return Folder(root[1], says, [])
    return Folder(root[4], says, _values(text, root.end(), root[4]))


def _values(text: str, place: int, root: str) -> list[tuple[str, PropertyValue]]:
    """Return the leaves below the folder's own element, by path; one step per token, so linear."""
    open_names, prefixes = [root], [""]
    prefix = ""
    values: list[tuple[str, PropertyValue]] = []
    elements = characters = 0
    for token in _TOKEN.finditer(text, place):
        if token.start() != place or not open_names:
            raise _bad(text, place)
        place = token.end()
        name, attributes, content, opened, _, closed = token.groups()
        if closed is not None:
            if open_names.pop() != closed:
                raise _bad(text, token.start())
            prefixes.pop()
            prefix = prefixes[-1] if prefixes else ""
            continue
        path = prefix + (name or opened)
        elements += 1
        characters += len(path)
        if elements > ELEMENTS_MAX or characters > NAME_CHARACTERS_MAX or len(path) > PROPERTY_NAME_LENGTH:
            raise error(mq.MQRC_RFH_FORMAT_ERROR, f"folder <{root}> has too many elements or too long names")
        if name is not None:
            values.append((path, _value(content or "", attributes)))
            continue
        if len(open_names) >= DEPTH_MAX:
            raise error(mq.MQRC_RFH_FORMAT_ERROR, f"folder <{root}> is more than {DEPTH_MAX} levels deep")
        open_names.append(opened)
        prefix = path + "."
        prefixes.append(prefix)
    if place != len(text) or open_names:
        raise _bad(text, place)
    return values


def _value(content: str, attributes: str) -> PropertyValue:
    if "&" in content:
        content = _REFERENCE.sub(_character, content)
    if not attributes:
        return content
    if len(attributes) > ATTRIBUTES_LENGTH_MAX:
        raise error(mq.MQRC_RFH_FORMAT_ERROR, f"more than {ATTRIBUTES_LENGTH_MAX} characters of attributes")
    known = _attributes(attributes)
    if known.nil:
        return None
    if known.read is None:
        return content
    try:
        return known.read(content)
    except (ValueError, OverflowError, MQError) as problem:
        raise error(mq.MQRC_RFH_FORMAT_ERROR, f"{content[:40]!r} is no value of type {known.dt}") from problem


class _Attributes(NamedTuple):
    dt: str
    nil: bool
    says_properties: bool
    read: Callable[[str], PropertyValue] | None


@lru_cache(maxsize=256)
def _attributes(text: str) -> _Attributes:
    found = {name: double or single for name, double, single in _ATTRIBUTE.findall(text)}
    dt = found.get("dt", "string")
    nil = found.get("xsi:nil", "") in ("true", "1")
    return _Attributes(dt, nil, found.get("content") == "properties", READERS.get(dt))


class _Level:
    """The contents of one element while folders are built."""

    __slots__ = ("leaves", "levels")

    def __init__(self) -> None:
        self.leaves: list[tuple[str, PropertyValue]] = []
        self.levels: dict[str, _Level] = {}


def _folder_text(name: str, level: _Level) -> str:
    content = "" if name in PROPERTY_FOLDERS else " content='properties'"
    return f"<{name}{content}>{_level_text(level)}</{name}>"


def _level_text(level: _Level) -> str:
    texts = [_leaf_text(name, value) for name, value in level.leaves]
    texts += [f"<{name}>{_level_text(below)}</{name}>" for name, below in level.levels.items()]
    return "".join(texts)


def _leaf_text(name: str, value: PropertyValue) -> str:
    kind = property_type(value)
    return f"<{name}{DT[kind]}>{content_of(value, kind)}</{name}>"


def _character(reference: re.Match[str]) -> str:
    if reference[1]:
        return _PREDEFINED[reference[1]]
    digits = reference[2] or reference[3]
    number = -1 if not digits else int(digits, 10 if reference[2] else 16)
    if not 0 <= number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        raise error(mq.MQRC_RFH_FORMAT_ERROR, "an & that begins no reference known here")
    return chr(number)


def _bad(text: str, place: int) -> MQError:
    before, after = text[max(0, place - 20) : place], text[place : place + 20]
    rest = text[place:].lstrip()
    if rest and not rest.startswith("<"):
        return error(
            mq.MQRC_MIXED_CONTENT_NOT_ALLOWED,
            f"text beside elements at character {place}: {before!r} > {after!r}",
            place=place,
        )
    return error(
        mq.MQRC_RFH_FORMAT_ERROR,
        f"no well-formed folder at character {place}: {before!r} > {after!r}",
        place=place,
    )
