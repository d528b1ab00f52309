"""Message properties: the rules for their names and values, and their types.

A message's properties are a plain dict from canonical name to value. A name without a folder is in folder
usr, so `usr.colour` and `colour` are one property and the dict key is `colour`. `rfh2_folders` writes
properties into a message; `message_handle` is the handle that programs fill.
"""

from __future__ import annotations

import re
import struct
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from penstock.model import constants as mq
from penstock.model.constants import (
    MQTYPE_BOOLEAN,
    MQTYPE_BYTE_STRING,
    MQTYPE_FLOAT32,
    MQTYPE_FLOAT64,
    MQTYPE_INT8,
    MQTYPE_INT16,
    MQTYPE_INT32,
    MQTYPE_INT64,
    MQTYPE_NULL,
    MQTYPE_STRING,
)
from penstock.model.errors import error
from penstock.model.limits import (
    PROPERTIES_BYTES_MAX,
    PROPERTY_COUNT_MAX,
    PROPERTY_NAME_LENGTH,
    PROPERTY_NESTING_MAX,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

PropertyValue = bool | int | float | str | bytes | None

_RESERVED = frozenset(["NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"])
_LEVEL = r"[^\W\d$][\w$]*|\$[\w$]*"
_NAME = re.compile(rf"(?:{_LEVEL})(?:\.(?:{_LEVEL}))*\Z")

# The names JMS programs use for what MQ keeps in folders; the only ones a program may set.
JMS_SETTABLE = {
    "JMSCorrelationID": "jms.Cid",
    "JMSReplyTo": "jms.Rto",
    "JMSType": "mcd.Type",
    "JMSXGroupID": "jms.Gid",
    "JMSXGroupSeq": "jms.Seq",
}


class _Integer(int):
    """An integer of a stated width; a value outside it raises 2473."""

    bits = 64

    def __new__(cls, value: int = 0) -> Self:
        number = super().__new__(cls, value)
        if not -(1 << cls.bits - 1) <= number < 1 << cls.bits - 1:
            raise error(mq.MQRC_PROPERTY_TYPE_ERROR, f"{int(number)} does not fit {cls.bits} bits")
        return number


class Int8(_Integer):
    """An 8-bit integer property."""

    bits = 8


class Int16(_Integer):
    """A 16-bit integer property."""

    bits = 16


class Int32(_Integer):
    """A 32-bit integer property; a plain int that fits is one too."""

    bits = 32


class Int64(_Integer):
    """A 64-bit integer property, for small values that must travel as 64 bits."""

    bits = 64


class Float32(float):
    """A single-precision property: the value is rounded to single precision."""

    def __new__(cls, value: float = 0.0) -> Self:
        try:
            return super().__new__(cls, struct.unpack("<f", struct.pack("<f", value))[0])
        except OverflowError as problem:
            raise error(
                mq.MQRC_PROPERTY_TYPE_ERROR, f"{value!r} is too large for single precision"
            ) from problem


_TYPES: dict[type, int] = {
    str: MQTYPE_STRING,
    bool: MQTYPE_BOOLEAN,
    float: MQTYPE_FLOAT64,
    bytes: MQTYPE_BYTE_STRING,
    type(None): MQTYPE_NULL,
    Int8: MQTYPE_INT8,
    Int16: MQTYPE_INT16,
    Int32: MQTYPE_INT32,
    Int64: MQTYPE_INT64,
    Float32: MQTYPE_FLOAT32,
}


def property_type(value: object) -> int:
    """Return the MQTYPE of a value; a plain int is 32 bits wide if it fits, else 64. Raises 2473.

    >>> property_type("red") == MQTYPE_STRING, property_type(2**40) == MQTYPE_INT64
    (True, True)
    """
    known = _TYPES.get(type(value))
    if known is not None:
        return known
    if isinstance(value, int):
        if -(2**31) <= value < 2**31:
            return MQTYPE_INT32
        if -(2**63) <= value < 2**63:
            return MQTYPE_INT64
        raise error(mq.MQRC_PROPERTY_TYPE_ERROR, "an integer property has at most 64 bits")
    for kind in (str, bytes, float):
        if isinstance(value, kind):
            return _TYPES[kind]
    raise error(mq.MQRC_PROPERTY_TYPE_ERROR, f"a property cannot be of type {type(value).__name__}")


def check_value(value: object) -> int:
    """Return the MQTYPE of a valid value; 2473 for a wrong type, 2469 for one too large."""
    kind = property_type(value)
    if isinstance(value, str | bytes) and len(value) > PROPERTIES_BYTES_MAX:
        raise error(
            mq.MQRC_PROPERTY_VALUE_TOO_BIG, f"a property value has at most {PROPERTIES_BYTES_MAX} bytes"
        )
    if kind == MQTYPE_STRING and not _encodable(str(value)):
        raise error(mq.MQRC_PROPERTY_TYPE_ERROR, "a text property cannot hold half of a surrogate pair")
    return kind


@lru_cache(maxsize=1024)
def check_name(name: str) -> str:
    """Return the canonical form of a name that a program sets; 2442 for a bad one, 2513 for its length.

    >>> check_name("usr.colour"), check_name("JMSType"), check_name("a.b")
    ('colour', 'mcd.Type', 'a.b')
    """
    if not isinstance(name, str):
        raise error(mq.MQRC_PROPERTY_NAME_ERROR, f"a property name is text, not {type(name).__name__}")
    if not 0 < len(name) <= PROPERTY_NAME_LENGTH:
        raise error(
            mq.MQRC_PROPERTY_NAME_LENGTH_ERR,
            f"a property name has 1 to {PROPERTY_NAME_LENGTH} characters, not {len(name)}",
        )
    problem = _name_problem(name)
    if problem:
        raise error(mq.MQRC_PROPERTY_NAME_ERROR, f"property name {name[:60]!r}: {problem}", name=name)
    return canonical_name(name)


def canonical_name(name: str) -> str:
    """Return the key of a property in a message's dict; no check."""
    if name in JMS_SETTABLE:
        return JMS_SETTABLE[name]
    if name.startswith("usr.") and "." not in name[4:]:
        return name[4:]
    return name


def check_properties(properties: Mapping[str, PropertyValue]) -> dict[str, PropertyValue]:
    """Return the properties under their canonical names; the first invalid name or value raises."""
    if len(properties) > PROPERTY_COUNT_MAX:
        raise error(
            mq.MQRC_PROPERTIES_TOO_BIG,
            f"a message has at most {PROPERTY_COUNT_MAX} properties, not {len(properties)}",
        )
    checked: dict[str, PropertyValue] = {}
    for name, value in properties.items():
        if type(value) is not str or len(value) > 1000 or not value.isascii():
            check_value(value)
        checked[check_name(name)] = value
    return checked


def _name_problem(name: str) -> str:
    own = name.removeprefix("usr.")
    if not _NAME.match(name):
        return "only letters, digits, _ and $, in levels joined by single dots"
    if any(character > "\uffff" for character in name):
        return "characters beyond U+FFFF are not allowed"
    if own.startswith("JMS") and (own is not name or name not in JMS_SETTABLE):
        return "names that begin with JMS are JMS's own"
    if own.upper() in _RESERVED:
        return "the word belongs to the selector language"
    if name.split(".", 1)[0] in ("Body", "Root") and not name.startswith("Root.MQMD."):
        return "Body and Root name parts of the message"
    if name[:2].lower() == "mq" and name.split(".", 1)[0] != "mq_usr" and name.count(".") > 1:
        return "folders that begin with mq have one level"
    if name.count(".") >= PROPERTY_NESTING_MAX:
        return f"more than {PROPERTY_NESTING_MAX} levels"
    return ""


def _encodable(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
