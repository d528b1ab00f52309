"""Programmable command format: MQCFH and its parameters as frozen values, to bytes and back.

Events, commands and their replies are `Pcf` values. Either byte order, groups within groups, any CCSID. Text
keeps its blanks except in lists, whose items have one length on the wire. Truncated bytes or wrong lengths
raise 2149, nothing else. `pcf_names` prints a `Pcf` as a dict.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.ccsid import UTF8, decode, encode
from penstock.model.constants import MQCFT_EVENT, MQENC_NATIVE
from penstock.model.errors import error
from penstock.model.limits import PCF_NESTING_MAX, PCF_PARAMETERS_MAX
from penstock.model.pcf_parameters import (
    ByteString,
    ByteStringFilter,
    Group,
    Integer,
    Integer64,
    Integer64List,
    IntegerFilter,
    IntegerList,
    Parameter,
    String,
    StringFilter,
    StringList,
)
from penstock.model.structure import byte_order

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CFH_LENGTH = 36
LAST = 1  # MQCFC_LAST: no further message belongs to this one


@dataclass(frozen=True, slots=True)
class Pcf:
    """One PCF message: the fields of MQCFH and the parameters."""

    command: int
    parameters: tuple[Parameter, ...] = ()
    type: int = MQCFT_EVENT
    version: int = 1
    sequence: int = 1
    control: int = LAST
    comp_code: int = 0
    reason: int = 0

    def get(self, id: int) -> Any:
        """Return the value of the first parameter with this id; None if there is none."""
        for parameter in self.parameters:
            if parameter.id == id:
                return _plain(parameter)
        return None


def encode_pcf(pcf: Pcf, encoding: int = MQENC_NATIVE, ccsid: int = UTF8) -> bytes:
    """Return the message's bytes; a number or text that does not fit raises 2149 or 2119."""
    order = byte_order(encoding, mq.MQRC_TARGET_INTEGER_ENC_ERROR)
    head = (pcf.type, CFH_LENGTH, pcf.version, pcf.command, pcf.sequence, pcf.control, pcf.comp_code)
    parts: list[bytes] = []
    try:
        parts.append(struct.pack(order + "9i", *head, pcf.reason, len(pcf.parameters)))
        _encode_all(pcf.parameters, parts, order, encoding, ccsid)
    except struct.error as problem:
        raise error(
            mq.MQRC_PCF_ERROR, f"a value of PCF command {pcf.command} does not fit: {problem}"
        ) from problem
    return b"".join(parts)


def decode_pcf(data: bytes | memoryview, encoding: int = MQENC_NATIVE, ccsid: int = UTF8) -> Pcf:
    """Read a whole PCF message; bytes left over are an error as well (2149)."""
    reader = _Reader(memoryview(data), byte_order(encoding), encoding, ccsid)
    fields = reader.numbers(0, 9)
    kind, length, version, command, sequence, control, comp_code, reason, count = fields
    if length != CFH_LENGTH:
        raise error(mq.MQRC_PCF_ERROR, f"MQCFH says it is {length} bytes long, not {CFH_LENGTH}")
    reader.place = CFH_LENGTH
    parameters = reader.parameters(count, 0)
    if reader.place != len(data):
        raise error(mq.MQRC_PCF_ERROR, f"{len(data) - reader.place} bytes follow the last PCF parameter")
    return Pcf(command, parameters, kind, version, sequence, control, comp_code, reason)


def _encode_all(
    parameters: Sequence[Parameter], parts: list[bytes], order: str, encoding: int, ccsid: int
) -> None:
    for parameter in parameters:
        parts.append(_encode_one(parameter, order, encoding, ccsid))
        if isinstance(parameter, Group):
            _encode_all(parameter.parameters, parts, order, encoding, ccsid)


def _encode_one(parameter: Parameter, order: str, encoding: int, ccsid: int) -> bytes:
    match parameter:
        case Integer(id, value):
            return struct.pack(order + "4i", 3, 16, id, value)
        case String(id, value, own):
            return _with_bytes(order, 4, (id, own), encode(value, own or ccsid, encoding))
        case IntegerList(id, values):
            return struct.pack(f"{order}4i{len(values)}i", 5, 16 + 4 * len(values), id, len(values), *values)
        case StringList():
            return _encode_strings(parameter, order, encoding, ccsid)
        case ByteString(id, value):
            return _with_bytes(order, 9, (id,), value)
        case IntegerFilter(id, operator, value):
            return struct.pack(order + "5i", 13, 20, id, operator, value)
        case StringFilter(id, operator, value, own):
            return _with_bytes(order, 14, (id, operator, own), encode(value, own or ccsid, encoding))
        case ByteStringFilter(id, operator, value):
            return _with_bytes(order, 15, (id, operator), value)
        case Group(id, parameters):
            return struct.pack(order + "4i", 20, 16, id, len(parameters))
        case Integer64(id, value):
            return struct.pack(order + "4iq", 23, 24, id, 0, value)
        case Integer64List(id, values):
            return struct.pack(f"{order}4i{len(values)}q", 25, 16 + 8 * len(values), id, len(values), *values)


def _with_bytes(order: str, kind: int, fields: tuple[int, ...], data: bytes) -> bytes:
    """Return a structure that ends with a length and that many bytes, padded to a multiple of four."""
    padding = -len(data) % 4
    length = 12 + 4 * len(fields) + len(data) + padding
    return struct.pack(f"{order}{len(fields) + 3}i", kind, length, *fields, len(data)) + data + bytes(padding)


def _encode_strings(parameter: StringList, order: str, encoding: int, ccsid: int) -> bytes:
    own = parameter.ccsid or ccsid
    items = [encode(text, own, encoding) for text in parameter.values]
    blank = encode(" ", own, encoding)
    size = max([parameter.length, *map(len, items)])
    data = b"".join(item + blank * ((size - len(item)) // len(blank)) for item in items)
    padding = -len(data) % 4
    head = (6, 24 + len(data) + padding, parameter.id, parameter.ccsid, len(items), size)
    return struct.pack(order + "6i", *head) + data + bytes(padding)


class _Reader:
    """Reads the parameters; every length is checked before it is used."""

    def __init__(self, data: memoryview, order: str, encoding: int, ccsid: int) -> None:
        self.data, self.order, self.encoding, self.ccsid = data, order, encoding, ccsid
        self.place = 0
        self.left = PCF_PARAMETERS_MAX

    def numbers(self, place: int, count: int) -> tuple[int, ...]:
        if place + 4 * count > len(self.data):
            raise error(
                mq.MQRC_PCF_ERROR, f"PCF ends after {len(self.data)} bytes, {place + 4 * count} are needed"
            )
        return struct.unpack_from(f"{self.order}{count}i", self.data, place)

    def parameters(self, count: int, depth: int) -> tuple[Parameter, ...]:
        if not 0 <= count <= self.left or depth > PCF_NESTING_MAX:
            raise error(mq.MQRC_PCF_ERROR, f"{count} PCF parameters at depth {depth} are too many")
        self.left -= count
        return tuple([self.parameter(depth) for _ in range(count)])

    def parameter(self, depth: int) -> Parameter:
        kind, length = self.numbers(self.place, 2)
        fixed = _FIXED.get(kind)
        if fixed is None:
            raise error(
                mq.MQRC_PCF_ERROR,
                f"PCF structure of type {kind} at byte {self.place} is not known",
                type=kind,
            )
        if length < fixed * 4 or length > len(self.data) - self.place:
            raise error(
                mq.MQRC_PCF_ERROR, f"PCF structure of type {kind} at byte {self.place} says {length} bytes"
            )
        fields = self.numbers(self.place, fixed)
        rest = self.data[self.place + fixed * 4 : self.place + length]
        self.place += length
        if kind == Group.TYPE:
            return Group(fields[2], self.parameters(fields[3], depth + 1))
        return _DECODERS[kind](self, fields, rest)

    def text(self, ccsid: int, data: memoryview) -> str:
        return decode(data, ccsid or self.ccsid, self.encoding)


def _part(rest: memoryview, size: int) -> memoryview:
    if not 0 <= size <= len(rest):
        raise error(mq.MQRC_PCF_ERROR, f"a PCF text or list says {size} bytes, its structure has {len(rest)}")
    return rest[:size]


def _list(reader: _Reader, rest: memoryview, count: int, item: str) -> tuple[int, ...]:
    data = _part(rest, count * struct.calcsize(item))
    return struct.unpack(f"{reader.order}{count}{item}", data)


def _strings(reader: _Reader, fields: tuple[int, ...], rest: memoryview) -> StringList:
    _, _, id, ccsid, count, size = fields
    if not 0 <= count <= PCF_PARAMETERS_MAX or size < 0:
        raise error(mq.MQRC_PCF_ERROR, f"a PCF list says {count} texts of {size} bytes")
    data = _part(rest, count * size)
    items = [
        reader.text(ccsid, data[place * size : (place + 1) * size]).rstrip(" \0") for place in range(count)
    ]
    needed = max((len(encode(item, ccsid or reader.ccsid, reader.encoding)) for item in items), default=0)
    return StringList(id, tuple(items), ccsid, 0 if needed == size else size)


# The 32-bit fields of each structure, type and length included; MQCFIN64's value counts as two.
_FIXED = {3: 4, 4: 5, 5: 4, 6: 6, 9: 4, 13: 5, 14: 6, 15: 5, 20: 4, 23: 4, 25: 4}
_DECODERS: dict[int, Callable[[_Reader, tuple[int, ...], memoryview], Parameter]] = {
    3: lambda reader, fields, rest: Integer(fields[2], fields[3]),
    4: lambda reader, fields, rest: String(
        fields[2], reader.text(fields[3], _part(rest, fields[4])), fields[3]
    ),
    5: lambda reader, fields, rest: IntegerList(fields[2], _list(reader, rest, fields[3], "i")),
    6: _strings,
    9: lambda reader, fields, rest: ByteString(fields[2], bytes(_part(rest, fields[3]))),
    13: lambda reader, fields, rest: IntegerFilter(fields[2], fields[3], fields[4]),
    14: lambda reader, fields, rest: StringFilter(
        fields[2], fields[3], reader.text(fields[4], _part(rest, fields[5])), fields[4]
    ),
    15: lambda reader, fields, rest: ByteStringFilter(fields[2], fields[3], bytes(_part(rest, fields[4]))),
    23: lambda reader, fields, rest: Integer64(fields[2], _list(reader, rest, 1, "q")[0]),
    25: lambda reader, fields, rest: Integer64List(fields[2], _list(reader, rest, fields[3], "q")),
}


def _plain(parameter: Parameter) -> Any:
    if isinstance(parameter, Group):
        return parameter.parameters
    if isinstance(parameter, IntegerList | StringList | Integer64List):
        return parameter.values
    return parameter.value.rstrip(" \0") if isinstance(parameter.value, str) else parameter.value
