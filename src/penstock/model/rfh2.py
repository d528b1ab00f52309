"""MQRFH2: the header that carries property folders before a body, as bytes and as a value.

The fixed part of 36 bytes, then folders, each with its length. The texts of folders are kept unchanged, so
that packing what was unpacked gives the same bytes; `rfh2_folders` interprets them. Wrong lengths raise 2334.
Version 1 of the header is in `rfh1`.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.ccsid import UTF8, UTF16, codec
from penstock.model.constants import MQCCSI_INHERIT, MQENC_NATIVE, MQFMT_RF_HEADER_2
from penstock.model.errors import error
from penstock.model.rfh2_folders import decode_folders, encode_folders
from penstock.model.structure import Layout, byte_order

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.model.message import Descriptor
    from penstock.model.properties import PropertyValue

MQRFH2 = Layout(
    "MQRFH2",
    "RFH ",
    mq.MQRC_RFH_ERROR,
    "Version:i StrucLength:i Encoding:i CodedCharSetId:i Format:8 Flags:i NameValueCCSID:i",
)
FOLDERS_MAX = 10_000  # of one header
READ_LENGTH_MAX = 128 << 10  # of headers that are read while others wait: some 25 ms
UNLIMITED = sys.maxsize

_CHAIN_MAX = 100  # headers of this kind one after the other


@dataclass(frozen=True, slots=True)
class Rfh2:
    """An MQRFH2: its folders, and the encoding, CCSID and format of what follows it."""

    folders: tuple[str, ...] = ()
    encoding: int = MQENC_NATIVE
    ccsid: int = MQCCSI_INHERIT
    format: str = ""
    flags: int = 0
    name_value_ccsid: int = UTF8

    def pack(self, encoding: int = MQENC_NATIVE, ccsid: int = UTF8) -> bytes:
        """Return the header's bytes, its own numbers in `encoding` and its own text in `ccsid`."""
        order = byte_order(encoding, mq.MQRC_TARGET_INTEGER_ENC_ERROR)
        codec_name = name_value_codec(self.name_value_ccsid, encoding)
        parts = [b""]
        for text in self.folders:
            data = _padded(text, codec_name)
            parts += [struct.pack(order + "i", len(data)), data]
        length = MQRFH2.length + sum(map(len, parts))
        parts[0] = MQRFH2.pack(
            [2, length, self.encoding, self.ccsid, self.format, self.flags, self.name_value_ccsid],
            encoding,
            ccsid,
        )
        return b"".join(parts)


def unpack_rfh2(
    data: bytes | memoryview, encoding: int = MQENC_NATIVE, ccsid: int = UTF8, length_max: int = UNLIMITED
) -> tuple[Rfh2, int]:
    """Return the header at the start of `data`, and its length; 2421 when it is longer than it may be.

    Folders are not parsed.
    """
    fixed: list[Any] = list(MQRFH2.unpack_raw(data, encoding, ccsid))
    length, following_encoding, following_ccsid, name, flags, name_value_ccsid = check_fixed(fixed, len(data))
    if length > length_max:
        raise error(
            mq.MQRC_RFH_FORMAT_ERROR, f"an MQRFH2 of {length} bytes; at most {length_max} are read here"
        )
    codec_name = name_value_codec(name_value_ccsid, encoding)
    try:
        folders = tuple([str(piece, codec_name) for piece in name_values(data, length, encoding)])
        form = str(name, codec(ccsid)).partition("\0")[0].rstrip(" ")
    except UnicodeDecodeError as problem:
        raise error(
            mq.MQRC_RFH_FORMAT_ERROR, f"a folder or the format is not text: {problem.reason}"
        ) from problem
    return Rfh2(folders, following_encoding, following_ccsid, form, flags, name_value_ccsid), length


def check_fixed(fixed: list[Any], available: int) -> list[Any]:
    """Return the raw fields after the version; a wrong version or length raises 2334."""
    version, length, *_ = fixed
    if version != 2 or not MQRFH2.length <= length <= available:
        raise error(
            mq.MQRC_RFH_ERROR, f"MQRFH2 of version {version} says {length} bytes, {available} are there"
        )
    return fixed[1:]


def name_values(data: bytes | memoryview, length: int, encoding: int) -> list[memoryview]:
    """Return the bytes of each folder of a header of that length; wrong lengths raise 2334."""
    view = memoryview(data)
    number = struct.Struct(byte_order(encoding) + "i")
    pieces: list[memoryview] = []
    place = MQRFH2.length
    while place < length:
        size = number.unpack_from(view, place)[0] if length - place >= 4 else -1
        place += 4
        if not 0 <= size <= length - place or len(pieces) >= FOLDERS_MAX:
            raise error(
                mq.MQRC_RFH_ERROR, f"MQRFH2 folder {len(pieces) + 1} says {size} bytes of {length - place}"
            )
        pieces.append(view[place : place + size])
        place += size
    return pieces


def name_value_codec(ccsid: int, encoding: int) -> str:
    """Return the codec of the folders; MQ allows Unicode only, anything else raises 2334."""
    if ccsid != UTF8 and ccsid not in UTF16:
        raise error(
            mq.MQRC_RFH_ERROR, f"NameValueCCSID {ccsid} is not one of 1208, 1200, 13488, 17584", ccsid=ccsid
        )
    return codec(ccsid, encoding)


def attach_properties(
    properties: Mapping[str, PropertyValue], body: bytes, descriptor: Descriptor
) -> tuple[bytes, Descriptor]:
    """Return body and descriptor of the message with its properties in an MQRFH2 before the body."""
    header = Rfh2(encode_folders(properties), descriptor.encoding, descriptor.ccsid, descriptor.format)
    own = descriptor.replace(format=MQFMT_RF_HEADER_2, ccsid=UTF8, encoding=MQENC_NATIVE)
    return header.pack() + body, own


def detach_properties(
    body: bytes, descriptor: Descriptor, length_max: int = UNLIMITED
) -> tuple[dict[str, PropertyValue], bytes, Descriptor]:
    """Take the properties out of the MQRFH2 headers at the start of a body.

    Folders that hold no properties stay, in a header of their own. A message that does not begin
    with an MQRFH2 comes back as it is. 2421 for headers that are longer than they may be.
    """
    properties: dict[str, PropertyValue] = {}
    view, own = memoryview(body), descriptor
    kept: list[str] = []
    for _ in range(_CHAIN_MAX):
        if own.format != MQFMT_RF_HEADER_2:
            break
        header, length = unpack_rfh2(view, own.encoding, own.ccsid, length_max)
        length_max -= length
        found, others = decode_folders(header.folders)
        properties.update(found)
        kept += others
        ccsid = own.ccsid if header.ccsid in (MQCCSI_INHERIT, 0) else header.ccsid
        own = own.replace(format=header.format, ccsid=ccsid, encoding=header.encoding)
        view = view[length:]
    if kept:
        rest = Rfh2(tuple(kept), own.encoding, own.ccsid, own.format)
        own = own.replace(format=MQFMT_RF_HEADER_2, ccsid=UTF8, encoding=MQENC_NATIVE)
        return properties, rest.pack() + view, own
    return properties, (body if own is descriptor else bytes(view)), own


def _padded(text: str, codec_name: str) -> bytes:
    try:
        data = text.encode(codec_name)
    except UnicodeEncodeError as problem:
        raise error(mq.MQRC_RFH_FORMAT_ERROR, f"a folder cannot be encoded: {problem.reason}") from problem
    blank = " ".encode(codec_name)
    return data + blank * ((-len(data) % 4) // len(blank))
