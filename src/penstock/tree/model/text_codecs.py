"""Codecs of values in text formats (TDS, MRM XML), from a model's properties."""

from __future__ import annotations

import base64
import binascii
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree.model._codec import Codec, entered
from penstock.tree.model._codec_text import NumberTextCodec, StringCodec
from penstock.tree.model.times import PATTERNS, TimeCodec

if TYPE_CHECKING:
    from penstock.tree.model.tds import Tds
    from penstock.tree.model.xml import Xml

_NUMBERS = ("integer", "decimal", "float")


class BooleanTextCodec(Codec):
    """BOOLEAN as one of two words; digits are accepted as well."""

    def __init__(self, true: str, false: str) -> None:
        self.true, self.false = true, false

    def read(self, data: bytes) -> bool:
        """Return the Boolean of a word."""
        text = data.decode("utf-8").strip()
        if text in (self.true, "1"):
            return True
        if text in (self.false, "0"):
            return False
        raise ValueError(f"{text!r} is neither {self.true!r} nor {self.false!r}")

    def make(self, value: Any, length: int) -> bytes:
        """Return the word for a Boolean."""
        words = {"true": True, "1": True, "false": False, "0": False, self.true: True, self.false: False}
        truth = words.get(value.strip()) if isinstance(value, str) else {1: True, 0: False}.get(value)
        if truth is None:
            raise ValueError("neither true nor false")
        return (self.true if truth else self.false).ljust(length).encode("utf-8")


class BinaryTextCodec(Codec):
    """BLOB as hexadecimal or base64 text."""

    def __init__(self, form: str) -> None:
        if form not in ("hex", "base64"):
            raise ValueError(f'binary is "hex" or "base64", not {form!r}')
        self.form = form

    def read(self, data: bytes) -> bytes:
        """Return the bytes in a text."""
        try:
            return (
                bytes.fromhex(data.decode("ascii"))
                if self.form == "hex"
                else base64.b64decode(data, validate=True)
            )
        except (ValueError, binascii.Error) as problem:
            raise ValueError(f"no {self.form}: {problem}") from problem

    def make(self, value: Any, length: int) -> bytes:
        """Return bytes as text."""
        if isinstance(value, str):
            value = bytes.fromhex(value)
        if not isinstance(value, bytes):
            raise ValueError("no bytes")
        data = value.hex().upper().encode() if self.form == "hex" else base64.b64encode(value)
        return data.ljust(length)


def text_codec(name: str, logical: str, said: Tds | Xml, point: str, key: object) -> Codec:
    """Return the codec of a field; `key` identifies the surroundings of its text."""
    try:
        codec, about = _made(logical, said, point)
        null = _null(said)
    except ValueError as problem:
        raise error(mq.PSRC_MODEL_ERROR, f"field {name}: {problem}", field=name) from problem
    if null is not None:
        codec.set_null(*null)
    return entered(codec, ("text", logical, about, null, key))


def _made(logical: str, said: Tds | Xml, point: str) -> tuple[Codec, object]:
    if logical in _NUMBERS:
        point, pad = getattr(said, "point", "") or point, getattr(said, "pad", "") or "0"
        justify, scale = getattr(said, "justify", "") or "right", getattr(said, "scale", None)
        made: Codec = NumberTextCodec(logical, point=point, pad=pad, justify=justify, scale=scale)
        return made, (point, pad, justify, scale)
    if logical == "boolean":
        true, false = getattr(said, "true", "true"), getattr(said, "false", "false")
        return BooleanTextCodec(true, false), (true, false)
    if logical == "binary":
        return BinaryTextCodec(said.binary), said.binary
    if logical in PATTERNS:
        pattern = said.format or PATTERNS[logical]
        return TimeCodec(logical, pattern), pattern
    pad, justify = getattr(said, "pad", "") or " ", getattr(said, "justify", "") or "left"
    trim = getattr(said, "length", None) is not None and getattr(said, "trim", True)
    return StringCodec("utf-8", pad=pad.encode(), justify=justify, trim=trim), (pad, justify, trim)


def _null(said: Tds | Xml) -> tuple[str, object] | None:
    kind, value = getattr(said, "null", "none"), getattr(said, "null_value", None)
    if kind == "none":
        return None
    if kind == "literal":
        return "literal", str(value or "").encode("utf-8")
    if kind in ("fill", "pad"):
        return "fill", (str(value) if kind == "fill" else getattr(said, "pad", "") or " ").encode("utf-8")[:1]
    if kind == "value":
        return "value", value
    raise ValueError(f'null is "none", "pad", "fill", "literal" or "value", not {kind!r}')
