"""Separators as message sets write them: <CR>, <LF>, <HT>, <SP>, <U+001C> and the names of control codes."""

from __future__ import annotations

import re
import sys

from penstock.model import constants as mq
from penstock.model.errors import error

_NAMES = [
    "NUL",
    "SOH",
    "STX",
    "ETX",
    "EOT",
    "ENQ",
    "ACK",
    "BEL",
    "BS",
    "HT",
    "LF",
    "VT",
    "FF",
    "CR",
    "SO",
    "SI",
    "DLE",
    "DC1",
    "DC2",
    "DC3",
    "DC4",
    "NAK",
    "SYN",
    "ETB",
    "CAN",
    "EM",
    "SUB",
    "ESC",
    "FS",
    "GS",
    "RS",
    "US",
    "SP",
]
_CODES = {name: chr(code) for code, name in enumerate(_NAMES)} | {
    "TAB": "\t",
    "NL": "\x85",
    "DEL": "\x7f",
    "LT": "<",
    "GT": ">",
    "CRLF": "\r\n",
}
_MNEMONIC = re.compile(r"<(?:U\+([0-9A-Fa-f]{4,6})|([A-Za-z0-9]+))>")


def plain(text: str) -> str:
    """Return a separator with its mnemonics replaced; other text stays, 8150 for an invalid character.

    >>> plain("<CR><LF>")
    '\\r\\n'
    """
    return _MNEMONIC.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    if found[1]:
        code = int(found[1], 16)
        if code > sys.maxunicode or 0xD800 <= code <= 0xDFFF:  # the halves of surrogate pairs
            raise error(mq.PSRC_MODEL_ERROR, f"{found[0]} is not a character")
        return chr(code)
    return _CODES.get(found[2].upper(), found[0])
