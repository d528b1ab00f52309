"""Frames of megabytes: what they carry arrives whole, in slices, and in its turn."""

from __future__ import annotations

import random
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

import penstock
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import LARGE_BYTES, Frame, Outgoing, Splitter
from penstock.protocol._large import Bodies, LongText, Values
from penstock.serve.conversations import large_frames
from tests.processes.serve.test_calm_loop import served_while
from tests.processes.serve.test_strangers import frame, is_closed, packed_call, raw
from tests.served import Served

pytestmark = pytest.mark.installed
FRAME_MAX = 8 << 20
BODY = bytes(range(256)) * (3 * LARGE_BYTES // 256)  # the channel takes 4 MB


def cut_out(stream: bytes, cuts: list[int]) -> Frame:
    """Return the one frame of a stream that comes in pieces."""
    splitter, found = Splitter(FRAME_MAX), Frame()
    for start, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        piece = stream[start:end]
        while piece:
            room = splitter.room()
            if room is None:
                splitter.start(piece, len(piece))
                taken = len(piece)
            else:
                taken = min(len(room), len(piece))
                room[:taken] = piece[:taken]
                splitter.grew(taken)
            complete = splitter.next(found)
            assert complete == (end == len(stream) and taken == len(piece))
            piece = piece[taken:]
    kept = found.kept()
    assert kept is not None
    return kept


def read(reading: Any, budget: int) -> Any:
    while not reading.step(budget):
        pass
    return reading.value


@pytest.mark.parametrize(
    "cuts", [[], [1], [3, 5], [4], [16], [23], [24], [25, 40], [72], [80], [82, 90, 400_000]]
)
def test_the_body_of_a_large_put_is_received_where_it_stays(cuts: list[int]) -> None:
    out = Outgoing()
    ids = (b"m" * 24, b"c" * 24)
    out.put(0, 1, 2, 3, 4, protocol.PERSISTENT, *ids, BODY, b"fields")

    found = cut_out(b"".join(out.take()), cuts or [1000])

    assert found.read_put() == BODY
    assert found.read_put() is found.read_put()  # nothing is copied
    assert (found.request, found.unit, found.target) == (2, 3, 4)
    assert (found.msg_id, found.correl_id, found.fields) == (*ids, b"fields")


def any_value(chance: random.Random, depth: int = 0) -> Any:
    kind = chance.randrange(12 if depth < 4 else 9)
    if kind == 0:
        return chance.choice([None, True, False])
    if kind in (1, 2, 3):
        return chance.choice([1, -1]) * chance.randrange(1 << chance.choice([5, 7, 8, 15, 16, 31, 32, 62]))
    if kind == 4:
        return chance.random() * 1e9
    if kind in (5, 6):
        return "é€a😀"[: chance.randrange(5)] * chance.choice([0, 1, 9, 70, 6000])
    if kind in (7, 8):
        return chance.randbytes(chance.choice([0, 5, 300, 70_000]))
    if kind == 9:
        return [any_value(chance, depth + 1) for _ in range(chance.choice([0, 3, 20]))]
    return {f"k{n}": any_value(chance, depth + 1) for n in range(chance.choice([0, 3, 20]))}


def test_values_read_in_slices_are_those_that_were_packed() -> None:
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    for _ in range(50):
        value = any_value(chance)
        stream = frame(protocol.CALL, msgspec.msgpack.encode(value))
        found = Values(cut_out(stream, [6]), 1_000_000)
        assert read(found, chance.choice([1, 100, 5000, 1 << 20])) == value, f"seed {seed}"


def test_a_long_text_comes_in_pieces_that_end_with_a_character() -> None:
    text = "a" + "€" * 100_000 + "😀" * 50_000
    found = read(Values(cut_out(frame(protocol.CALL, msgspec.msgpack.encode([text])), [6]), 10), 1000)
    assert isinstance(found[0], LongText)
    assert "".join(found[0].pieces) == text
    assert max(len(piece.encode()) for piece in found[0].pieces) <= 64 << 10


def test_a_slice_reads_no_more_than_it_may() -> None:
    stream = frame(protocol.CALL, msgspec.msgpack.encode([BODY, list(range(10_000))]))
    values = Values(cut_out(stream, [6]), 20_000)
    read(values, 64 << 10)
    assert values.steps >= len(BODY) // (64 << 10) + 10_000 // 1024

    out = Outgoing()
    out.put_many(0, 1, 1, 0, 7, 0, [BODY, b"", b"x" * 10])
    bodies = Bodies(cut_out(b"".join(out.take()), [6]))
    assert read(bodies, 64 << 10) == [BODY, b"", b"x" * 10]
    assert bodies.steps >= len(BODY) // (64 << 10)


@pytest.mark.parametrize(
    "payload",
    [b"\x92\xa1a", b"\xc1", b"\xd6\x01abcd", b"\xc7\x01\x05x", b"\xa2\xff\xff", b"\xc6\xff\xff\xff\xff"],
)
def test_what_is_no_value_is_refused(payload: bytes) -> None:
    with pytest.raises(ValueError):
        read(Values(cut_out(frame(protocol.CALL, payload), [6]), 10), 100)


def test_others_have_their_turn_between_two_slices_of_a_large_call(tmp_path: Path) -> None:
    """Slices are counted: a large call takes that many turns of the loop."""

    def drive(server: Any, address: str) -> None:
        with penstock.connect(address, share=False) as qm:
            qm.put("APP.Q", BODY, properties={"colour": "red"}, persistent=False)
            assert server.large_frames.slices >= len(BODY) // large_frames.SLICE_BYTES
            qm.put("APP.Q", BODY, persistent=True)
            found = [qm.get("APP.Q") for _ in range(2)]
        assert [message.body for message in found if message is not None] == [BODY, BODY]
        assert found[0] is not None
        assert found[0].properties == {"colour": "red"}

    served_while(tmp_path, drive)


def test_calls_behind_a_large_one_wait_for_it(served: Served) -> None:
    """Without waiting for answers: what is sent behind a large put is done after it."""
    puts = [
        frame(protocol.CALL, packed_call("put", body=msgspec.msgpack.encode(body), queue="APP.Q"), 1, number)
        for number, body in enumerate([BODY, b"second", BODY[:LARGE_BYTES], b"fourth"], 1)
    ]
    out = Outgoing()
    out.frame(protocol.NAME, 0, 1, 5, 0, (7).to_bytes(4, "little") + b"APP.Q")
    out.put_many(0, 1, 6, 0, 7, protocol.NOT_PERSISTENT, [BODY[:1_000_000], b"many", BODY[:1_000_000]])
    out.put(0, 1, 7, 0, 7, protocol.NOT_PERSISTENT, None, None, b"last")
    with raw(served) as sock:
        threading.Thread(target=sock.sendall, args=(b"".join([*puts, *out.take()]),)).start()
        answers, splitter = [], Splitter(1 << 20)
        while len(answers) < 6:
            answers += splitter.feed(sock.recv(65536))
    kinds = [*[protocol.RESULT] * 4, protocol.RECEIPTS, protocol.RECEIPT]
    assert [(answer[0], answer[3]) for answer in answers] == list(zip(kinds, (1, 2, 3, 4, 6, 7), strict=True))
    with served.connect(share=False) as qm:
        lengths = [len(message.body) for _ in range(8) if (message := qm.get("APP.Q")) is not None]
    assert lengths == [len(BODY), 6, LARGE_BYTES, 6, 1_000_000, 4, 1_000_000, 4]


def test_a_large_frame_that_makes_no_sense_ends_its_link_alone(served: Served) -> None:
    wrong = packed_call("put", body=msgspec.msgpack.encode(BODY), queue=b"\xd6\x01abcd")
    with served.connect(share=False) as other, raw(served) as sock:
        sock.sendall(frame(protocol.CALL, wrong, 1))
        assert is_closed(sock)
        other.put("APP.Q", b"")
        assert other.get("APP.Q") is not None


def test_a_client_that_goes_while_its_frame_is_read_leaves_nothing(served: Served) -> None:
    call = packed_call("put", body=msgspec.msgpack.encode(BODY), queue="APP.Q")
    for _ in range(5):
        with raw(served) as sock:
            sock.sendall(frame(protocol.CALL, call, 1) * 2)
    with served.connect(share=False) as qm:
        qm.put("APP.REPLIES", b"")
        assert qm.get("APP.REPLIES") is not None
        while qm.get("APP.Q") is not None:  # those that were read in time
            pass
        assert not qm.mqsc("DISPLAY QSTATUS(APP.Q)")[0].failed
