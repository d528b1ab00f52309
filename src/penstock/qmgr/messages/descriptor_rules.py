"""What an application may write into a message descriptor: types, lengths, and MQ's own rules.

`clean_fields` makes values fit to be kept and sent (whole numbers of 32 bits, text that fits its
field, ids filled up with zeros); `check_descriptor` asks whether they make sense together. Called by
`putting` before anything is changed. Invariant: a descriptor that passed both can be written in MQ's
own form, so that it cannot fail later, in the journal or on a channel.
"""

from __future__ import annotations

from operator import index
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.messages.reports import asks_for_report, validate_report_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from penstock.model.message import Descriptor

ID_LENGTH = 24
INTEGER_MAX = 2**31 - 1
TEXT_LENGTHS = {
    "format": 8,
    "reply_to": 48,
    "reply_to_qmgr": 48,
    "user_id": 12,
    "appl_identity_data": 32,
    "put_appl_name": 28,
    "appl_origin_data": 4,
}
BYTE_LENGTHS = {"group_id": ID_LENGTH, "accounting_token": 32}


def clean_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return descriptor fields as they are kept; 2026 for one that is of a wrong type or too long."""
    return {name: _clean(name, value) for name, value in fields.items()}


def _clean(name: str, value: Any) -> Any:
    if name in TEXT_LENGTHS:
        return _text(name, value)
    if name in BYTE_LENGTHS:
        return padded(value, name, BYTE_LENGTHS[name])
    return _number(name, value)


def _number(name: str, value: Any) -> int:
    try:
        number = index(value)
    except TypeError:
        raise error(mq.MQRC_MD_ERROR, f"{name} is a whole number, not {type(value).__name__}") from None
    if not -INTEGER_MAX - 1 <= number <= INTEGER_MAX:
        raise error(mq.MQRC_MD_ERROR, f"{name} has at most 32 bits; {number} does not fit")
    return number


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise error(mq.MQRC_MD_ERROR, f"{name} is text, not {type(value).__name__}")
    text = value.rstrip(" ")
    if len(text.encode("utf-8", "surrogatepass")) > TEXT_LENGTHS[name]:
        raise error(mq.MQRC_MD_ERROR, f"{name} {text[:60]!r} is longer than {TEXT_LENGTHS[name]} bytes")
    if not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text):
        raise error(mq.MQRC_MD_ERROR, f"{name} cannot hold half of a surrogate pair")
    return text


def padded(value: Any, name: str, length: int = ID_LENGTH) -> bytes:
    """Return bytes filled up with zeros; 2026 when they are too long or no bytes."""
    if not isinstance(value, bytes | bytearray | memoryview):
        raise error(mq.MQRC_MD_ERROR, f"{name} is bytes, not {type(value).__name__}")
    if len(value) > length:
        raise error(mq.MQRC_MD_ERROR, f"{name} is longer than {length} bytes")
    return bytes(value).ljust(length, b"\0")


def priority_of(wanted: Any, maximum: int) -> tuple[int, int]:
    """Return a priority and a warning: above the maximum it is kept, with 2049; 2050 when it cannot be."""
    try:
        number = index(wanted)
    except TypeError:
        raise error(
            mq.MQRC_PRIORITY_ERROR, f"a priority is a whole number, not {type(wanted).__name__}"
        ) from None
    if not 0 <= number <= INTEGER_MAX:
        raise error(mq.MQRC_PRIORITY_ERROR, f"priority {number} is not 0 to {maximum}")
    return number, mq.MQRC_PRIORITY_EXCEEDS_MAXIMUM if number > maximum else 0


def check_descriptor(descriptor: Descriptor) -> None:
    """Raise what MQ has against a descriptor: 2029, 2027, 2061."""
    kind = descriptor.msg_type
    if kind not in (mq.MQMT_REQUEST, mq.MQMT_REPLY, mq.MQMT_DATAGRAM, mq.MQMT_REPORT):
        if not mq.MQMT_APPL_FIRST <= kind <= mq.MQMT_APPL_LAST:
            raise error(
                mq.MQRC_MSG_TYPE_ERROR,
                f"message type {kind} is not one of MQ's nor of the application's range",
            )
    if kind == mq.MQMT_REQUEST and not descriptor.reply_to:
        raise error(mq.MQRC_MISSING_REPLY_TO_Q, "a request needs a queue for the reply")
    if descriptor.report:
        validate_report_options(descriptor.report)
        if asks_for_report(descriptor.report) and not descriptor.reply_to:
            raise error(mq.MQRC_MISSING_REPLY_TO_Q, "a report needs a queue to go to")
