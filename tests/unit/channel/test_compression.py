"""COMPMSG: who decides, what is compressed, and that a reader takes no more than the limit."""

import zlib

import pytest

from penstock.channel import compression, moves
from penstock.channel.line import Frame
from penstock.channel.terms import Terms, agreed, offered
from penstock.model.errors import MQError
from penstock.model.message import Message
from penstock.model.onward import Onward
from penstock.protocol import numbers as protocol
from penstock.qmgr.catalogue.attributes import defaults
from tests.unit.channel.test_frames import OWN

TEXT = b"<item>apple</item>" * 100
FLAGS_AT = 7  # of the first message of a MOVE
COMPRESSED = 1  # docs/internals/channel-protocol.md


@pytest.mark.parametrize(
    ("sender", "receiver", "level"),
    [
        (("ZLIBFAST",), ("ZLIBFAST",), 1),
        (("ZLIBHIGH", "ZLIBFAST"), ("ANY",), 6),
        (("ANY",), ("ZLIBHIGH",), 6),
        (("LZ4FAST", "ZLIBFAST"), ("ANY",), 1),
        (("NONE", "ZLIBFAST"), ("ANY",), 0),
        (("ZLIBFAST",), ("NONE",), 0),
        (("LZ4FAST",), ("LZ4FAST",), 0),
    ],
)
def test_the_first_of_the_sender_that_the_receiver_has_counts(sender, receiver, level):
    ends = [offered({**defaults("CHANNEL", "SDR"), "COMPMSG": each}, 100) for each in (sender, receiver)]
    assert compression.level_of(sender, agreed(*ends).compression) == level


def moved(body, level):
    filled = moves.Moves()
    filled.begin(1, 1, False, 0.0)
    filled.add(Onward("Q", "QM2", OWN), Message(body), 0.0, level)
    frame = filled.take()
    return frame, moves.Reader(frame, {}).next(0.0)


def test_a_body_arrives_as_it_was():
    frame, message = moved(TEXT, 1)
    assert frame.payload[FLAGS_AT] == COMPRESSED
    assert len(frame.payload) < len(TEXT)
    assert (message.body, message.length) == (TEXT, len(TEXT))


@pytest.mark.parametrize("body", [b"short", bytes(range(256)) * 2, b"x" * (compression.BYTES_MAX + 1)])
def test_what_gains_nothing_or_is_long_is_sent_as_it_is(body):
    body = zlib.compress(body) if len(body) == 512 else body
    frame, message = moved(body, 1)
    assert not frame.payload[FLAGS_AT]
    assert message.body == body


@pytest.mark.parametrize(
    "body",
    [
        b"no zlib",
        zlib.compress(b"x" * (compression.BYTES_MAX + 1)),
        zlib.compress(TEXT)[:-9],
        zlib.compress(TEXT) + b"x",
    ],
)
def test_a_body_that_is_none_or_grows_too_long_ends_the_link(body):
    with pytest.raises(ValueError, match="compressed body"):
        compression.expanded(body)
    payload = bytearray(moved(body, 0)[0].payload)
    payload[FLAGS_AT] = COMPRESSED
    with pytest.raises(MQError) as caught:
        moves.Reader(Frame(protocol.MOVE, bytes(payload)), {}).next(0.0)
    assert caught.value.reason == 8073


def test_nothing_is_compressed_unless_asked_for():
    assert Terms().compression == offered(defaults("CHANNEL", "SDR"), 100).compression == 0
