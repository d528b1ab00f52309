"""MQRFH, version 1 of the rules and formatting header: a string of names and values.

Names and values are separated by blanks and quoted if they contain blanks or quotes; a NUL ends the string.
Order and repetition are kept. A string that does not parse raises 2335, a structure with a wrong length 2334.
Its successor is `rfh2`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from penstock.model import constants as mq
from penstock.model.ccsid import UTF8, codec
from penstock.model.constants import MQENC_NATIVE
from penstock.model.errors import error
from penstock.model.structure import Field, Layout

MQRFH1 = Layout(
    "MQRFH", "RFH ", mq.MQRC_RFH_ERROR, "Version:i StrucLength:i Encoding:i CodedCharSetId:i Format:8 Flags:i"
)

_WORD = re.compile(r' *+(?:"((?:[^"]|"")*+)"(?= |\Z)|([^ "]++)(?= |\Z))')


@dataclass(frozen=True, slots=True)
class Rfh1:
    """An MQRFH: pairs of name and value, and the encoding, CCSID and format of what follows it."""

    pairs: tuple[tuple[str, str], ...] = ()
    encoding: int = MQENC_NATIVE
    ccsid: int = 0
    format: str = ""
    flags: int = 0

    def pack(self, encoding: int = MQENC_NATIVE, ccsid: int = UTF8) -> bytes:
        """Return the header's bytes, padded with blanks to a multiple of four."""
        words = [_quoted(word) for pair in self.pairs for word in pair]
        name = codec(ccsid, reason=mq.MQRC_TARGET_CCSID_ERROR)
        try:
            data = " ".join(words).encode(name)
        except UnicodeEncodeError as problem:
            raise error(
                mq.MQRC_RFH_STRING_ERROR, f"a name or value cannot be in CCSID {ccsid}: {problem.reason}"
            ) from problem
        data += " ".encode(name) * (-len(data) % 4)
        fixed: list[Field] = [
            1,
            MQRFH1.length + len(data),
            self.encoding,
            self.ccsid,
            self.format,
            self.flags,
        ]
        return MQRFH1.pack(fixed, encoding, ccsid) + data


def unpack_rfh1(
    data: bytes | memoryview, encoding: int = MQENC_NATIVE, ccsid: int = UTF8
) -> tuple[Rfh1, int]:
    """Return the header at the start of `data`, and its length."""
    fixed: list[Any] = list(MQRFH1.unpack(data, encoding, ccsid))
    version, length, *rest = fixed
    if version != 1 or not MQRFH1.length <= length <= len(data):
        raise error(
            mq.MQRC_RFH_ERROR, f"MQRFH of version {version} says {length} bytes, {len(data)} are there"
        )
    try:
        text = str(data[MQRFH1.length : length], codec(ccsid))
    except UnicodeDecodeError as problem:
        raise error(
            mq.MQRC_RFH_STRING_ERROR, f"the names and values are not text in CCSID {ccsid}: {problem.reason}"
        ) from problem
    words = _words(text.partition("\0")[0].rstrip(" "))
    if len(words) % 2:
        raise error(mq.MQRC_RFH_STRING_ERROR, f"the last name, {words[-1][:40]!r}, has no value")
    return Rfh1(tuple(zip(words[::2], words[1::2], strict=True)), *rest), length


def _words(text: str) -> list[str]:
    words: list[str] = []
    place = 0
    while place < len(text):
        word = _WORD.match(text, place)
        if word is None:
            raise error(
                mq.MQRC_RFH_STRING_ERROR,
                f"neither name nor value at character {place}: {text[place : place + 20]!r}",
            )
        words.append(word[2] if word[1] is None else word[1].replace('""', '"'))
        place = word.end()
    return words


def _quoted(word: str) -> str:
    if "\0" in word:
        raise error(mq.MQRC_RFH_STRING_ERROR, "a NUL would end the names and values")
    if word and " " not in word and '"' not in word:
        return word
    return '"' + word.replace('"', '""') + '"'
