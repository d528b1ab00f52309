"""MQRFH2: its fixed fields, and its property folders as a tree with typed values.

The text of a folder is XML without namespaces; an attribute dt types a value, xsi:nil makes it NULL. In the
tree the value has its type and the attributes dt and xsi:nil are removed: the writer makes them from the
value. An unchanged header is written as it arrived.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.constants import MQCCSI_INHERIT, MQFMT_RF_HEADER_2
from penstock.model.errors import MQError, error
from penstock.model.properties import property_type
from penstock.model.rfh2 import Rfh2, unpack_rfh2
from penstock.model.rfh2_values import DT, READERS, content_of
from penstock.tree.core._limits import Limits
from penstock.tree.core._message import parse
from penstock.tree.core._path import Path, Step
from penstock.tree.core._values import as_characters
from penstock.tree.headers.header import UTF8, Content, Header, HeaderBytes, number

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

DEPTH_MAX = 100
_LIMITS = Limits(depth_max=DEPTH_MAX)
_FIXED = ("Version", "Encoding", "CodedCharSetId", "Format", "Flags", "NameValueCCSID")
_PADDING = " \t\r\n\0"
_NAME = re.compile(r"[ \t\r\n\0]*<([^\s<>/=\"'&!?]+)")
_ELEMENT, _LEAF, _ATTRIBUTE = 0x01000000, 0x03000000, 0x03000100
_ROOT = Path("XML", Step(None, None, type=_ELEMENT))
_NIL = Path("@xsi:nil")
_DT = Path("@dt")


class MQRFH2(Header):
    """The domain; MQRFH2C, the compact form of the same, is registered under its own name."""

    format = MQFMT_RF_HEADER_2

    def __init__(self, name: str = "MQRFH2") -> None:
        super().__init__(name, text=False, family="MQRFH2")

    def measure(self, data: memoryview, encoding: int, ccsid: int) -> tuple[int, Content]:
        header, length = unpack_rfh2(data, encoding, ccsid)
        return length, Content(header.format, header.encoding, header.ccsid)

    def parse_into(self, folder: Reference, data: HeaderBytes | bytes | str) -> None:
        if isinstance(data, str):
            _fill_folder(folder, data)
        else:
            super().parse_into(folder, data)

    def build_from(self, folder: Reference, data: HeaderBytes) -> None:
        header, _ = unpack_rfh2(data.data, data.encoding, data.ccsid)
        values: tuple[int | str, ...] = (
            2,
            header.encoding,
            header.ccsid,
            f"{header.format:8}",
            header.flags,
            header.name_value_ccsid,
        )
        for name, value in zip(_FIXED, values, strict=True):
            folder.add_last_child(name, value)
        for text in header.folders:
            if text.strip(_PADDING):
                begin = _NAME.match(text)
                if begin is None:
                    raise error(mq.MQRC_RFH_FORMAT_ERROR, f"no folder in the MQRFH2: {text[:40]!r}")
                folder.add_unread_child(begin[1], text.strip(_PADDING))

    def pack(self, folder: Reference, encoding: int, ccsid: int) -> bytes:
        content = self.following(folder)
        folders = tuple(folder_text(child) for child in folder if child.name not in _FIXED)
        header = Rfh2(
            folders,
            content.encoding,
            content.ccsid or MQCCSI_INHERIT,
            content.format,
            number(folder, self.name, Path("Flags"), 0),
            number(folder, self.name, Path("NameValueCCSID"), UTF8),
        )
        return header.pack(encoding, ccsid)


def folder_text(folder: Reference) -> str:
    """Return the text of one folder, unchanged if possible; iterative, because programs decide the depth."""
    if not folder.is_changed and isinstance(folder.payload, str):
        return folder.payload
    parts: list[str] = []
    waiting: list[tuple[Reference | None, str]] = [(folder, "")]
    while waiting:
        field, end = waiting.pop()
        if field is None:
            parts.append(end)
            continue
        children = [child for child in field if not child.is_attribute]
        attributes = "".join(f" {child.name}={_quoted(child.value)}" for child in field if child.is_attribute)
        if field.has_value and not children:
            parts.append(_leaf(field.name, attributes, field.value))
            continue
        parts.append(f"<{field.name}{attributes}>")
        waiting.append((None, f"</{field.name}>"))
        waiting += [(child, "") for child in reversed(children)]
    return "".join(parts)


def _leaf(name: str, attributes: str, value: Any) -> str:
    try:
        kind = property_type(value)
    except MQError:
        return f"<{name}{attributes}>{_escaped(as_characters(value))}</{name}>"
    return f"<{name}{attributes}{DT[kind]}>{content_of(value, kind)}</{name}>"


def _fill_folder(folder: Reference, text: str) -> None:
    """Build one folder from its text, with typed values."""
    try:
        message = parse(text.encode(), "XML", ccsid=UTF8, timing="immediate", limits=_LIMITS)
    except MQError as problem:
        raise error(mq.MQRC_RFH_FORMAT_ERROR, f"no well-formed folder in the MQRFH2: {problem}") from problem
    root = message.reference(_ROOT)
    assert root is not None
    waiting = _add_fields(folder, root)
    while waiting:
        above, field = waiting.pop()
        if any(child.type == _ELEMENT for child in field):
            waiting += _add_fields(above.add_last_child(field.name), field)
        else:
            _add_attributes(above.add_last_child(field.name, _value(field), type=_LEAF), field)


def _add_fields(made: Reference, field: Reference) -> list[tuple[Reference, Reference]]:
    """Return what remains to be added below a folder, last first."""
    _add_attributes(made, field)
    return [(made, child) for child in field if child.type == _ELEMENT][::-1]


def _add_attributes(made: Reference, field: Reference) -> None:
    for child in field:
        if child.is_attribute and child.name not in ("dt", "xsi:nil"):
            made.add_last_child(child.name, child.value, type=_ATTRIBUTE)


def _value(field: Reference) -> Any:
    """The typed value of a leaf."""
    text = as_characters(field.value)
    if field.get(_NIL) in ("true", "1"):
        return None
    read = READERS.get(str(field.get(_DT)))
    if read is None:
        return text
    try:
        return read(text)
    except (ValueError, OverflowError, MQError) as problem:
        raise error(
            mq.MQRC_RFH_FORMAT_ERROR, f"{text[:40]!r} is no value of type {field.get(_DT)}", field=field.name
        ) from problem


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _quoted(value: object) -> str:
    return '"' + _escaped(as_characters(value)).replace('"', "&quot;") + '"'
