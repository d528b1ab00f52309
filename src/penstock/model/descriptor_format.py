"""MQMD as bytes: versions 1 (324 bytes) and 2 (364), in either byte order and any single-byte code page.

Turns a `Message` into its descriptor's bytes and back. The body is not touched and nothing is
validated beyond the structure: the meaning of the fields belongs to room `qmgr`. Headers that embed
a descriptor and everything that leaves the queue manager in MQ's own form call this module.
"""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

from penstock.model import constants as mq
from penstock.model.constants import MQENC_NATIVE
from penstock.model.errors import error
from penstock.model.message import NEVER, Descriptor, Message
from penstock.model.structure import Layout

_FIELDS_1 = (
    "Version:i Report:i MsgType:i Expiry:i Feedback:i Encoding:i CodedCharSetId:i Format:8 Priority:i"
    " Persistence:i MsgId:24x CorrelId:24x BackoutCount:i ReplyToQ:48 ReplyToQMgr:48 UserIdentifier:12"
    " AccountingToken:32x ApplIdentityData:32 PutApplType:i PutApplName:28 PutDate:8 PutTime:8"
    " ApplOriginData:4"
)
_FIELDS_2 = " GroupId:24x MsgSeqNumber:i Offset:i MsgFlags:i OriginalLength:i"

MQMD_1 = Layout("MQMD", "MD  ", mq.MQRC_MD_ERROR, _FIELDS_1)
MQMD_2 = Layout("MQMD", "MD  ", mq.MQRC_MD_ERROR, _FIELDS_1 + _FIELDS_2)

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FLOAT_ERROR = (
    0.01  # of hundredths, more than a float's until the year 9999: a time that was parsed is itself
)
_TENTHS_MAX = 2**31 - 1
_PERSISTENT = 1


def pack_descriptor(
    message: Message,
    version: int = 2,
    encoding: int = MQENC_NATIVE,
    ccsid: int = 1208,
    now: float | None = None,
) -> bytes:
    """Return the message's MQMD. Version 1 leaves out the group and segment fields.

    Expiry is what remains at `now`; without `now`, what remained when the message was handed out.
    Text that does not fit its field raises 2026.
    """
    own = message.descriptor
    date, time = format_put_time(message.put_time)
    values: list[Any] = [
        version,
        own.report,
        own.msg_type,
        _expiry_tenths(message, now),
        own.feedback,
        own.encoding,
        own.ccsid,
        own.format,
        message.priority,
        int(message.persistent),
        message.msg_id,
        message.correl_id,
        message.backout_count,
        own.reply_to,
        own.reply_to_qmgr,
        own.user_id,
        own.accounting_token,
        own.appl_identity_data,
        own.put_appl_type,
        own.put_appl_name,
        date,
        time,
        own.appl_origin_data,
    ]
    if version == 1:
        return MQMD_1.pack(values, encoding, ccsid)
    values += [own.group_id, own.seq_number, own.offset, own.flags, own.original_length]
    return MQMD_2.pack(values, encoding, ccsid)


def unpack_descriptor(
    data: bytes | memoryview,
    encoding: int = MQENC_NATIVE,
    ccsid: int = 1208,
    now: float | None = None,
    offset: int = 0,
) -> Message:
    """Return a message without a body that has the descriptor's fields.

    The expiry counts from `now`, or from the put time without it. A short structure, a wrong
    identifier or a version other than 1 and 2 raises 2026.
    """
    values: list[Any] = list(MQMD_1.unpack(data, encoding, ccsid, offset))
    if values[0] == 2:
        values = list(MQMD_2.unpack(data, encoding, ccsid, offset))
    elif values[0] != 1:
        raise error(mq.MQRC_MD_ERROR, f"MQMD of version {values[0]}: only 1 and 2 exist", version=values[0])
    field = dict(zip(MQMD_2.names, values, strict=False))
    put_time = parse_put_time(field["PutDate"], field["PutTime"])
    message = Message(
        b"",
        msg_id=field["MsgId"],
        correl_id=field["CorrelId"],
        persistent=field["Persistence"] == _PERSISTENT,
        priority=field["Priority"],
        put_time=put_time,
        descriptor=_descriptor(field),
    )
    message.backout_count = field["BackoutCount"]
    if field["Expiry"] > 0:
        message.remaining = field["Expiry"] / 10
        message.expires_at = (put_time if now is None else now) + message.remaining
    return message


def format_put_time(put_time: float) -> tuple[str, str]:
    """Return PutDate (yyyymmdd) and PutTime (hhmmssth, GMT), rounded down; blanks for an unset time."""
    hundredths = math.floor(put_time * 100 + _FLOAT_ERROR)
    if hundredths <= 0:
        return "", ""
    try:
        moment = _EPOCH + timedelta(milliseconds=hundredths * 10)
    except OverflowError:
        return "", ""
    return f"{moment:%Y%m%d}", f"{moment:%H%M%S}{moment.microsecond // 10_000:02d}"


def parse_put_time(date: str, time: str) -> float:
    """Return the seconds since the epoch of PutDate and PutTime; 0.0 if they are blank or invalid."""
    if len(date) != 8 or len(time) != 8 or not (date + time).isascii() or not (date + time).isdigit():
        return 0.0  # programs that set all context may write anything here
    try:
        moment = datetime(int(date[:4]), int(date[4:6]), int(date[6:]), tzinfo=UTC)
        seconds = timedelta(hours=int(time[:2]), minutes=int(time[2:4]), seconds=int(time[4:6]))
    except ValueError:
        return 0.0
    return (moment + seconds - _EPOCH).total_seconds() + int(time[6:]) / 100


def _expiry_tenths(message: Message, now: float | None) -> int:
    if message.expires_at == NEVER:
        return -1
    remaining = message.remaining if now is None else message.expires_at - now
    return min(max(1, math.ceil(round(remaining * 10, 3))), _TENTHS_MAX)


def _descriptor(field: dict[str, Any]) -> Descriptor:
    own = Descriptor(
        report=field["Report"],
        msg_type=field["MsgType"],
        feedback=field["Feedback"],
        encoding=field["Encoding"],
        ccsid=field["CodedCharSetId"],
        format=field["Format"],
        reply_to=field["ReplyToQ"],
        reply_to_qmgr=field["ReplyToQMgr"],
        user_id=field["UserIdentifier"],
        accounting_token=field["AccountingToken"],
        appl_identity_data=field["ApplIdentityData"],
        put_appl_type=field["PutApplType"],
        put_appl_name=field["PutApplName"],
        appl_origin_data=field["ApplOriginData"],
    )
    if "GroupId" not in field:
        return own
    return own.replace(
        group_id=field["GroupId"],
        seq_number=field["MsgSeqNumber"],
        offset=field["Offset"],
        flags=field["MsgFlags"],
        original_length=field["OriginalLength"],
    )
