"""Layouts of MQ's fixed structures: fields of numbers, text and bytes, packed and unpacked.

A layout knows offsets, lengths, byte order and code page, not meaning: `descriptor_format`, `headers` and
`rfh2` interpret the fields, `conversion` recodes them. Text is blank-padded; a NUL ends it. A structure that
is short or has the wrong identifier raises the layout's reason.
"""

from __future__ import annotations

import struct
from functools import lru_cache
from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.ccsid import UTF16, codec, translate
from penstock.model.constants import MQENC_INTEGER_MASK, MQENC_INTEGER_NORMAL, MQENC_INTEGER_REVERSED
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Sequence

Field = int | str | bytes

_ORDERS = {MQENC_INTEGER_NORMAL: ">", MQENC_INTEGER_REVERSED: "<"}


def byte_order(encoding: int, reason: int = mq.MQRC_SOURCE_INTEGER_ENC_ERROR) -> str:
    """Return ">" or "<" for the integers of an encoding; any other integer encoding raises `reason`."""
    order = _ORDERS.get(encoding & MQENC_INTEGER_MASK)
    if order is None:
        raise error(reason, f"encoding {encoding} has no integer byte order known here", encoding=encoding)
    return order


class Layout:
    """One structure: its name, identifier, the reason of its errors, and its fields after the identifier.

    `fields` is text: "Version:i RemoteQName:48 MsgId:24x" (i a 32-bit number, n text of n bytes,
    nx plain bytes). Layouts are constants; the same one serves both byte orders.
    """

    def __init__(self, name: str, struc_id: str, reason: int, fields: str) -> None:
        self.name = name
        self.struc_id = struc_id
        self.reason = reason
        pairs = [field.split(":") for field in fields.split()]
        self.names = tuple(name for name, _ in pairs)
        self._kinds = tuple("i" if kind == "i" else "x" if kind.endswith("x") else "c" for _, kind in pairs)
        self._sizes = tuple(4 if kind == "i" else int(kind.removesuffix("x")) for _, kind in pairs)
        items = [
            "i" if kind == "i" else f"{size}s" for kind, size in zip(self._kinds, self._sizes, strict=True)
        ]
        self._structs = {order: struct.Struct(order + "4s" + "".join(items)) for order in "<>"}
        self.length = self._structs["<"].size

    def empty(self, name: str) -> Field:
        """Return the value of an unset field: 0, no text, or zero bytes."""
        place = self.names.index(name)
        kind = self._kinds[place]
        return 0 if kind == "i" else "" if kind == "c" else bytes(self._sizes[place])

    def pack(self, values: Sequence[Field], encoding: int, ccsid: int) -> bytes:
        """Build the structure's bytes; text that is too long or cannot be encoded raises the reason."""
        name = self._text_codec(ccsid, mq.MQRC_TARGET_CCSID_ERROR)
        packer = self._structs[byte_order(encoding, mq.MQRC_TARGET_INTEGER_ENC_ERROR)]
        raw: list[int | bytes] = [_encoded(self.struc_id, name)]
        try:
            for value, kind, size, field in zip(values, self._kinds, self._sizes, self.names, strict=True):
                raw.append(self._text(value, size, name, field) if kind == "c" else value)  # type: ignore[arg-type]
            return packer.pack(*raw)
        except (struct.error, UnicodeEncodeError) as problem:
            raise error(self.reason, f"{self.name}: {problem}") from problem

    def unpack(self, data: bytes | memoryview, encoding: int, ccsid: int, offset: int = 0) -> list[Field]:
        """Return the fields' values, without the identifier."""
        name = self._text_codec(ccsid, mq.MQRC_SOURCE_CCSID_ERROR)
        raw = self.unpack_raw(data, encoding, ccsid, offset)
        values: list[Field] = []
        try:
            for value, kind in zip(raw, self._kinds, strict=True):
                if kind == "c":
                    values.append(str(value, name).partition("\0")[0].rstrip(" "))  # type: ignore[arg-type]
                else:
                    values.append(value)
        except UnicodeDecodeError as problem:
            raise error(self.reason, f"{self.name}: {problem}") from problem
        return values

    def unpack_raw(
        self, data: bytes | memoryview, encoding: int, ccsid: int, offset: int = 0
    ) -> list[int | bytes]:
        """Return numbers as numbers and every other field as its bytes."""
        if len(data) - offset < self.length:
            there = max(0, len(data) - offset)
            raise error(self.reason, f"{self.name} needs {self.length} bytes, {there} are there")
        struc_id, *raw = self._structs[byte_order(encoding)].unpack_from(data, offset)
        if struc_id != _encoded(self.struc_id, self._text_codec(ccsid, mq.MQRC_SOURCE_CCSID_ERROR)):
            raise error(self.reason, f"{self.name} begins with {struc_id!r}, not {self.struc_id!r}")
        return raw

    def recode(self, raw: Sequence[int | bytes], ccsid: int, to_encoding: int, to_ccsid: int) -> bytes:
        """Build the structure in another encoding and character set; text keeps its padding."""
        blank = " ".encode(self._text_codec(to_ccsid, mq.MQRC_TARGET_CCSID_ERROR))
        converted: list[int | bytes] = [_encoded(self.struc_id, codec(to_ccsid))]
        for value, kind, size in zip(raw, self._kinds, self._sizes, strict=True):
            if kind == "c":
                value = translate(value, ccsid, to_ccsid)  # type: ignore[arg-type]
                value = _fit(value, size, blank, self.name)
            converted.append(value)
        return self._structs[byte_order(to_encoding, mq.MQRC_TARGET_INTEGER_ENC_ERROR)].pack(*converted)

    def _text(self, value: Field, size: int, codec_name: str, field: str) -> bytes:
        data = str(value).encode(codec_name)
        if len(data) > size:
            raise error(self.reason, f"{self.name}.{field} holds {size} bytes, not {len(data)}: {value!r}")
        return data + " ".encode(codec_name) * (size - len(data))

    def _text_codec(self, ccsid: int, reason: int) -> str:
        if ccsid in UTF16:  # MQ's structures hold one byte a character
            raise error(reason, f"{self.name} cannot be in CCSID {ccsid}", ccsid=ccsid)
        return codec(ccsid, reason=reason)


@lru_cache(maxsize=256)
def _encoded(text: str, codec_name: str) -> bytes:
    return text.encode(codec_name)


def _fit(data: bytes, size: int, blank: bytes, name: str) -> bytes:
    if len(data) > size:
        data = data.rstrip(blank)
    if len(data) > size:
        raise error(
            mq.MQRC_CONVERTED_STRING_TOO_BIG,
            f"a text of {name} grew to {len(data)} bytes, its field has {size}",
        )
    return data + blank * (size - len(data))
