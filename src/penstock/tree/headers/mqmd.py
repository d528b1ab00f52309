"""MQMD: the message descriptor as a folder. It is not part of a message's bytes.

The folder is built from a queue message on access, and converted back into one. Names and types are those of
ESQL: ids are BLOB, PutDate is a DATE and PutTime a GMTTIME, text keeps its padding. Missing fields have the
descriptor's defaults.
"""

from __future__ import annotations

import datetime as dt
import math
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.constants import (
    MQEI_UNLIMITED,
    MQENC_NATIVE,
    MQPER_NOT_PERSISTENT,
    MQPER_PERSISTENCE_AS_Q_DEF,
    MQPER_PERSISTENT,
)
from penstock.model.descriptor_format import (
    MQMD_2,
    pack_descriptor,
    parse_put_time,
    unpack_descriptor,
)
from penstock.model.errors import error
from penstock.model.message import NEVER, Descriptor, Message, is_watched
from penstock.tree.core._arena import Domain
from penstock.tree.core._path import Path
from penstock.tree.core.missing import MISSING
from penstock.tree.headers.header import UTF8, Content, describe_in, described_by, number, wrong_value

if TYPE_CHECKING:
    from penstock.tree.core._reference import Reference

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
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
DESCRIPTORS_KEPT = 256  # messages share them
_DEFAULTS = Descriptor()
_STEPS = tuple(Path(name) for name in MQMD_2.names)
_PATHS = {name: Path(name) for name in (*MQMD_2.names, "SourceQueue", "Transactional")}


class MQMD(Domain):
    """The domain."""

    field_names = tuple(MQMD_2.names)

    def __init__(self) -> None:
        super().__init__("MQMD", text=False, part=False)

    def parse_into(self, folder: Reference, data: Message | bytes) -> None:
        add_descriptor(folder, unpack_descriptor(data) if isinstance(data, bytes) else data)

    def serialise_from(self, folder: Reference) -> bytes:
        return pack_descriptor(message_of(folder), 2, MQENC_NATIVE, UTF8)

    def following(self, folder: Reference) -> Content:
        """Return the descriptor's description of the message's bytes."""
        if not folder.is_changed and isinstance(folder.payload, Message):
            own = folder.payload.descriptor
            return Content(own.format, own.encoding, own.ccsid)
        return described_by(folder, self.name)

    def describe(self, folder: Reference, content: Content) -> None:
        """Update the descriptor's description."""
        if self.following(folder) != content:
            describe_in(folder, content)


def add_descriptor(folder: Reference, message: Message) -> None:
    """Add the fields of a message's descriptor below a folder."""
    values = dict(_shared_values(message.descriptor))
    values["Expiry"] = expiry_tenths(message)
    values["Priority"] = message.priority
    values["Persistence"] = int(message.persistent)
    values["MsgId"] = message.msg_id
    values["CorrelId"] = message.correl_id
    values["BackoutCount"] = message.backout_count
    values["PutDate"], values["PutTime"] = put_moment(message.put_time)
    folder.add_values(_STEPS, values.values())


@lru_cache(maxsize=DESCRIPTORS_KEPT)
def _shared_values(own: Descriptor) -> dict[str, Any]:
    """Return the fields in their order with the values of a descriptor; those of a message are None."""
    values: dict[str, Any] = dict.fromkeys(MQMD_2.names)
    values["Version"] = 2
    values |= {name: getattr(own, attribute).ljust(length) for name, (attribute, length) in _TEXT.items()}
    values |= {name: getattr(own, attribute) for name, attribute in _NUMBERS.items()}
    values |= {name: getattr(own, attribute) for name, (attribute, _) in _IDS.items()}
    return values


def changed_message(folder: Reference) -> Message | None:
    """Return the message that a folder came from, with the changes since then.

    None if it came from none, if fields were added or deleted, or if a time was changed.
    """
    source = folder.payload
    if not isinstance(source, Message):
        return None
    changed = folder.changed_children(len(_STEPS)) if folder.is_changed else []
    if changed is None:
        return None
    message = source.snapshot()
    message.properties = None
    fields: dict[str, Any] = {}
    for name in [field.name for field in changed]:
        if name in _NUMBERS:
            fields[_NUMBERS[name]] = _number(folder, name, getattr(_DEFAULTS, _NUMBERS[name]))
        elif name in _TEXT:
            fields[_TEXT[name][0]] = _text(folder, name, _TEXT[name][1])
        elif name in _IDS:
            fields[_IDS[name][0]] = _id(folder, name, _IDS[name][1])
        elif name == "MsgId":
            message.msg_id = _id(folder, name, 24)
        elif name == "CorrelId":
            message.correl_id = _id(folder, name, 24)
        elif name == "Priority":
            message.priority = _number(folder, name, 0)
        elif name == "Persistence":
            message.persistent = _persistent(folder)
            if _number(folder, name, 0) == MQPER_PERSISTENCE_AS_Q_DEF:
                message.descriptor = message.descriptor.replace()  # its own: the put decides
        else:
            return None
    if fields:
        message.descriptor = _with_fields(message.descriptor, tuple(fields.items()))
        message.reports = is_watched(message.descriptor)
    return message


@lru_cache(maxsize=DESCRIPTORS_KEPT)
def _with_fields(own: Descriptor, fields: tuple[tuple[str, Any], ...]) -> Descriptor:
    """Return a descriptor with some fields changed; the same object for the same change."""
    return own.replace(**dict(fields))


def message_of(folder: Reference | None, body: bytes = b"") -> Message:
    """Return a message with the descriptor in a folder, and a body.

    An unchanged folder gives the message that it came from, with another body.
    """
    if folder is None:
        return Message(body)
    if not folder.is_changed and isinstance(folder.payload, Message):
        return folder.payload.with_body(body)
    expiry = _expiry(folder)
    put_time = _put_time(folder)
    message = Message(
        body,
        msg_id=_id(folder, "MsgId", 24),
        correl_id=_id(folder, "CorrelId", 24),
        persistent=_persistent(folder),
        priority=_number(folder, "Priority", 0),
        put_time=put_time,
        expires_at=put_time + expiry / 10 if expiry > 0 else NEVER,
        descriptor=_descriptor(folder),
    )
    message.remaining = max(expiry, 0) / 10
    message.backout_count = _number(folder, "BackoutCount", 0)
    return message


def _persistent(folder: Reference) -> bool:
    """Return whether a message is persistent; 2047 for a value that MQ does not know.

    Persistence as queue definition (2) counts as not persistent: only the put knows the queue.
    """
    value = _number(folder, "Persistence", 0)
    if value not in (MQPER_NOT_PERSISTENT, MQPER_PERSISTENT, MQPER_PERSISTENCE_AS_Q_DEF):
        raise error(
            mq.MQRC_PERSISTENCE_ERROR,
            f"MQMD.Persistence {value} is not one of 0 (no), 1 (yes) and 2 (as the queue says)",
        )
    return value == MQPER_PERSISTENT


def _expiry(folder: Reference) -> int:
    value = _number(folder, "Expiry", MQEI_UNLIMITED)
    if value <= 0 and value != MQEI_UNLIMITED:
        raise error(
            mq.MQRC_EXPIRY_ERROR,
            f"MQMD.Expiry {value} is neither -1 (for ever) nor a number of tenths of a second",
        )
    return value


def expiry_tenths(message: Message) -> int:
    """Return the remaining expiry of a message in tenths of a second; -1 for unlimited."""
    if message.expires_at == NEVER:
        return -1
    return min(max(1, math.ceil(round(message.remaining * 10, 3))), _TENTHS_MAX)


def put_moment(put_time: float) -> tuple[dt.date | None, dt.time | None]:
    """Return date and time of a put, in GMT; None if they were not set."""
    hundredths = round(put_time * 100)
    if hundredths <= 0:
        return None, None
    try:
        moment = _EPOCH + dt.timedelta(milliseconds=hundredths * 10)
    except OverflowError:
        return None, None
    return moment.date(), moment.timetz()


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
        raise error(
            mq.PSRC_HEADER_FIELD,
            f"MQMD.{name} holds {length} characters, not {len(text)}: {text!r:.60}",
            field=name,
        )
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
