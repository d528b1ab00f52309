"""MQRFH, version 1 of the rules and formatting header: its fixed fields, and one field per pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.constants import MQCCSI_INHERIT, MQENC_NATIVE, MQFMT_RF_HEADER_1
from penstock.model.rfh1 import Rfh1, unpack_rfh1
from penstock.tree.core._path import Path
from penstock.tree.core._values import as_characters
from penstock.tree.headers.header import Content, Header, HeaderBytes, number

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

_FIXED = ("Version", "Encoding", "CodedCharSetId", "Format", "Flags")


class MQRFH(Header):
    """The domain."""

    format = MQFMT_RF_HEADER_1

    def __init__(self) -> None:
        super().__init__("MQRFH", text=False)

    def measure(self, data: memoryview, encoding: int, ccsid: int) -> tuple[int, Content]:
        header, length = unpack_rfh1(data, encoding, ccsid)
        return length, Content(header.format, header.encoding, header.ccsid)

    def build_from(self, folder: Reference, data: HeaderBytes) -> None:
        header, _ = unpack_rfh1(data.data, data.encoding, data.ccsid)
        values: tuple[int | str, ...] = (1, header.encoding, header.ccsid, f"{header.format:8}", header.flags)
        for name, value in zip(_FIXED, values, strict=True):
            folder.add_last_child(name, value)
        for name, text in header.pairs:
            folder.add_last_child(name, text)

    def pack(self, folder: Reference, encoding: int, ccsid: int) -> bytes:
        content = self.following(folder)
        pairs = [(child.name, as_characters(child.value)) for child in folder if child.name not in _FIXED]
        flags = number(folder, self.name, Path("Flags"), 0)
        ccsid_behind = content.ccsid or MQCCSI_INHERIT
        header = Rfh1(tuple(pairs), content.encoding or MQENC_NATIVE, ccsid_behind, content.format, flags)
        return header.pack(encoding, ccsid)
