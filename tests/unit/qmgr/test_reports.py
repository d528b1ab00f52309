from __future__ import annotations

import struct

import pytest

from penstock.model.errors import MQError
from penstock.model.message import NEVER, NO_ID, Descriptor, Message
from penstock.qmgr.messages.reports import (
    Report,
    asks_for_report,
    discards,
    needs_body,
    report_for,
    validate_report_options,
)

COA, COD, EXCEPTION, EXPIRATION, PAN, NAN = 0x100, 0x800, 0x1000000, 0x200000, 1, 2
COA_DATA, COA_ALL = 0x300, 0x700
PASS_MSG_ID, PASS_CORREL_ID, DISCARD, PASS_EXPIRY = 128, 64, 0x8000000, 16384


def original(report: int, body: bytes = b"body", **fields: object) -> Message:
    given: dict[str, object] = {"reply_to": "REPLY", "reply_to_qmgr": "QM9", "format": "MQSTR", "ccsid": 819}
    descriptor = Descriptor(report=report, **(given | fields))
    return Message(body, b"M" * 24, b"C" * 24, True, 7, 100.0, NEVER, descriptor, {"a": 1})


def made(message: Message, event: str, feedback: int = 0) -> Report:
    report = report_for(message, event, 200.0, lambda: b"N" * 24, "QM1", feedback)
    assert report is not None
    return report


@pytest.mark.parametrize(
    ("event", "option", "feedback"),
    [
        ("COA", COA, 259),
        ("COD", COD, 260),
        ("EXPIRATION", EXPIRATION, 258),
        ("PAN", PAN, 275),
        ("NAN", NAN, 276),
    ],
)
def test_report_is_made_when_asked_for_and_not_otherwise(event: str, option: int, feedback: int) -> None:
    report = made(original(option), event)
    assert (report.queue, report.qmgr) == ("REPLY", "QM9")
    assert report.message.descriptor.msg_type == 4
    assert report.message.descriptor.feedback == feedback
    everything_else = (COA | COD | EXCEPTION | EXPIRATION | PAN | NAN) & ~option
    assert report_for(original(everything_else), event, 200.0, bytes, "QM1") is None


def test_exception_report_carries_the_reason() -> None:
    assert made(original(EXCEPTION), "EXCEPTION", 2053).message.descriptor.feedback == 2053


def test_message_without_reply_queue_gets_no_report() -> None:
    assert report_for(original(COA, reply_to=""), "COA", 200.0, bytes, "QM1") is None


def test_report_has_a_new_id_and_the_messages_id_as_correlation_id() -> None:
    message = made(original(COA), "COA").message
    assert (message.msg_id, message.correl_id) == (b"N" * 24, b"M" * 24)


def test_ids_are_passed_when_asked() -> None:
    message = made(original(COA | PASS_MSG_ID | PASS_CORREL_ID), "COA").message
    assert (message.msg_id, message.correl_id) == (b"M" * 24, b"C" * 24)


def test_report_keeps_persistence_priority_and_identity_but_has_the_queue_managers_origin() -> None:
    message = made(original(COA, user_id="ann", appl_identity_data="i", appl_origin_data="o"), "COA").message
    assert (message.persistent, message.priority, message.put_time) == (True, 7, 200.0)
    descriptor = message.descriptor
    assert (descriptor.user_id, descriptor.appl_identity_data, descriptor.appl_origin_data) == (
        "ann",
        "i",
        "",
    )
    assert (descriptor.put_appl_type, descriptor.put_appl_name) == (7, "QM1")
    assert (descriptor.report, descriptor.reply_to, descriptor.reply_to_qmgr) == (0, "", "")


@pytest.mark.parametrize(
    ("option", "length", "form"), [(COA, 0, ""), (COA_DATA, 100, "MQSTR"), (COA_ALL, 250, "MQSTR")]
)
def test_report_has_as_much_data_as_asked(option: int, length: int, form: str) -> None:
    message = original(option, bytes(250))
    report = made(message, "COA").message
    assert (report.length, report.descriptor.format, report.descriptor.ccsid) == (length, form, 819)
    assert needs_body(message, "COA") is (length > 0)
    assert not needs_body(message, "COD")


def test_headers_do_not_count_in_the_hundred_bytes() -> None:
    rfh2 = (
        b"RFH "
        + struct.pack("<iiii", 2, 48, 546, 1208)
        + b"MQSTR   "
        + struct.pack("<ii", 0, 1208)
        + bytes(12)
    )
    dead = b"DLH " + bytes(104) + struct.pack("<ii", 546, 1208) + b"MQHRF2  " + bytes(48)
    expired = original(0x600000, dead + rfh2 + bytes(300), format="MQDEAD")
    report = made(expired, "EXPIRATION").message
    assert report.length == 172 + 48 + 100
    cut = made(original(COA_DATA, dead[:120] + bytes(300), format="MQHRF2"), "COA").message
    assert cut.length == 100


def test_discard_and_expiry_are_inherited_only_when_asked() -> None:
    message = original(COA | DISCARD)
    message.expires_at = 500.0
    report = made(message, "COA").message
    assert (report.descriptor.report, report.expires_at) == (0, NEVER)
    message = original(COA | DISCARD | PASS_EXPIRY)
    message.expires_at = 500.0
    report = made(message, "COA").message
    assert (report.descriptor.report, report.expires_at) == (DISCARD, 500.0)


def test_expiration_report_that_inherits_expiry_lives_sixty_seconds() -> None:
    message = original(EXPIRATION | PASS_EXPIRY)
    message.expires_at = 199.0
    assert made(message, "EXPIRATION").message.expires_at == 260.0


def test_decision_report_on_a_group_member_carries_its_place_and_length() -> None:
    message = original(COA, b"abc", group_id=b"G" * 24, seq_number=3, offset=10, flags=8 | 2 | 1)
    descriptor = made(message, "COA").message.descriptor
    assert (descriptor.group_id, descriptor.seq_number, descriptor.offset) == (b"G" * 24, 3, 10)
    assert (descriptor.flags, descriptor.original_length) == (10, 3)
    descriptor = made(original(COA), "COA").message.descriptor
    assert (descriptor.group_id, descriptor.original_length) == (NO_ID, -1)


def test_decision_report_carries_the_properties_of_the_message() -> None:
    assert made(original(COA), "COA").message.properties == {"a": 1}


def test_discard_option_decides_about_an_undeliverable_message() -> None:
    assert discards(original(DISCARD))
    assert not discards(original(EXCEPTION))


def test_options_that_ask_for_a_report_need_a_reply_queue() -> None:
    assert all(asks_for_report(option) for option in (COA, COD, EXCEPTION, EXPIRATION, PAN, NAN, COA_ALL))
    assert not asks_for_report(PASS_MSG_ID | PASS_CORREL_ID | DISCARD | PASS_EXPIRY)


@pytest.mark.parametrize("option", [0x10000000, 0x40000, 0x20000, 0x8000, 0x200, 0x500, 0x1000])
def test_unknown_options_are_2061(option: int) -> None:
    with pytest.raises(MQError) as caught:
        validate_report_options(option)
    assert caught.value.reason == 2061


def accepted(option: int, transmission: bool = False) -> bool:
    try:
        validate_report_options(option, transmission=transmission)
    except MQError:
        return False
    return True


@pytest.mark.parametrize("option", [0, 0x07E03FC7 | PASS_EXPIRY | DISCARD, 0x20000000])
def test_unknown_options_that_may_be_ignored_pass(option: int) -> None:
    assert accepted(option)
    assert not accepted(option | 0x10000000)


def test_some_are_for_transmission_queues_alone() -> None:
    assert (accepted(0x20000), accepted(0x20000, transmission=True)) == (False, True)
