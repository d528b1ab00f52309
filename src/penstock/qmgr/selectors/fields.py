"""The fields of a message that a selector can name: Root.MQMD.* and the JMS names.

Each field is a function of the message that gives str, int, bool, bytes or None (null). Everything
else that a selector names is a property. Called by `selector` at compile time; the functions run
once for each message that a selector looks at. Invariant: no clock is read, so Root.MQMD.Expiry
and JMSExpiration speak of the life the message was given, not of what is left of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

from penstock.model.constants import MQMF_LAST_MSG_IN_GROUP, MQMF_MSG_IN_GROUP
from penstock.model.message import NEVER, NO_ID, Message

Field: TypeAlias = Callable[[Message, Mapping[str, Any]], Any]

IN_GROUP = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP
MQMD = "Root.MQMD."
JMS_MQMD = "JMS_IBM_MQMD_"
PERSISTENT, NON_PERSISTENT = "PERSISTENT", "NON_PERSISTENT"

# Text fields of MQMD: trailing blanks of what they are compared with do not count.
TEXTS = {
    "Format": "format",
    "ReplyToQ": "reply_to",
    "ReplyToQMgr": "reply_to_qmgr",
    "UserIdentifier": "user_id",
    "ApplIdentityData": "appl_identity_data",
    "PutApplName": "put_appl_name",
    "ApplOriginData": "appl_origin_data",
}
PLAIN_FIELDS = {
    "Report": "report",
    "MsgType": "msg_type",
    "Feedback": "feedback",
    "Encoding": "encoding",
    "CodedCharSetId": "ccsid",
    "AccountingToken": "accounting_token",
    "PutApplType": "put_appl_type",
    "GroupId": "group_id",
    "MsgSeqNumber": "seq_number",
    "Offset": "offset",
    "MsgFlags": "flags",
    "OriginalLength": "original_length",
}
OWN_FIELDS = {
    "Priority": "priority",
    "MsgId": "msg_id",
    "CorrelId": "correl_id",
    "BackoutCount": "backout_count",
}


def _of_descriptor(attribute: str) -> Field:
    return lambda message, _: getattr(message.descriptor, attribute)


def _of_message(attribute: str) -> Field:
    return lambda message, _: getattr(message, attribute)


def _expiry(message: Message, _: Mapping[str, Any]) -> int:
    """Tenths of a second from put to expiry, -1 for unlimited."""
    return -1 if message.expires_at == NEVER else round((message.expires_at - message.put_time) * 10)


def _put_date(message: Message, _: Mapping[str, Any]) -> str:
    return datetime.fromtimestamp(message.put_time, UTC).strftime("%Y%m%d")


def _put_time(message: Message, _: Mapping[str, Any]) -> str:
    moment = datetime.fromtimestamp(message.put_time, UTC)
    return moment.strftime("%H%M%S") + f"{moment.microsecond // 10000:02d}"


def _id_text(value: bytes) -> str | None:
    return None if value == NO_ID else "ID:" + value.hex()


def _correlation_id(message: Message, properties: Mapping[str, Any]) -> Any:
    given = properties.get("jms.Cid")
    return _id_text(message.correl_id) if given is None else given


def _group_id(message: Message, properties: Mapping[str, Any]) -> Any:
    given = properties.get("jms.Gid")
    return _id_text(message.descriptor.group_id) if given is None else given


def _group_seq(message: Message, properties: Mapping[str, Any]) -> Any:
    given = properties.get("jms.Seq")
    if given is None and message.descriptor.flags & IN_GROUP:
        return message.descriptor.seq_number
    return given


def _reply_to(message: Message, properties: Mapping[str, Any]) -> Any:
    given = properties.get("jms.Rto")
    if given is None and message.descriptor.reply_to:
        return f"queue://{message.descriptor.reply_to_qmgr}/{message.descriptor.reply_to}"
    return given


def _expiration(message: Message, _: Mapping[str, Any]) -> int:
    return 0 if message.expires_at == NEVER else int(message.expires_at * 1000)


MQMD_FIELDS: dict[str, Field] = {
    **{name: _of_descriptor(attribute) for name, attribute in (TEXTS | PLAIN_FIELDS).items()},
    **{name: _of_message(attribute) for name, attribute in OWN_FIELDS.items()},
    "Version": lambda _message, _: 2,
    "Expiry": _expiry,
    "Persistence": lambda message, _: 1 if message.persistent else 0,
    "PutDate": _put_date,
    "PutTime": _put_time,
}

JMS_FIELDS: dict[str, Field] = {
    "JMSMessageID": lambda message, _: _id_text(message.msg_id),
    "JMSCorrelationID": _correlation_id,
    "JMSDeliveryMode": lambda message, _: PERSISTENT if message.persistent else NON_PERSISTENT,
    "JMSPriority": _of_message("priority"),
    "JMSTimestamp": lambda message, _: int(message.put_time * 1000),
    "JMSExpiration": _expiration,
    "JMSRedelivered": lambda message, _: message.backout_count > 0,
    "JMSReplyTo": _reply_to,
    "JMSDestination": lambda _, properties: properties.get("jms.Dst"),
    "JMSType": lambda _, properties: properties.get("mcd.Type"),
    "JMSXUserID": _of_descriptor("user_id"),
    "JMSXAppID": _of_descriptor("put_appl_name"),
    "JMSXDeliveryCount": lambda message, _: message.backout_count + 1,
    "JMSXGroupID": _group_id,
    "JMSXGroupSeq": _group_seq,
    "JMS_IBM_Format": _of_descriptor("format"),
    "JMS_IBM_MsgType": _of_descriptor("msg_type"),
    "JMS_IBM_Feedback": _of_descriptor("feedback"),
    "JMS_IBM_PutApplType": _of_descriptor("put_appl_type"),
    "JMS_IBM_Encoding": _of_descriptor("encoding"),
    "JMS_IBM_PutDate": _put_date,
    "JMS_IBM_PutTime": _put_time,
    "JMS_IBM_Last_Msg_In_Group": lambda message, _: bool(message.descriptor.flags & MQMF_LAST_MSG_IN_GROUP),
}

TEXT_FIELDS = frozenset(
    [MQMD + name for name in TEXTS] + [JMS_MQMD + name for name in TEXTS] + ["JMS_IBM_Format"]
)


def delivery_mode_number(message: Message, _: Mapping[str, Any]) -> int:
    """JMSDeliveryMode as JMS numbers it: 2 persistent, 1 not."""
    return 2 if message.persistent else 1


def is_body_name(name: str) -> bool:
    """Return whether a name is a place in the body, for selectors of hosts that read bodies."""
    return name.startswith("Body.") or (name.startswith("Root.") and not name.startswith(MQMD))


def field(name: str) -> Field | None:
    """Return the field of this name, None when it is a property. KeyError: no such MQMD field."""
    if name.startswith(MQMD):
        return MQMD_FIELDS[name.removeprefix(MQMD)]
    if name.startswith(JMS_MQMD):
        return MQMD_FIELDS[name.removeprefix(JMS_MQMD)]
    return JMS_FIELDS.get(name)
