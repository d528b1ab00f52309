"""Frames as bytes: what goes out comes in, and nonsense is refused."""

import random

import pytest

from penstock.model.message import Descriptor, Message
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Frame, Outgoing, Splitter

pytestmark = pytest.mark.installed
MAX = 1 << 20


def test_frames_come_out_as_they_went_in_however_the_stream_is_cut() -> None:
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    out = Outgoing()
    sent = []
    for request in range(200):
        payload = chance.randbytes(chance.choice((0, 1, 40, 300, 20_000)))
        out.frame(9, 1, 7, request, request * 2, payload)
        sent.append((9, 1, 7, request, request * 2, payload))
    stream = b"".join(out.take())
    splitter = Splitter(MAX)

    found = []
    at = 0
    while at < len(stream):
        size = chance.choice((1, 2, 3, 5, 17, 100, 5000))
        found += splitter.feed(stream[at : at + size])
        at += size

    assert found == sent, f"seed {seed}"


def test_a_large_frame_is_read_where_it_will_lie() -> None:
    out = Outgoing()
    out.frame(9, 0, 1, 1, 0, b"x" * 100_000)
    stream = b"".join(out.take())
    splitter, frame = Splitter(MAX), Frame()
    splitter.start(stream, 5000)
    assert not splitter.next(frame)

    room = splitter.room()
    assert room is not None
    room[:] = stream[5000:]
    splitter.grew(len(room))

    assert splitter.next(frame)
    assert frame.payload() == b"x" * 100_000
    assert not splitter.next(frame)


@pytest.mark.parametrize("length", [0, 3, 15, MAX + 1, 0xFFFFFFFF])
def test_a_length_that_cannot_be_is_refused(length: int) -> None:
    splitter = Splitter(MAX)
    with pytest.raises(ValueError, match="bytes"):
        splitter.feed(length.to_bytes(4, "little") + bytes(12))


def test_a_message_travels_whole() -> None:
    message = Message(
        b"body",
        b"m" * 24,
        b"c" * 24,
        True,
        7,
        123.5,
        999.5,
        Descriptor(format="MQSTR", reply_to="R", user_id="someone"),
        {"colour": "red", "size": 5},
    )
    message.remaining = 4.25
    message.backout_count = 3
    message.warning = 2079
    message.length = 400
    out = Outgoing()
    out.message(3, 9, message)

    splitter, frame = Splitter(MAX), Frame()
    stream = b"".join(out.take())
    splitter.start(stream, len(stream))
    assert splitter.next(frame)
    found = frame.read_message()

    assert frame.kind == protocol.MESSAGE
    for name in (
        *("body", "msg_id", "correl_id", "persistent", "priority", "put_time", "expires_at", "descriptor"),
        *("properties", "remaining", "backout_count", "warning", "length"),
    ):
        assert getattr(found, name) == getattr(message, name), name


def test_every_cut_off_message_is_refused() -> None:
    message = Message(b"", b"m" * 24, properties={"a": 1}, descriptor=Descriptor(format="X"), expires_at=5.0)
    out = Outgoing()
    out.message(1, 1, message)
    whole = b"".join(out.take())
    payload = whole[protocol.HEADER_BYTES :]
    for size in range(len(payload)):
        again = Outgoing()
        again.frame(protocol.MESSAGE, 0, 1, 1, 0, payload[:size])
        stream = b"".join(again.take())
        splitter, frame = Splitter(MAX), Frame()
        splitter.start(stream, len(stream))
        assert splitter.next(frame)
        with pytest.raises(ValueError):
            frame.read_message()
