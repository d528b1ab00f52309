"""MQMD: the message descriptor as a folder. It stands beside the bytes of a message, not in them.

The folder is built from a message of a queue when it is touched, and read back into one. Names and
types are those of ESQL: ids are BLOB, PutDate is a DATE and PutTime a GMTTIME, text keeps its
padding. Fields that are missing have the descriptor's defaults.
"""

from __future__ import annotations

import datetime as dt
import math
from typing import TYPE_CHECKING, Any

from penstock.model.constants import MQENC_NATIVE
from penstock.model.descriptor_format import (
    MQMD_2,
    format_put_time,
    pack_descriptor,
    parse_put_time,
    unpack_descriptor,
)
from penstock.model.errors import error
from penstock.model.message import NEVER, Descriptor, Message
from penstock.tree._arena import Domain
from penstock.tree._path import Path
from penstock.tree.headers.header import UTF8, Content, describe_in, described_by, number, wrong_value
from penstock.tree.missing import MISSING

if TYPE_CHECKING:
    from penstock.tree._reference import Reference

# ESQL name -> attribute of the descriptor, and the length of text and ids.
_TEXT = {
    "Format": ("format", 8),
    "ReplyToQ": ("reply_to", 48),
    "ReplyToQMgr": ("reply_to_qmgr", 48),
    "UserIdentifier": ("user_id", 12),
    "ApplIdentityData": ("appl_identity_data", 32),
    "PutApplName": ("put_appl_name", 28),
    "ApplOriginData": ("appl_origin_data", 4),
}
_NUMBERS = {
    "Report": "report",
    "MsgType": "msg_type",
    "Feedback": "feedback",
    "Encoding": "encoding",
    "CodedCharSetId": "ccsid",
    "PutApplType": "put_appl_type",
    "MsgSeqNumber": "seq_number",
    "Offset": "offset",
    "MsgFlags": "flags",
    "OriginalLength": "original_length",
}
_IDS = {"AccountingToken": ("accounting_token", 32), "GroupId": ("group_id", 24)}
_TENTHS_MAX = 2**31 - 1
_DEFAULTS = Descriptor()
_PATHS = {name: Path(name) for name in (*MQMD_2.names, "SourceQueue", "Transactional")}


class MQMD(Domain):
    """The domain."""

    def __init__(self) -> None:
        super().__init__("MQMD", text=False, part=False)

    def parse_into(self, folder: Reference, data: Message | bytes) -> None:
        add_descriptor(folder, unpack_descriptor(data) if isinstance(data, bytes) else data)

    def serialise_from(self, folder: Reference) -> bytes:
        return pack_descriptor(message_of(folder), 2, MQENC_NATIVE, UTF8)

    def following(self, folder: Reference) -> Content:
        """Return what the descriptor says about the bytes of the message."""
        if not folder.is_changed and isinstance(folder.payload, Message):
            own = folder.payload.descriptor
            return Content(own.format, own.encoding, own.ccsid)
        return described_by(folder, self.name)

    def describe(self, folder: Reference, content: Content) -> None:
        """Let the descriptor say what is true."""
        if self.following(folder) != content:
            describe_in(folder, content)


def add_descriptor(folder: Reference, message: Message) -> None:
    """Add the fields of a message's descriptor below a folder."""
    own = message.descriptor
    date, time = put_moment(message.put_time)
    ready: dict[str, Any] = {
        "Version": 2,
        "Expiry": expiry_tenths(message),
        "Priority": message.priority,
        "Persistence": int(message.persistent),
        "MsgId": message.msg_id,
        "CorrelId": message.correl_id,
        "BackoutCount": message.backout_count,
        "PutDate": date,
        "PutTime": time,
    }
    add = folder.add_last_child
    for name in MQMD_2.names:
        if name in ready:
            add(name, ready[name], type=0x03000000)
        elif name in _TEXT:
            attribute, length = _TEXT[name]
            add(name, getattr(own, attribute).ljust(length))
        else:
            add(name, getattr(own, _NUMBERS[name] if name in _NUMBERS else _IDS[name][0]))


def message_of(folder: Reference | None, body: bytes = b"") -> Message:
    """Return a message with the descriptor that a folder holds, and a body.

    A folder that nobody changed gives the message that it came from, with another body.
    """
    if folder is None:
        return Message(body)
    if not folder.is_changed and isinstance(folder.payload, Message):
        return folder.payload.with_body(body)
    expiry = _number(folder, "Expiry", -1)
    put_time = _put_time(folder)
    message = Message(
        body,
        msg_id=_id(folder, "MsgId", 24),
        correl_id=_id(folder, "CorrelId", 24),
        persistent=_number(folder, "Persistence", 0) == 1,
        priority=_number(folder, "Priority", 0),
        put_time=put_time,
        expires_at=put_time + expiry / 10 if expiry > 0 else NEVER,
        descriptor=_descriptor(folder),
    )
    message.remaining = max(expiry, 0) / 10
    message.backout_count = _number(folder, "BackoutCount", 0)
    return message


def expiry_tenths(message: Message) -> int:
    """Return what remains of a message's life in tenths of a second; -1 for ever."""
    if message.expires_at == NEVER:
        return -1
    return min(max(1, math.ceil(round(message.remaining * 10, 3))), _TENTHS_MAX)


def put_moment(put_time: float) -> tuple[dt.date | None, dt.time | None]:
    """Return date and time of a put, in GMT; None for a time that nobody set."""
    date, time = format_put_time(put_time)
    if not date:
        return None, None
    hundredths = int(time[6:]) * 10_000
    moment = dt.time(int(time[:2]), int(time[2:4]), int(time[4:6]), hundredths, tzinfo=dt.UTC)
    return dt.date(int(date[:4]), int(date[4:6]), int(date[6:])), moment


def _descriptor(folder: Reference) -> Descriptor:
    fields: dict[str, Any] = {
        attribute: _number(folder, name, getattr(_DEFAULTS, attribute))
        for name, attribute in _NUMBERS.items()
    }
    fields |= {attribute: _text(folder, name, length) for name, (attribute, length) in _TEXT.items()}
    fields |= {attribute: _id(folder, name, length) for name, (attribute, length) in _IDS.items()}
    return Descriptor(**fields)


def _number(folder: Reference, name: str, default: int) -> int:
    return number(folder, "MQMD", _PATHS[name], default)


def _text(folder: Reference, name: str, length: int) -> str:
    value = folder.get(_PATHS[name])
    if value is MISSING or value is None:
        return ""
    if not isinstance(value, str):
        raise wrong_value("MQMD", _PATHS[name], "text", value)
    text = value.rstrip(" \0")
    if len(text) > length:
        raise error(8140, f"MQMD.{name} holds {length} characters, not {len(text)}: {text!r:.60}", field=name)
    return text


def _id(folder: Reference, name: str, length: int) -> bytes:
    value = folder.get(_PATHS[name])
    if value is MISSING or value is None:
        return bytes(length)
    if not isinstance(value, bytes) or len(value) > length:
        raise wrong_value("MQMD", _PATHS[name], f"at most {length} bytes", value)
    return value.ljust(length, b"\0")


def _put_time(folder: Reference) -> float:
    date, time = folder.get(_PATHS["PutDate"]), folder.get(_PATHS["PutTime"])
    if isinstance(date, dt.date) and isinstance(time, dt.time):
        moment = dt.datetime.combine(date, time.replace(tzinfo=dt.UTC))
        return moment.timestamp()
    if isinstance(date, str) and isinstance(time, str):
        return parse_put_time(date.strip(), time.strip())
    return 0.0
