"""A message's head survives the way to bytes and back, with every type that a property may have."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from penstock.model.errors import MQError
from penstock.model.message import NO_ID, PLAIN, Descriptor, Message
from penstock.model.onward import Onward
from penstock.model.properties import Float32, Int8, Int16, Int32, Int64
from penstock.store.message_files import MessageFiles
from penstock.store.message_format import decode_head, encode_head, head_numbers, load_messages

FIELDS = [
    "msg_id",
    "correl_id",
    "persistent",
    "priority",
    "put_time",
    "expires_at",
    "descriptor",
    "properties",
    "backout_count",
    "seq",
    "place",
    "lane",
    "length",
    "body",
]
ONWARD_FIELDS = ("queue", "qmgr", "descriptor", "correl_id", "put_time", "hops", "msg_id", "bind")


def full_message() -> Message:
    descriptor = Descriptor(format="MQSTR", reply_to="REPLIES", user_id="ümit", group_id=b"g" * 24, flags=8)
    properties = {"a": 1, "b": True, "c": None, "d": b"\0\xff", "e": 1.5, "ü": "text"}
    message = Message(b"body", b"m" * 24, b"c" * 24, True, 7, 1234.5, 99.25, descriptor, properties)
    message.seq, message.place, message.lane, message.backout_count = 1 << 40, -3, 2, 5
    return message


def onward_message() -> Message:
    message = full_message()
    message.onward = Onward("ORDERS", "QM2", Descriptor(user_id="alice"), b"i" * 24, 1000.25, 3)
    return message


def same(one: Message, other: Message) -> bool:
    if any(getattr(one.onward, field, None) != getattr(other.onward, field, None) for field in ONWARD_FIELDS):
        return False
    return all(getattr(one, field) == getattr(other, field) for field in FIELDS)


def test_everything_comes_back() -> None:
    message = full_message()
    head = encode_head(message, 17, 1 << 50)
    assert same(decode_head(head, b"body", 4), message)
    assert head_numbers(head) == (len(head), 17, 1 << 50)


def test_an_onward_part_comes_back_and_makes_it_version_2() -> None:
    message = onward_message()
    head = encode_head(message, 17, 1 << 50)
    assert head[0] == 2
    assert same(decode_head(head + b"body", b"body", 4), message)
    assert head_numbers(head + b"body") == (len(head), 17, 1 << 50)


def test_a_plain_message_takes_72_bytes_and_is_version_1() -> None:
    message = Message(b"")
    head = encode_head(message)
    assert (len(head), head[0]) == (72, 1)
    found = decode_head(head, b"", 0)
    assert same(found, message)
    assert found.msg_id is NO_ID
    assert found.descriptor is PLAIN


def test_a_body_may_stay_on_disk_or_follow_the_head() -> None:
    head = encode_head(full_message())
    found = decode_head(memoryview(head + b"body behind it"), None, 14)
    assert found.body is None
    assert found.length == 14
    assert head_numbers(head + b"body behind it")[0] == len(head)


def test_property_types_are_kept_apart() -> None:
    properties = {"i8": Int8(1), "i16": Int16(1), "i32": Int32(1), "i64": Int64(1), "f": Float32(0.1), "n": 1}
    found = decode_head(encode_head(Message(b"", properties=properties)), b"", 0).properties
    assert found == properties
    assert [type(value) for value in found.values()] == [type(value) for value in properties.values()]


def test_messages_with_equal_descriptors_share_one_after_loading() -> None:
    first, second = (
        decode_head(encode_head(Message(b"", descriptor=Descriptor(reply_to="SAME"))), b"", 0) for _ in "12"
    )
    assert first.descriptor is second.descriptor
    assert first.descriptor == Descriptor(reply_to="SAME")


def test_thousands_of_descriptors_do_not_confuse_each_other() -> None:
    for n in range(10_000):
        message = Message(b"", descriptor=Descriptor(reply_to=f"Q{n}"))
        assert decode_head(encode_head(message), b"", 0).reply_to == f"Q{n}"


def test_load_messages_is_load_and_decode_in_one(tmp_path: Path) -> None:
    files = MessageFiles(tmp_path)
    message = full_message()
    locations = files.write([(encode_head(message, n, n * 2), b"x" * n) for n in range(10)])
    files.discard(locations[4])
    files.amend(locations[5], 9)
    manifest = files.sync()
    files.close()
    found = list(load_messages(MessageFiles(tmp_path), manifest))
    numbers = [n for n in range(10) if n != 4]
    assert [(queue_id, unit) for _, queue_id, unit in found] == [(n, n * 2) for n in numbers]
    assert [m.location for m, _, _ in found] == [locations[n] for n in numbers]
    assert [m.length for m, _, _ in found] == numbers
    assert [m.backout_count for m, _, _ in found] == [9 if n == 5 else 5 for n in numbers]
    assert all(m.body is None and m.properties == message.properties for m, _, _ in found)


def test_a_newer_head_is_refused() -> None:
    head = bytearray(encode_head(Message(b"")))
    head[0] = 3
    with pytest.raises(MQError) as caught:
        decode_head(bytes(head), b"", 0)
    assert caught.value.reason == 8003


@pytest.mark.parametrize("make", [full_message, onward_message])
def test_any_bytes_give_a_message_or_an_error(make: Callable[[], Message]) -> None:
    head = encode_head(make())
    random_ = random.Random(11)
    for _ in range(3000):
        data = bytearray(head[: random_.randrange(len(head) + 1)])
        for _ in range(random_.randrange(4)):
            if data:
                data[random_.randrange(len(data))] = random_.randrange(256)
        try:
            decode_head(bytes(data), b"", 0)
            head_numbers(bytes(data))
        except MQError as refused:
            assert refused.reason in (8003, 8010)
