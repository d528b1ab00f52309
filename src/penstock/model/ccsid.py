"""Coded character sets: from MQ's numbers (CCSIDs) to Python codecs, and text conversion between them.

Knows numbers, codecs and MQ's newline rule; knows nothing of messages or formats (`conversion` does). Nothing
is ever substituted: a character that the target lacks is an error, 2119, so that no text is damaged silently.
Importing this module registers the codecs that Python lacks, under names that begin with `penstock_cp`.
"""

from __future__ import annotations

import codecs
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.constants import MQENC_INTEGER_MASK, MQENC_INTEGER_NORMAL, MQENC_NATIVE
from penstock.model.ebcdic import ebcdic_table
from penstock.model.errors import error

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

_Bytes = bytes  # the table below has a field of that name

UTF8 = 1208
_ASCII = 367
UTF16 = frozenset({1200, 13488, 17584})

_OWN_PREFIX = "penstock_cp"
# Python's own cp273 has an overline where IBM and all its sisters have the macron.
_OWN = (273, 277, 278, 280, 284, 285, 297, 871, 1047, *range(1141, 1150))
_PYTHON_EBCDIC = (37, 424, 500, 875, 1026, 1140)
_EBCDIC = frozenset(_OWN + _PYTHON_EBCDIC)

_CODECS: dict[int, str] = {
    UTF8: "utf-8",
    367: "ascii",
    819: "latin-1",
    813: "iso8859-7",
    4909: "iso8859-7",
    912: "iso8859-2",
    913: "iso8859-3",
    914: "iso8859-4",
    915: "iso8859-5",
    916: "iso8859-8",
    919: "iso8859-10",
    920: "iso8859-9",
    921: "iso8859-13",
    923: "iso8859-15",
    1089: "iso8859-6",
    878: "koi8-r",
    1168: "koi8-u",
    932: "cp932",
    942: "shift_jis",
    943: "cp932",
    954: "euc_jp",
    33722: "euc_jp",
    936: "gbk",
    1381: "gb2312",
    1383: "gb2312",
    1386: "gbk",
    1392: "gb18030",
    5488: "gb18030",
    949: "cp949",
    970: "euc_kr",
    1363: "cp949",
    950: "cp950",
    1370: "cp950",
    1375: "big5hkscs",
    **{number: f"cp{number:03d}" for number in _PYTHON_EBCDIC},
    **{number: f"{_OWN_PREFIX}{number}" for number in _OWN},
    **{number: f"cp{number}" for number in (437, 720, 737, 775, 850, 852, 855, 856, 857, 858)},
    **{number: f"cp{number}" for number in (*range(860, 867), 869, 874, 1125)},
    **{number: f"cp{number}" for number in range(1250, 1259)},
    **{number + 4096: f"cp{number}" for number in range(1250, 1259)},  # the same with the euro
}


def codec(ccsid: int, encoding: int = MQENC_NATIVE, reason: int = mq.MQRC_SOURCE_CCSID_ERROR) -> str:
    """Return the name of the Python codec of a CCSID; an unknown CCSID raises `reason`.

    `encoding` (as in MQMD) decides the byte order of the two-byte Unicode sets and nothing else.

    >>> codec(1208), codec(37), codec(1200, 273)
    ('utf-8', 'cp037', 'utf-16-be')
    """
    if ccsid in UTF16:
        normal = encoding & MQENC_INTEGER_MASK == MQENC_INTEGER_NORMAL
        return "utf-16-be" if normal else "utf-16-le"
    name = _CODECS.get(ccsid)
    if name is None:
        raise error(reason, f"CCSID {ccsid} is not known here", ccsid=ccsid)
    return name


def known_ccsids() -> list[int]:
    """Return every CCSID that can be converted, sorted."""
    return sorted(UTF16.union(_CODECS))


def is_known(ccsid: int) -> bool:
    """Return whether a CCSID can be converted."""
    return ccsid in _CODECS or ccsid in UTF16


def is_ebcdic(ccsid: int) -> bool:
    """Return whether a CCSID is an EBCDIC page."""
    return ccsid in _EBCDIC


def decode(data: bytes | memoryview, ccsid: int, encoding: int = MQENC_NATIVE) -> str:
    """Decode text; invalid bytes raise 2119."""
    try:
        return str(data, codec(ccsid, encoding))
    except UnicodeDecodeError as problem:
        raise error(
            mq.MQRC_NOT_CONVERTED, f"not text in CCSID {ccsid}: {problem.reason} at byte {problem.start}"
        ) from problem


def encode(text: str, ccsid: int, encoding: int = MQENC_NATIVE) -> bytes:
    """Encode text; a character that the set lacks raises 2119."""
    try:
        return text.encode(codec(ccsid, encoding, mq.MQRC_TARGET_CCSID_ERROR))
    except UnicodeEncodeError as problem:
        character = text[problem.start]
        raise error(
            mq.MQRC_NOT_CONVERTED, f"U+{ord(character):04X} has no place in CCSID {ccsid}"
        ) from problem


def translate(
    data: bytes | memoryview,
    ccsid: int,
    to_ccsid: int,
    encoding: int = MQENC_NATIVE,
    to_encoding: int = MQENC_NATIVE,
) -> bytes:
    """Return text of one character set in another: by table if both are single-byte.

    An EBCDIC new line (0x15) becomes a line feed outside EBCDIC, as MQ's ConvEBCDICNewline NL_TO_LF, its
    default, requires. Unknown sets raise 2111 and 2115, other failures 2119.
    """
    data = bytes(data)
    if ccsid == to_ccsid and (ccsid not in UTF16 or codec(ccsid, encoding) == codec(ccsid, to_encoding)):
        codec(ccsid)
        return data
    # ASCII bytes mean the same in every set that contains ASCII: one look instead of a decode.
    source = _ASCII if ccsid == UTF8 and data.isascii() else ccsid
    table = translation(source, _ASCII if to_ccsid == UTF8 else to_ccsid)
    if table is not None and table.covers(data):
        return data.translate(table.bytes)
    if table is not None and to_ccsid != UTF8:
        raise _missing(data, table.missing, ccsid, to_ccsid)
    codec(to_ccsid, to_encoding, mq.MQRC_TARGET_CCSID_ERROR)
    text = decode(data, ccsid, encoding)
    if ccsid in _EBCDIC and to_ccsid not in _EBCDIC:
        text = text.replace("\x85", "\n")
    return encode(text, to_ccsid, to_encoding)


class Translation(NamedTuple):
    """A table for `bytes.translate`, and the source bytes that have no counterpart."""

    bytes: _Bytes
    missing: _Bytes

    def covers(self, data: _Bytes) -> bool:
        """Return whether every byte of the data has a counterpart."""
        return not self.missing or len(data.translate(None, self.missing)) == len(data)


@lru_cache(maxsize=256)
def translation(ccsid: int, to_ccsid: int) -> Translation | None:
    """Return the table between two single-byte sets; None if one of them is not single-byte."""
    source, target = _characters(ccsid), _characters(to_ccsid)
    if source is None or target is None:
        return None
    places = {character: place for place, character in enumerate(target) if character}
    table, missing = bytearray(256), bytearray()
    for place, character in enumerate(source):
        if character == "\x85" and ccsid in _EBCDIC and to_ccsid not in _EBCDIC:
            character = "\n"
        if character in places:
            table[place] = places[character]
        else:
            missing.append(place)
    return Translation(bytes(table), bytes(missing))


@lru_cache(maxsize=128)
def _characters(ccsid: int) -> tuple[str, ...] | None:
    """Return the characters of the 256 bytes ("" if there is none); None for multi-byte sets."""
    name = _CODECS.get(ccsid)
    if name is None or name in _MULTI_BYTE:
        return None
    characters = (bytes([byte]).decode(name, "replace") for byte in range(256))
    return tuple("" if character == "\ufffd" else character for character in characters)


_MULTI_BYTE = frozenset(
    {
        "utf-8",
        "cp932",
        "shift_jis",
        "euc_jp",
        "gbk",
        "gb2312",
        "gb18030",
        "cp949",
        "euc_kr",
        "cp950",
        "big5hkscs",
    }
)


def _missing(data: bytes, missing: bytes, ccsid: int, to_ccsid: int) -> Exception:
    place = next(place for place, byte in enumerate(data) if byte in missing)
    return error(
        mq.MQRC_NOT_CONVERTED,
        f"byte {data[place]:#04x} at {place} of CCSID {ccsid} has no counterpart in {to_ccsid}",
    )


def _own_codec(name: str) -> codecs.CodecInfo | None:
    number = name.removeprefix(_OWN_PREFIX)
    table = ebcdic_table(int(number)) if name != number and number.isdecimal() else None
    if table is None:
        return None
    places = codecs.charmap_build(table)

    def decode_page(data: ReadableBuffer, errors: str = "strict") -> tuple[str, int]:
        return codecs.charmap_decode(data, errors, table)

    def encode_page(text: str, errors: str = "strict") -> tuple[bytes, int]:
        return codecs.charmap_encode(text, errors, places)

    return codecs.CodecInfo(encode_page, decode_page, name=name)


codecs.register(_own_codec)
