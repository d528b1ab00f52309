"""Report messages: sent to the putter of a message when it arrives, expires or fails.

Decides from the report options of a message whether an event asks for a report, and builds it. It
puts nothing: the engine puts the report to the queue named here, in the unit of work of the event,
and sends it to the dead-letter queue when that fails. Invariant: the original is not changed, and
no report asks for a report.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NamedTuple

from penstock.model import constants as mq
from penstock.model.ccsid import UTF8
from penstock.model.constants import (
    MQAT_QMGR,
    MQENC_INTEGER_MASK,
    MQENC_INTEGER_NORMAL,
    MQENC_INTEGER_REVERSED,
    MQENC_NATIVE,
    MQFB_ACTIVITY,
    MQFB_COA,
    MQFB_COD,
    MQFB_EXPIRATION,
    MQFB_NAN,
    MQFB_NONE,
    MQFB_PAN,
    MQFMT_ADMIN,
    MQFMT_DEAD_LETTER_HEADER,
    MQFMT_EMBEDDED_PCF,
    MQFMT_MD_EXTENSION,
    MQFMT_RF_HEADER_2,
    MQFMT_XMIT_Q_HEADER,
    MQMF_LAST_MSG_IN_GROUP,
    MQMF_LAST_SEGMENT,
    MQMF_MSG_IN_GROUP,
    MQMF_SEGMENT,
    MQMT_REPLY,
    MQMT_REPORT,
    MQRO_ACCEPT_UNSUP_IF_XMIT_MASK,
    MQRO_ACTIVITY,
    MQRO_COA,
    MQRO_COA_WITH_DATA,
    MQRO_COA_WITH_FULL_DATA,
    MQRO_COD,
    MQRO_COD_WITH_DATA,
    MQRO_COD_WITH_FULL_DATA,
    MQRO_DISCARD_MSG,
    MQRO_EXCEPTION,
    MQRO_EXCEPTION_WITH_DATA,
    MQRO_EXCEPTION_WITH_FULL_DATA,
    MQRO_EXPIRATION,
    MQRO_EXPIRATION_WITH_DATA,
    MQRO_EXPIRATION_WITH_FULL_DATA,
    MQRO_NAN,
    MQRO_PAN,
    MQRO_PASS_CORREL_ID,
    MQRO_PASS_DISCARD_AND_EXPIRY,
    MQRO_PASS_MSG_ID,
    MQRO_REJECT_UNSUP_MASK,
)
from penstock.model.errors import error
from penstock.model.limits import APPLICATION_NAME_LENGTH
from penstock.model.message import NEVER, NO_ID, Descriptor, Message

if TYPE_CHECKING:
    from collections.abc import Callable

DATA_BYTES = 100  # of application data in a report "with data"
HEADERS_MAX = 16  # headers looked through for where application data begins
EXPIRY_REPORT_SECONDS = 60.0  # life of an expiration report that inherits an expiry
GROUPED = MQMF_MSG_IN_GROUP | MQMF_LAST_MSG_IN_GROUP | MQMF_SEGMENT | MQMF_LAST_SEGMENT


class Report(NamedTuple):
    """A report and where it goes."""

    queue: str
    qmgr: str
    message: Message


class _Kind(NamedTuple):
    """The options that request a report, alone, with data and with all data; and its feedback."""

    asked: int
    with_data: int
    with_all: int
    feedback: int


EVENTS = {
    "COA": _Kind(MQRO_COA, MQRO_COA_WITH_DATA, MQRO_COA_WITH_FULL_DATA, MQFB_COA),
    "COD": _Kind(MQRO_COD, MQRO_COD_WITH_DATA, MQRO_COD_WITH_FULL_DATA, MQFB_COD),
    "EXCEPTION": _Kind(MQRO_EXCEPTION, MQRO_EXCEPTION_WITH_DATA, MQRO_EXCEPTION_WITH_FULL_DATA, 0),
    "EXPIRATION": _Kind(
        MQRO_EXPIRATION, MQRO_EXPIRATION_WITH_DATA, MQRO_EXPIRATION_WITH_FULL_DATA, MQFB_EXPIRATION
    ),
    "PAN": _Kind(MQRO_PAN, MQRO_PAN, 0, MQFB_PAN),
    "NAN": _Kind(MQRO_NAN, MQRO_NAN, 0, MQFB_NAN),
}
REPORTS = (
    MQRO_COA_WITH_FULL_DATA
    | MQRO_COD_WITH_FULL_DATA
    | MQRO_EXCEPTION_WITH_FULL_DATA
    | MQRO_EXPIRATION_WITH_FULL_DATA
    | MQRO_PAN
    | MQRO_NAN
    | MQRO_ACTIVITY
)
# A message with one of these headers in front is not where it was sent: nothing is confirmed.
SILENT = (MQFMT_DEAD_LETTER_HEADER, MQFMT_XMIT_Q_HEADER)
KNOWN = REPORTS | MQRO_PASS_MSG_ID | MQRO_PASS_CORREL_ID | MQRO_DISCARD_MSG | MQRO_PASS_DISCARD_AND_EXPIRY


def report_for(
    original: Message,
    event: str,
    now: float,
    new_id: Callable[[], bytes],
    qmgr_name: str,
    feedback: int = 0,
) -> Report | None:
    """Return the report that an event on a message calls for, or None.

    `event` is COA, COD, EXCEPTION, EXPIRATION, PAN or NAN; `feedback` the reason of an exception.
    A report with data needs the body of the message in memory: see `needs_body`.
    """
    descriptor = original.descriptor
    kind = EVENTS[event]
    if not descriptor.report & kind.asked or not descriptor.reply_to:
        return None
    if event in ("COA", "COD") and descriptor.format in SILENT:
        return None
    body = _data(original, kind)
    described = _descriptor(original, feedback or kind.feedback, qmgr_name, body is not None)
    message = _answering(original, body or b"", now, new_id, _expires_at(original, event, now), described)
    message.properties = original.properties
    return Report(descriptor.reply_to, descriptor.reply_to_qmgr, message)


def activity_report(
    original: Message, body: bytes, now: float, new_id: Callable[[], bytes], qmgr_name: str
) -> Message:
    """Return the report on an activity: embedded PCF in this machine's encoding."""
    descriptor = _descriptor(original, MQFB_ACTIVITY, qmgr_name, True)
    passed = original.descriptor.report & (MQRO_PASS_DISCARD_AND_EXPIRY | MQRO_DISCARD_MSG)
    described = descriptor.replace(
        format=MQFMT_EMBEDDED_PCF,
        encoding=MQENC_NATIVE,
        ccsid=UTF8,
        report=MQRO_DISCARD_MSG if passed else 0,
    )
    return _answering(original, body, now, new_id, _expires_at(original, "ACTIVITY", now), described)


def trace_route_reply(
    original: Message, body: bytes, now: float, new_id: Callable[[], bytes], qmgr_name: str
) -> Message:
    """Return the reply to a trace-route message that has come to its end; the body is the message's PCF."""
    descriptor = _descriptor(original, MQFB_NONE, qmgr_name, True)
    described = descriptor.replace(
        msg_type=MQMT_REPLY,
        format=MQFMT_ADMIN,
        report=MQRO_DISCARD_MSG if original.descriptor.report & MQRO_DISCARD_MSG else descriptor.report,
    )
    return _answering(original, body, now, new_id, _expires_at(original, "ACTIVITY", now), described)


def _answering(
    original: Message,
    body: bytes,
    now: float,
    new_id: Callable[[], bytes],
    expires_at: float,
    descriptor: Descriptor,
) -> Message:
    """Return a message about another one: priority and persistence of that, ids by its report options."""
    report = original.descriptor.report
    return Message(
        body,
        original.msg_id if report & MQRO_PASS_MSG_ID else new_id(),
        original.correl_id if report & MQRO_PASS_CORREL_ID else original.msg_id,
        original.persistent,
        original.priority,
        now,
        expires_at,
        descriptor,
    )


def needs_body(original: Message, event: str) -> bool:
    """Return whether the report of this event carries data of the message."""
    kind = EVENTS[event]
    return bool(original.descriptor.report & kind.asked) and _amount(original.descriptor.report, kind) > 0


def discards(original: Message) -> bool:
    """Return whether an undeliverable message is thrown away instead of going to the dead-letter queue."""
    return bool(original.descriptor.report & MQRO_DISCARD_MSG)


def confirms_arrival(original: Message) -> bool:
    """Return whether a message asks for a COA report on the queue it is put to."""
    return bool(original.descriptor.report & MQRO_COA) and original.descriptor.format not in SILENT


def asks_for_report(report: int) -> bool:
    """Return whether report options ask for any report, so that a ReplyToQ is needed (2027)."""
    return bool(report & REPORTS)


def validate_report_options(report: int, transmission: bool = False) -> None:
    """Raise 2061 for options that are unknown and may not be ignored.

    A message on its way to another queue manager may carry options that only that one knows.
    """
    unknown = report & ~KNOWN
    if unknown & MQRO_REJECT_UNSUP_MASK or (unknown & MQRO_ACCEPT_UNSUP_IF_XMIT_MASK and not transmission):
        raise error(mq.MQRC_REPORT_OPTIONS_ERROR, f"report options {unknown:#x} are not known", report=report)
    if transmission:
        return
    for kind in EVENTS.values():
        if report & kind.with_all not in (0, kind.asked, kind.with_data, kind.with_all) and kind.with_all:
            detail = f"report options {report & kind.with_all:#x} ask for data without a report"
            raise error(mq.MQRC_REPORT_OPTIONS_ERROR, detail, report=report)


def _descriptor(original: Message, feedback: int, qmgr_name: str, with_data: bool) -> Descriptor:
    """Identity context, group and code page come from the original; origin context is ours."""
    source = original.descriptor
    passed = source.report & MQRO_PASS_DISCARD_AND_EXPIRY
    grouped = bool(source.flags & GROUPED)
    segment = bool(source.flags & (MQMF_SEGMENT | MQMF_LAST_SEGMENT))
    return Descriptor(
        report=source.report & MQRO_DISCARD_MSG if passed else 0,
        msg_type=MQMT_REPORT,
        feedback=feedback,
        encoding=source.encoding,
        ccsid=source.ccsid,
        format=source.format if with_data else "",
        user_id=source.user_id,
        accounting_token=source.accounting_token,
        appl_identity_data=source.appl_identity_data,
        put_appl_type=MQAT_QMGR,
        put_appl_name=qmgr_name[:APPLICATION_NAME_LENGTH],
        group_id=source.group_id if grouped else NO_ID,
        seq_number=source.seq_number if grouped else 1,
        offset=source.offset if grouped else 0,
        flags=source.flags & GROUPED,
        original_length=original.length if segment else -1,
    )


def _expires_at(original: Message, event: str, now: float) -> float:
    if not original.descriptor.report & MQRO_PASS_DISCARD_AND_EXPIRY or original.expires_at == NEVER:
        return NEVER
    return now + EXPIRY_REPORT_SECONDS if event == "EXPIRATION" else original.expires_at


def _amount(report: int, kind: _Kind) -> int:
    """0 no data, 1 the first bytes, 2 all of it."""
    if kind.with_all and report & kind.with_all == kind.with_all:
        return 2
    return 1 if kind.with_data != kind.asked and report & kind.with_data == kind.with_data else 0


def _data(original: Message, kind: _Kind) -> bytes | None:
    """The data that the report carries; None when it carries none."""
    amount = _amount(original.descriptor.report, kind)
    body = original.body or b""
    if amount == 0:
        return None
    if amount == 2:
        return body
    return body[: _headers_length(body, original.descriptor) + DATA_BYTES]


# Format of a header: its length (0 if it contains it), offsets of length, encoding and next format.
HEADERS = {
    MQFMT_DEAD_LETTER_HEADER: (172, 0, 108, 116),
    MQFMT_XMIT_Q_HEADER: (428, 0, 128, 136),
    MQFMT_RF_HEADER_2: (0, 8, 12, 20),
    MQFMT_MD_EXTENSION: (72, 8, 12, 20),
}
BYTE_ORDERS = {MQENC_INTEGER_NORMAL: ">", MQENC_INTEGER_REVERSED: "<"}


def _headers_length(body: bytes, descriptor: Descriptor) -> int:
    """Return the length of the MQ headers before the application's data.

    Headers that are cut off, foreign or in EBCDIC count as application data.
    """
    place, name, encoding = 0, descriptor.format, descriptor.encoding
    for _ in range(HEADERS_MAX):
        header = HEADERS.get(name)
        order = BYTE_ORDERS.get(encoding & MQENC_INTEGER_MASK)
        if header is None or order is None or place + header[3] + 8 > len(body):
            break
        fixed, length_at, encoding_at, format_at = header
        length = fixed or struct.unpack_from(order + "i", body, place + length_at)[0]
        if not 0 < length <= len(body) - place:
            break
        encoding = struct.unpack_from(order + "i", body, place + encoding_at)[0] or encoding
        name = body[place + format_at : place + format_at + 8].decode("latin-1").rstrip(" \0")
        place += length
    return place
