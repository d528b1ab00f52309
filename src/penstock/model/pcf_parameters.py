"""The parameters of PCF messages as frozen values, one class per MQCF* structure.

Values only: `pcf` turns them into bytes and back, `pcf_names` has the names of their ids. An id is an MQIA_,
MQCA_, MQIACF_, MQCACF_ ... number; `TYPE` is the structure's MQCFT number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Integer:
    """MQCFIN: one 32-bit number."""

    TYPE: ClassVar[int] = 3
    id: int
    value: int


@dataclass(frozen=True, slots=True)
class String:
    """MQCFST: one text; CCSID 0 means the message's."""

    TYPE: ClassVar[int] = 4
    id: int
    value: str
    ccsid: int = 0


@dataclass(frozen=True, slots=True)
class IntegerList:
    """MQCFIL: 32-bit numbers."""

    TYPE: ClassVar[int] = 5
    id: int
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StringList:
    """MQCFSL: texts, without trailing blanks; each takes `length` bytes, or what the longest needs."""

    TYPE: ClassVar[int] = 6
    id: int
    values: tuple[str, ...]
    ccsid: int = 0
    length: int = 0


@dataclass(frozen=True, slots=True)
class ByteString:
    """MQCFBS: bytes."""

    TYPE: ClassVar[int] = 9
    id: int
    value: bytes


@dataclass(frozen=True, slots=True)
class IntegerFilter:
    """MQCFIF: a comparison with a number; the operator is an MQCFOP."""

    TYPE: ClassVar[int] = 13
    id: int
    operator: int
    value: int


@dataclass(frozen=True, slots=True)
class StringFilter:
    """MQCFSF: a comparison with a text."""

    TYPE: ClassVar[int] = 14
    id: int
    operator: int
    value: str
    ccsid: int = 0


@dataclass(frozen=True, slots=True)
class ByteStringFilter:
    """MQCFBF: a comparison with bytes."""

    TYPE: ClassVar[int] = 15
    id: int
    operator: int
    value: bytes


@dataclass(frozen=True, slots=True)
class Group:
    """MQCFGR: parameters that belong together; groups may nest."""

    TYPE: ClassVar[int] = 20
    id: int
    parameters: tuple[Parameter, ...]


@dataclass(frozen=True, slots=True)
class Integer64:
    """MQCFIN64: one 64-bit number."""

    TYPE: ClassVar[int] = 23
    id: int
    value: int


@dataclass(frozen=True, slots=True)
class Integer64List:
    """MQCFIL64: 64-bit numbers."""

    TYPE: ClassVar[int] = 25
    id: int
    values: tuple[int, ...]


Parameter = (
    Integer
    | String
    | IntegerList
    | StringList
    | ByteString
    | IntegerFilter
    | StringFilter
    | ByteStringFilter
    | Group
    | Integer64
    | Integer64List
)
