"""Frames of message channels survive the way to bytes and back; nonsense is 8073 and nothing else."""

from __future__ import annotations

import random

import pytest

from penstock.channel import frames, moves
from penstock.channel.frames import Confirm, Confirmed
from penstock.channel.line import Frame
from penstock.channel.memory import Memory
from penstock.model.errors import MQError, error
from penstock.model.message import PLAIN, Descriptor, Message
from penstock.model.onward import Onward, original
from penstock.protocol import numbers as protocol

MESSAGE_FIELDS = (
    *("body", "length", "msg_id", "correl_id", "persistent", "priority", "put_time", "expires_at", "reports"),
    *("descriptor", "properties", "seq", "place", "lane", "backout_count", "onward"),
)
ONWARD_FIELDS = ("queue", "qmgr", "hops", "descriptor", "correl_id")
OWN = Descriptor(format="MQSTR", user_id="alice", group_id=b"g" * 24, flags=8)


def moved(*bodies: bytes, now: float = 1000.0) -> Frame:
    filled = moves.Moves()
    filled.begin(17, 5, False, 0.0)
    for body in bodies or (b"body",):
        message = Message(body, b"m" * 24, b"c" * 24, True, 4, 900.0, 1060.0, OWN, {"colour": "red"})
        filled.add(Onward("ORDERS", "QM2", OWN, hops=3), message, now, 0)
    return filled.take()


def run_of(*bodies: bytes, shortens: bool = True, **other: object) -> Frame:
    """Return a frame of messages as a transmission queue has them, alike but for what is in `other`."""
    filled = moves.Moves()
    filled.shortens = shortens
    filled.begin(17, 5, False, 0.0)
    queue, qmgr = "ORDERS", "QM2"
    for number, body in enumerate(bodies):
        message = Message(body, b"x" * 24, b"%024d" % number, True, 4, 950.0, 0.0, PLAIN)
        message.onward = Onward(queue, qmgr, OWN, b"c" * 24, 900.0 + number, 3)
        if number == len(bodies) - 1:
            for name, value in other.items():
                setattr(message.onward if name in ONWARD_FIELDS else message, name, value)
        if filled.is_alike(message):
            filled.add_alike(message)
        else:
            onward, inner = original(message, 0.0)
            filled.add(onward, inner, 0.0, 0)
    return filled.take()


def bodies_of(frame: Frame) -> list[bytes | None]:
    reader, found = moves.Reader(frame, {}), []
    while not found or reader.more():
        found.append(reader.next(0.0).body)
    return found


def test_a_message_comes_back_with_the_expiry_that_remains() -> None:
    frame = moved()
    assert (frame.kind, frame.request, frame.unit, frame.flags) == (protocol.MOVE, 17, 5, 0)
    reader = moves.Reader(frame, {})
    message, onward = reader.next(500_000.0), reader.onward
    assert (onward.queue, onward.qmgr, onward.hops) == ("ORDERS", "QM2", 3)
    assert (message.body, message.msg_id, message.correl_id) == (b"body", b"m" * 24, b"c" * 24)
    assert (message.persistent, message.priority, message.put_time) == (True, 4, 900.0)
    assert message.descriptor == OWN
    assert message.properties == {"colour": "red"}
    assert message.expires_at == 500_060.0
    assert not reader.more()


def test_a_frame_has_many_messages_and_can_be_cut_behind_each() -> None:
    frame = moved(b"1", b"", b"333")
    assert bodies_of(frame) == [b"1", b"", b"333"]
    assert bodies_of(moves.without_first(frame, 2)) == [b"333"]
    reader = moves.Reader(frame, {})
    reader.next(0.0)
    rest = moves.rest_of(frame, reader.at, 18, 0)
    assert (bodies_of(rest), rest.request, rest.unit) == ([b"", b"333"], 18, 5)


def test_messages_that_are_alike_are_sent_short_and_come_back_whole() -> None:
    bodies = [b"1", b"", b"333", b"4"]
    short, whole = run_of(*bodies), run_of(*bodies, shortens=False)
    assert len(short.payload) < len(whole.payload) - 3 * 100
    one, other = moves.Reader(short, {}), moves.Reader(whole, {})
    while one.more():
        first, second = one.next(0.0), other.next(0.0)
        assert all(getattr(first, name) == getattr(second, name) for name in MESSAGE_FIELDS)
        assert (one.onward.queue, one.onward.qmgr, one.onward.hops) == ("ORDERS", "QM2", 3)
    assert not other.more()


@pytest.mark.parametrize(
    "other",
    [
        {"hops": 4},
        {"queue": "OTHER"},
        {"qmgr": "OTHER"},
        {"correl_id": b"d" * 24},
        {"descriptor": Descriptor(format="MQSTR", user_id="bob")},
        {"persistent": False},
        {"priority": 5},
        {"expires_at": 2000.0},
        {"properties": {"colour": "red"}},
    ],
    ids=lambda other: next(iter(other)),
)
def test_a_message_that_is_not_alike_is_sent_whole(other: dict[str, object]) -> None:
    assert len(run_of(b"1", b"2", **other).payload) > len(run_of(b"1", b"2").payload) + 50


def test_a_frame_is_cut_in_a_run() -> None:
    frame = run_of(b"1", b"22", b"333", b"4444")
    for count in range(1, 4):
        rest = moves.without_first(frame, count)
        assert bodies_of(rest) == [b"1", b"22", b"333", b"4444"][count:]
        assert moves.Reader(rest, {}).next(0.0).put_time == 900.0 + count
    reader = moves.Reader(frame, {})
    reader.next(0.0), reader.next(0.0)
    rest = moves.rest_of(frame, reader.began, 18, reader.like_at)
    assert (bodies_of(rest), rest.request, rest.unit) == ([b"22", b"333", b"4444"], 18, 5)


@pytest.mark.parametrize("bodies", [(b"1",), (b"1", b"2")])
def test_a_message_like_none_before_it_is_refused(bodies: tuple[bytes, ...]) -> None:
    payload = bytearray(run_of(*bodies).payload)
    payload[7] = 2  # the first one says that it is like the one before
    with pytest.raises(MQError) as caught:
        bodies_of(Frame(protocol.MOVE, bytes(payload)))
    assert caught.value.reason == 8073


def test_a_frame_that_was_taken_in_part_is_sent_again_in_part() -> None:
    memory = Memory()
    memory.keep(3, moved(b"1", b"2", b"3"))
    memory.keep(1, moved(b"4"))
    memory.taken(2)
    assert memory.kept == 4
    lost = memory.begin("next")
    assert [(count, bodies_of(frame)) for count, frame in lost] == [(1, [b"3"]), (1, [b"4"])]
    assert (memory.kept, memory.kept_bytes, memory.sent) == (0, 0, 0)


def test_numbers_come_back() -> None:
    assert frames.read_confirm(frames.confirm(3, Confirm(1 << 40, 1, 50, 50))) == Confirm(1 << 40, 1, 50, 50)
    answer = Confirmed(1 << 40, 50, 1, 1 << 33)
    assert frames.read_confirmed(frames.confirmed(3, answer)) == answer
    assert frames.read_heartbeat(frames.heartbeat(12)) == 12


def test_a_failure_comes_back_with_its_reason() -> None:
    failure = frames.read_failed(frames.failed(3, error(2053, "queue ORDERS is full")))
    assert failure.reason == 2053
    assert "queue ORDERS is full" in failure.detail


@pytest.mark.parametrize(
    "read", [frames.read_confirm, frames.read_confirmed, frames.read_heartbeat, frames.read_greeting]
)
def test_a_wrong_length_is_refused(read) -> None:
    with pytest.raises(MQError) as caught:
        read(Frame(protocol.CONFIRM, b"123"))
    assert caught.value.reason == 8073


@pytest.mark.parametrize("frame", [moved(b"body", b"another"), run_of(b"body", b"another", b"third")])
def test_any_bytes_are_a_message_or_8073(frame: Frame) -> None:
    payload = frame.payload
    chance = random.Random(18)
    for _ in range(3000):
        data = bytearray(payload[: chance.randrange(len(payload) + 1)])
        for _ in range(chance.randrange(5)):
            if data:
                data[chance.randrange(len(data))] = chance.randrange(256)
        try:
            bodies_of(Frame(protocol.MOVE, bytes(data)))
        except MQError as refused:
            assert refused.reason == 8073
