"""Headers of one flat layout: MQDLH, MQMDE, MQCIH and MQIIH, by the table of their fields.

Text fields keep their padding in the tree, as message flows expect (comparisons ignore trailing blanks). On
output, text is padded, missing fields get the defaults of the structure, and lengths inside the structure are
computed, never trusted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model import constants as mq
from penstock.model.ccsid import codec
from penstock.model.constants import MQFMT_CICS, MQFMT_DEAD_LETTER_HEADER, MQFMT_IMS, MQFMT_MD_EXTENSION
from penstock.model.errors import error
from penstock.model.headers import MQDLH, MQMDE
from penstock.model.structure import Layout
from penstock.tree.core._path import Path
from penstock.tree.core.missing import MISSING
from penstock.tree.headers.header import Content, Header, HeaderBytes, number, wrong_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.tree.core._reference import Reference

Plain = int | str | bytes

_CIH = (
    "Version:i StrucLength:i Encoding:i CodedCharSetId:i Format:8 Flags:i ReturnCode:i CompCode:i Reason:i"
    " UOWControl:i GetWaitInterval:i LinkType:i OutputDataLength:i FacilityKeepTime:i ADSDescriptor:i"
    " ConversationalTask:i TaskEndStatus:i Facility:8x Function:4 AbendCode:4 Authenticator:8 Reserved1:8"
    " ReplyToFormat:8 RemoteSysId:4 RemoteTransId:4 TransactionId:4 FacilityLike:4 AttentionId:4 StartCode:4"
    " CancelCode:4 NextTransactionId:4 Reserved2:8 Reserved3:8"
)
MQCIH_1 = Layout("MQCIH", "CIH ", mq.MQRC_HEADER_ERROR, _CIH)
MQCIH_2 = Layout(
    "MQCIH", "CIH ", mq.MQRC_HEADER_ERROR, _CIH + " CursorPosition:i ErrorOffset:i InputItem:i Reserved4:i"
)
MQIIH = Layout(
    "MQIIH",
    "IIH ",
    2148,
    "Version:i StrucLength:i Encoding:i CodedCharSetId:i Format:8 Flags:i LTermOverride:8 MFSMapName:8"
    " ReplyToFormat:8 Authenticator:8 TranInstanceId:16x TranState:1 CommitMode:1 SecurityScope:1 Reserved:1",
)


class FixedHeader(Header):
    """A header with a layout for each version; a new folder is written in the last one."""

    def __init__(
        self,
        name: str,
        format_: str,
        layouts: Mapping[int, Layout],
        defaults: Mapping[str, Plain] | None = None,
    ) -> None:
        super().__init__(name, text=False)
        self.format = format_
        self._layouts = dict(layouts)
        self._newest = max(layouts)
        self._defaults = dict(defaults or {})
        self.field_names = tuple(self._layouts[self._newest].names)

    def measure(self, data: memoryview, encoding: int, ccsid: int) -> tuple[int, Content]:
        layout, values = self._read(data, encoding, ccsid)
        by_name = dict(zip(layout.names, values, strict=True))
        ccsid_behind = by_name["CodedCharSetId"]
        assert isinstance(ccsid_behind, int)
        name = str(by_name["Format"]).rstrip(" \0")
        return layout.length, Content(name, int(by_name["Encoding"]), ccsid_behind)

    def build_from(self, folder: Reference, data: HeaderBytes) -> None:
        layout, values = self._read(memoryview(data.data), data.encoding, data.ccsid)
        for name, value in zip(layout.names, values, strict=True):
            folder.add_last_child(name, value)

    def pack(self, folder: Reference, encoding: int, ccsid: int) -> bytes:
        version = number(folder, self.name, Path("Version"), self._newest)
        layout = self._layouts.get(version)
        if layout is None:
            raise error(layout_reason(self._layouts), f"{self.name} of version {version} is not known")
        values = [self._field(folder, layout, name, version) for name in layout.names]
        return layout.pack(values, encoding, ccsid)

    def _read(self, data: memoryview, encoding: int, ccsid: int) -> tuple[Layout, list[Plain]]:
        first = self._layouts[min(self._layouts)]
        version = first.unpack_raw(data, encoding, ccsid)[0]
        layout = self._layouts.get(version) if isinstance(version, int) else None
        if layout is None:
            raise error(first.reason, f"{self.name} of version {version!r} is not known")
        raw = layout.unpack_raw(data, encoding, ccsid)
        return layout, decoded(layout, raw, ccsid)

    def _field(self, folder: Reference, layout: Layout, name: str, version: int) -> Plain:
        if name == "StrucLength":
            return layout.length
        path = Path(name)
        value = folder.get(path)
        if value is MISSING or value is None:
            return self._defaults.get(name, version if name == "Version" else layout.empty(name))
        wanted = type(layout.empty(name))
        if isinstance(value, bool) or not isinstance(value, wanted):
            raise wrong_value(self.name, path, wanted.__name__, value)
        if wanted is str:
            return str(value).rstrip(" \0")
        if isinstance(value, bytes):
            return value.ljust(len(bytes(layout.empty(name))), b"\0")  # type: ignore[arg-type]
        return number(folder, self.name, path, 0)


def decoded(layout: Layout, raw: list[int | bytes], ccsid: int) -> list[Plain]:
    """Return raw fields with the text decoded; padding stays."""
    name = codec(ccsid)
    values: list[Plain] = []
    for field, value in zip(layout.names, raw, strict=True):
        if isinstance(value, bytes) and isinstance(layout.empty(field), str):
            try:
                values.append(value.decode(name))
            except UnicodeDecodeError as problem:
                raise error(layout.reason, f"{layout.name}.{field}: {problem}") from problem
        else:
            values.append(value)
    return values


def layout_reason(layouts: Mapping[int, Layout]) -> int:
    """Return the reason code for errors of a structure."""
    return next(iter(layouts.values())).reason


def fixed_headers() -> list[FixedHeader]:
    """Return the domains of the headers that one layout describes."""
    return [
        FixedHeader("MQDLH", MQFMT_DEAD_LETTER_HEADER, {1: MQDLH}),
        FixedHeader("MQMDE", MQFMT_MD_EXTENSION, {2: MQMDE}, {"MsgSeqNumber": 1, "OriginalLength": -1}),
        FixedHeader(
            "MQCIH",
            MQFMT_CICS,
            {1: MQCIH_1, 2: MQCIH_2},
            {"UOWControl": 273, "GetWaitInterval": -2, "LinkType": 1, "OutputDataLength": -1},
        ),
        FixedHeader("MQIIH", MQFMT_IMS, {1: MQIIH}, {"CommitMode": "0", "SecurityScope": "C"}),
    ]
