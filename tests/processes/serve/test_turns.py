"""What one client sends at once takes turns of the loop: other clients are served in between.

Turns are counted. Without them a frame of 10,000 persistent messages, or a read full of small calls, would
make every other client wait for all of it.
"""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest
from msgspec.msgpack import encode

import penstock
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.protocol import hello
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Outgoing, Splitter
from penstock.serve.conversations import many_puts
from penstock.serve.conversations.many_puts import MESSAGES_AT_ONCE
from tests.patience import until
from tests.processes.serve.test_calm_loop import served_while
from tests.processes.serve.test_strangers import FACTS, frame, packed_call

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.installed
MANY = 5 * MESSAGES_AT_ONCE
QUEUE_NUMBER = 7
SIZES = pytest.mark.parametrize("size", [1, 300], ids=["small frame", "frame of a megabyte"])


@contextlib.contextmanager
def greeted(address: str) -> Iterator[socket.socket]:
    """Yield a socket that has said hello, and named the queue."""
    with socket.create_connection(("127.0.0.1", urlsplit(address).port), 60) as sock:
        sock.sendall(frame(protocol.HELLO, hello.pack(FACTS)))
        assert Splitter(1 << 20).feed(sock.recv(65536))[0][0] == protocol.WELCOME
        sock.sendall(frame(protocol.NAME, QUEUE_NUMBER.to_bytes(4, "little") + b"APP.Q", 1))
        yield sock


def many(size: int, unit: int = 0, request: int = 1) -> bytes:
    out = Outgoing()
    bodies = [b"%*d" % (size, number) for number in range(MANY)]
    out.put_many(0, 1, request, unit, QUEUE_NUMBER, protocol.PERSISTENT, bodies)
    return b"".join(out.take())


def kinds(sock: socket.socket, count: int) -> list[int]:
    """Return the kinds of the next answers, heartbeats aside."""
    splitter, found = Splitter(8 << 20), []
    while len(found) < count:
        data = sock.recv(1 << 20)
        assert data, "the server has ended the connection"
        found += [each[0] for each in splitter.feed(data) if each[0] != protocol.HEARTBEAT]
    return found


def taken(address: str) -> list[bytes]:
    """Return the bodies that are on the queue, and remove them."""
    with penstock.connect(address, share=False) as qm, qm.unit_of_work():
        return [message.body or b"" for message in qm.get_many("APP.Q", MANY + 1)]


@SIZES
def test_thousands_of_persistent_messages_take_a_turn_for_each_thousand(tmp_path: Path, size: int) -> None:
    def drive(server: Any, address: str) -> None:
        with penstock.connect(address, share=False) as qm:
            before = server.large_frames.slices
            receipts = qm.put_many("APP.Q", [bytes(size)] * MANY, persistent=True)
            assert server.large_frames.slices - before >= MANY // MESSAGES_AT_ONCE
        assert len({receipt.msg_id for receipt in receipts}) == MANY
        assert len(taken(address)) == MANY

    served_while(tmp_path, drive)


@SIZES
def test_a_frame_behind_many_puts_is_handled_after_them(tmp_path: Path, size: int) -> None:
    def drive(server: Any, address: str) -> None:
        with greeted(address) as sock:
            last = packed_call("put", body=encode(b"last"), queue="APP.Q", persistent=True)
            sock.sendall(many(size) + frame(protocol.CALL, last, 1, 2))
            assert kinds(sock, 2) == [protocol.RECEIPTS, protocol.RESULT]
        bodies = taken(address)
        assert [int(body) for body in bodies[:-1]] == list(range(MANY))
        assert bodies[-1] == b"last"

    served_while(tmp_path, drive)


@pytest.mark.parametrize("unit", [0, 3], ids=["unit of their own", "unit of the client"])
def test_a_link_that_is_cut_between_two_turns_has_put_nothing(tmp_path: Path, unit: int) -> None:
    def drive(server: Any, address: str) -> None:
        step, steps = many_puts.ManyPuts.step, []

        def step_and_cut(puts: Any, budget: int) -> bool:
            steps.append(step(puts, budget))
            for link in list(server.links):
                link.transport.abort()
            return steps[-1]

        with greeted(address) as sock, pytest.MonkeyPatch.context() as patch:
            patch.setattr(many_puts.ManyPuts, "step", step_and_cut)
            sock.sendall(many(1, unit))
            until(lambda: steps and not server.links)
        assert not any(steps)
        assert taken(address) == []
        assert server.engine.queues["APP.Q"].depth == 0

    served_while(tmp_path, drive)


def test_many_puts_of_which_one_fails_put_nothing(tmp_path: Path) -> None:
    def drive(server: Any, address: str) -> None:
        server.host.engine.queues["APP.Q"].depth_max = 3 * MESSAGES_AT_ONCE + 5
        with penstock.connect(address, share=False) as qm:
            with pytest.raises(MQError) as failed:
                qm.put_many("APP.Q", [b""] * MANY, persistent=True)
            assert failed.value.reason == mq.MQRC_Q_FULL
            qm.put("APP.Q", b"the link goes on", persistent=True)
        assert len(taken(address)) == 1

    served_while(tmp_path, drive)


def test_the_frames_of_one_read_leave_turns_to_others(tmp_path: Path) -> None:
    """With no time at all for a turn each frame has its own: all are answered, in their order."""
    calls = 200

    def drive(server: Any, address: str) -> None:
        with greeted(address) as sock:
            server.turn_seconds = 0.0
            before = server.turns_ended
            puts = [packed_call("put", body=encode(b"%d" % number), queue="APP.Q") for number in range(calls)]
            sock.sendall(
                b"".join(frame(protocol.CALL, each, 1, number) for number, each in enumerate(puts, 1))
            )
            assert kinds(sock, calls) == [protocol.RESULT] * calls
            assert server.turns_ended - before >= calls // 2  # they may come in some reads
        server.turn_seconds = 0.002
        assert [int(body) for body in taken(address)] == list(range(calls))

    served_while(tmp_path, drive)


def test_very_many_woken_gets_are_answered_in_several_turns(tmp_path: Path) -> None:
    """With no time at all for a turn each has its own: all are answered, also when the client goes."""
    calls = 200

    def drive(server: Any, address: str) -> None:
        with greeted(address) as sock, penstock.connect(address) as qm:
            gets = [packed_call("get", queue="APP.Q", wait=60.0)] * calls
            sock.sendall(
                b"".join(frame(protocol.CALL, each, 1, number) for number, each in enumerate(gets, 1))
            )
            queue = server.engine.queues["APP.Q"]
            until(lambda: queue.waiting is not None and queue.waiting.count == calls)
            server.turn_seconds = 0.0
            before = server.turns_ended
            with qm.unit_of_work():
                qm.put_many("APP.Q", [b""] * calls)
            sock.sendall(frame(protocol.END, b"", 1, calls + 1))
            assert kinds(sock, calls + 1) == [protocol.MESSAGE] * calls + [protocol.DONE]
            assert server.turns_ended > before
        server.turn_seconds = 0.002

    served_while(tmp_path, drive)
