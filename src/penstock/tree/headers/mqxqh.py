"""MQXQH: the header of messages on a transmission queue, with the descriptor of the message inside it.

The embedded descriptor is the folder MsgDesc; what follows the header is what it describes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.model.constants import MQFMT_XMIT_Q_HEADER
from penstock.model.descriptor_format import MQMD_1
from penstock.model.headers import MQXQH as LAYOUT
from penstock.model.headers import TransmissionHeader
from penstock.tree.core._path import Path
from penstock.tree.core.missing import MISSING
from penstock.tree.headers.header import Content, Header, HeaderBytes, describe_in, described_by, wrong_value
from penstock.tree.headers.mqmd import add_descriptor, message_of

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

_INNER = Path("MsgDesc")
_LENGTH = LAYOUT.length + MQMD_1.length


class MQXQH(Header):
    """The domain."""

    format = MQFMT_XMIT_Q_HEADER

    def __init__(self) -> None:
        super().__init__("MQXQH", text=False)

    def measure(self, data: memoryview, encoding: int, ccsid: int) -> tuple[int, Content]:
        own = TransmissionHeader.unpack(data, encoding, ccsid).message.descriptor
        return _LENGTH, Content(own.format, own.encoding, own.ccsid)

    def build_from(self, folder: Reference, data: HeaderBytes) -> None:
        header = TransmissionHeader.unpack(data.data, data.encoding, data.ccsid)
        folder.add_last_child("Version", 1)
        folder.add_last_child("RemoteQName", header.queue.ljust(48))
        folder.add_last_child("RemoteQMgrName", header.qmgr.ljust(48))
        add_descriptor(folder.add_last_child("MsgDesc"), header.message)

    def following(self, folder: Reference) -> Content:
        if not folder.is_changed and folder.payload is not None:
            return super().following(folder)
        return described_by(folder.create(_INNER), self.name)

    def describe(self, folder: Reference, content: Content) -> None:
        describe_in(folder.create(_INNER), content)

    def pack(self, folder: Reference, encoding: int, ccsid: int) -> bytes:
        header = TransmissionHeader(
            _name(folder, "RemoteQName"),
            _name(folder, "RemoteQMgrName"),
            message_of(folder.reference(_INNER)),
        )
        return header.pack(encoding, ccsid)


def _name(folder: Reference, name: str) -> str:
    value = folder.get(Path(name))
    if value is MISSING or value is None:
        return ""
    if not isinstance(value, str):
        raise wrong_value("MQXQH", Path(name), "text", value)
    return value.rstrip(" \0")
