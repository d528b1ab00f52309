"""What strangers send: nonsense, too much, another language. One connection ends; others do not notice."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import struct
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest

import penstock
from penstock.client import calls
from penstock.protocol import failures, hello, message_batch
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Outgoing, Splitter
from tests.patience import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.served import Served

pytestmark = pytest.mark.installed
FACTS = {"qmgr": "QM1", "channel": "APP.SVRCONN", "user": "someone", "application": "fuzz", "process": 1}


def frame(kind: int, payload: bytes = b"", conversation: int = 0, request: int = 1, unit: int = 0) -> bytes:
    out = Outgoing()
    out.frame(kind, 0, conversation, request, unit, payload)
    return b"".join(out.take())


@contextlib.contextmanager
def raw(served: Served, greeted: bool = True) -> Iterator[socket.socket]:
    with socket.create_connection(("127.0.0.1", served.port), 60) as sock:
        if greeted:
            sock.sendall(frame(protocol.HELLO, hello.pack(FACTS)))
            kind = Splitter(1 << 20).feed(sock.recv(65536))[0][0]
            assert kind == protocol.WELCOME
        yield sock


def is_closed(sock: socket.socket) -> bool:
    with contextlib.suppress(ConnectionError):
        while sock.recv(65536):
            pass
    return True


def resident_bytes(served: Served) -> int:
    assert served.process is not None
    status = Path(f"/proc/{served.process.pid}/statm").read_text().split()
    return int(status[1]) * os.sysconf("SC_PAGE_SIZE")


def assert_well(qm: penstock.ClientQueueManager) -> None:
    """The queue manager works for somebody else."""
    qm.put("APP.Q", b"well")
    message = qm.get("APP.Q")
    assert message is not None
    assert message.body == b"well"


@pytest.mark.parametrize(
    "nonsense",
    [
        b"\xff\xff\xff\xff" * 8,
        bytes(64),
        struct.pack("<I", 15) + bytes(20),
        frame(protocol.PUT),
        frame(99),
        frame(protocol.HELLO, b"PNSK"),
        frame(protocol.HELLO, b"WRONG" + bytes(40)),
        frame(protocol.HELLO, hello.pack(FACTS)[:-3]),
        frame(protocol.HELLO, hello.pack({**FACTS, "channel": 5})),
        frame(protocol.HELLO, bytes(protocol.HELLO_BYTES_MAX)),
    ],
)
def test_nonsense_before_the_greeting_ends_the_connection(served: Served, nonsense: bytes) -> None:
    with served.connect() as qm, raw(served, greeted=False) as sock:
        sock.sendall(nonsense)
        assert is_closed(sock)
        assert_well(qm)


@pytest.mark.parametrize(
    "nonsense",
    [
        struct.pack("<I", 1 << 31) + bytes(12),
        frame(99, conversation=1),
        frame(protocol.PUT, conversation=7),
        frame(protocol.PUT, b"\0\0\0", conversation=1),
        frame(protocol.PUT, struct.pack("<IBBH", 5, 0, 0, 0) + b"x", conversation=1),
        frame(protocol.PUT, struct.pack("<IBBH", 0, 9, 3, 0) + b"x", conversation=1),
        frame(protocol.PUT_MANY, struct.pack("<IIII", 0, 0, 0xFFFFFFFF, 0xFFFFFFFF), conversation=1),
        frame(protocol.GET, b"", conversation=1),
        frame(protocol.NAME, struct.pack("<I", 100_000) + b"Q", conversation=1),
        frame(protocol.NAME, struct.pack("<I", 0) + b"\xff\xfe", conversation=1),
        frame(protocol.CALL, b"\xc1", conversation=1),
        frame(protocol.CALL, b"\x92\x01\x02", conversation=1),
        frame(protocol.HELLO, hello.pack(FACTS)),
    ],
)
def test_nonsense_after_the_greeting_ends_the_connection(served: Served, nonsense: bytes) -> None:
    with served.connect() as qm, raw(served) as sock:
        sock.sendall(nonsense)
        assert is_closed(sock)
        assert_well(qm)


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("no_such_verb", {}),
        ("open", {}),
        ("open", {"name": 5}),
        ("open", {"name": "APP.Q", "options": "x"}),
        ("open", {"name": "APP.Q", "options": 1, "details": {"nonsense": 1}}),
        ("put", {"body": 5, "queue": "APP.Q"}),
        ("put", {"body": b"", "queue": "APP.Q", "properties": b"\xc1"}),
        ("put", {"body": b"", "queue": "APP.Q", "fields": {"format": 12}}),
        ("get", {"handle": 77}),
        ("get", {"queue": "APP.Q", "wait": "long"}),
        ("get", {"queue": "APP.Q", "wait": -1.0}),
        ("inquire", {"handle": "x", "selectors": 3}),
        ("set", {"handle": 1, "values": [[1]]}),
        ("prepare", {"unit": 3}),
        ("mqsc", {"text": 5}),
        ("backup", {"target": "/nowhere"}),
        ("record_image", {}),
        ("flow", {"verb": "__class__", "arguments": [], "named": {}}),
        (
            "flow_prepare_outputs",
            {"flow": "f", "n": 1, "slice": 0, "attempt": 1, "outputs": [[1]], "epoch": 1},
        ),
    ],
)
def test_a_call_with_wrong_arguments_is_refused_and_the_connection_goes_on(
    served: Served, verb: str, arguments: dict[str, object]
) -> None:
    with served.connect() as qm, raw(served) as sock:
        call = msgspec.msgpack.encode([verb, arguments])
        for request in (1, 2):
            sock.sendall(frame(protocol.CALL, call, conversation=1, request=request))
            ((kind, _, _, answered, _, _),) = Splitter(1 << 20).feed(sock.recv(65536))
            assert (kind, answered) == (protocol.FAILED, request)
        assert_well(qm)


EMPTY_LISTS = b"\xdd" + struct.pack(">I", 3_000_000) + b"\x90" * 3_000_000


def packed_call(verb: str, **arguments: object) -> bytes:
    """Return a call; bytes among the arguments stand as they are, as values that are packed already."""
    pairs = b"".join(
        msgspec.msgpack.encode(name) + (each if isinstance(each, bytes) else msgspec.msgpack.encode(each))
        for name, each in arguments.items()
    )
    return b"\x92" + msgspec.msgpack.encode(verb) + bytes([0x80 + len(arguments)]) + pairs


@pytest.mark.parametrize(
    ("reason", "call"),
    [
        pytest.param(2010, packed_call("status", nothing=EMPTY_LISTS), id="values"),
        pytest.param(2010, packed_call("status", nothing=b"\x91" * 3_000_000), id="nesting"),
        pytest.param(2010, packed_call("no_such_verb", nothing=EMPTY_LISTS), id="unknown"),
        pytest.param(2010, packed_call("put", body=EMPTY_LISTS, queue="APP.Q"), id="body"),
        pytest.param(
            2010, packed_call("put_messages", targets=[], descriptors=[], rows=EMPTY_LISTS), id="rows"
        ),
        pytest.param(2010, packed_call("mqsc", text=EMPTY_LISTS), id="script"),
        pytest.param(2010, packed_call("open", name="A" * 300_000), id="name"),
        pytest.param(2010, packed_call("inquire", handle=1, selectors=[1] * 11_000), id="selectors"),
        pytest.param(
            2478,
            packed_call(
                "put",
                queue="APP.Q",
                body=b"\xc4\0",
                properties=b"\xc6" + struct.pack(">I", 3_000_005) + EMPTY_LISTS,
            ),
            id="properties",
        ),
    ],
)
def test_calls_of_millions_of_values_are_refused_before_they_are_decoded(
    served: Served, reason: int, call: bytes
) -> None:
    """Decoded, each of them would take hundreds of megabytes and all others' time."""
    with served.connect() as qm, raw(served) as sock:
        before = peak_bytes(served)
        sock.sendall(frame(protocol.CALL, call, 1))
        kind, _, _, _, _, payload = Splitter(1 << 20).feed(sock.recv(65536))[0]
        assert kind == protocol.FAILED
        assert failures.unpack(payload).reason == reason
        sock.sendall(frame(protocol.CALL, packed_call("prepared"), 1, 2))  # the connection goes on
        assert Splitter(1 << 20).feed(sock.recv(65536))[0][0] == protocol.RESULT
        assert peak_bytes(served) - before < 40 << 20
        assert_well(qm)


def peak_bytes(served: Served) -> int:
    """Return the most memory that the server has had."""
    assert served.process is not None
    status = Path(f"/proc/{served.process.pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) << 10


def test_more_messages_than_a_frame_may_put_end_the_connection(served: Served) -> None:
    with served.connect() as qm, raw(served) as sock:
        sock.sendall(frame(protocol.NAME, struct.pack("<I", 0) + b"APP.Q", 1))
        sock.sendall(frame(protocol.PUT_MANY, struct.pack("<III", 0, 0, 1_000_000) + bytes(4_000_000), 1))
        assert is_closed(sock)
        assert qm.get("APP.Q") is None
        assert_well(qm)


def test_more_messages_than_fit_a_frame_are_put_all_the_same(served: Served) -> None:
    count = protocol.FRAME_MESSAGES_MAX + 1
    with served.local() as admin, served.connect() as qm:
        assert not [reply for reply in admin.mqsc(f"ALTER QMGR MAXUMSGS({count})") if reply.failed]
        receipts = qm.put_many("APP.Q", [b"%d" % number for number in range(count)])
        assert len({receipt.msg_id for receipt in receipts}) == count
        found = []
        while more := qm.get_many("APP.Q", count):
            found += [message.body for message in more]
        assert found == [b"%d" % number for number in range(count)]
        admin.mqsc("ALTER QMGR MAXUMSGS(10000)")


def test_more_whole_messages_than_a_call_may_put_are_refused_and_clients_send_several(served: Served) -> None:
    """Each of them may need the long way, and a report: thousands in one step hold all clients up."""
    outputs = [("APP.Q", penstock.Message(b"%d" % number), "", 0) for number in range(1001)]
    arguments = message_batch.pack(outputs[: protocol.CALL_MESSAGES_MAX + 1])
    with served.connect() as qm, raw(served) as sock:
        sock.sendall(frame(protocol.CALL, calls.pack_call("put_messages", arguments), 1))
        assert b"at most 500" in sock.recv(1 << 16)
        assert qm.get("APP.Q") is None
        qm.put_messages(outputs)
        assert [message.body for message in qm.get_many("APP.Q", 2000)] == [each[1].body for each in outputs]


def test_a_get_passes_thousands_of_expired_messages(served: Served) -> None:
    """It discards a thousand at a step; the connection once ended at the second step."""
    with served.connect() as qm:
        for _ in range(2500):
            qm.put("APP.Q", b"", expiry=0.1, persistent=False, options=penstock.Put.ASYNC_RESPONSE)
        qm.put("APP.Q", b"stays")
        time.sleep(0.2)
        assert qm.get("APP.Q").body == b"stays"


def test_a_greeting_that_says_too_much_ends_the_connection(served: Served) -> None:
    fixed = hello.pack(FACTS)[:16]
    facts = b"\x81\xa1a\xdc" + struct.pack(">H", 60_000) + b"\x90" * 60_000
    with served.connect() as qm:
        with raw(served, greeted=False) as sock:
            sock.sendall(frame(protocol.HELLO, fixed + facts))
            assert is_closed(sock)
        for more in (facts, EMPTY_LISTS):
            with raw(served) as sock:
                sock.sendall(frame(protocol.CONVERSE, fixed + more))
                assert is_closed(sock)
        assert_well(qm)


def test_random_and_mutated_frames_do_no_harm(served: Served, scale: int) -> None:
    """Fuzz: whatever comes, the server lives, does not grow, and serves its other clients."""
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    good = [
        frame(protocol.NAME, struct.pack("<I", 0) + b"APP.Q", 1),
        frame(protocol.PUT, struct.pack("<IBBH", 0, 0, 0, 0) + b"body", 1),
        frame(protocol.PUT_MANY, struct.pack("<IIII", 0, 0, 1, 2) + b"ab", 1),
        frame(protocol.GET, struct.pack("<IiIi", 0, 5, 0, 0), 1),
        frame(protocol.GET_MANY, struct.pack("<IiIi", 0, 5, 9, 0), 1),
        frame(protocol.COMMIT, b"", 1, unit=3),
        frame(protocol.CALL, b"\x92\xa3get\x81\xa5queue\xa5APP.Q", 1),
        frame(protocol.CALL, b"\x92\xa4open\x81\xa4name\xa5APP.Q", 1),
        frame(protocol.HEARTBEAT),
        frame(protocol.CANCEL, b"", 1),
        frame(protocol.END, b"", 1),
    ]
    with served.connect() as qm:
        for _ in range(20):
            assert_well(qm)
        before = resident_bytes(served)
        for _ in range(150 * scale):
            with contextlib.suppress(ConnectionError), raw(served) as sock:
                for _ in range(chance.randrange(1, 12)):
                    sock.sendall(_mutated(chance, chance.choice(good)))
                sock.settimeout(0.01)
                with contextlib.suppress(TimeoutError):
                    sock.recv(65536)
        while qm.get_many("APP.Q", 1000):
            pass
        assert_well(qm)
        grown = resident_bytes(served) - before
    assert grown < 20 << 20, f"the server grew by {grown} bytes; seed {seed}"


def _mutated(chance: random.Random, data: bytes) -> bytes:
    kind = chance.randrange(4)
    if kind == 0:
        return data
    changed = bytearray(data)
    if kind == 1:
        for _ in range(chance.randrange(1, 4)):
            changed[chance.randrange(len(changed))] = chance.randrange(256)
    elif kind == 2:
        del changed[chance.randrange(len(changed)) :]
    else:
        changed = bytearray(chance.randbytes(chance.randrange(1, 200)))
    return bytes(changed)


@pytest.mark.parametrize(
    ("first", "who"),
    [
        (b"TSH \0\0\1\x0c" + bytes(40), "a client of IBM MQ's own protocol"),
        (b"GET / HTTP/1.1\r\n\r\n", "an HTTP client"),
        (b"AMQP\0\1\0\0", "an AMQP client"),
        (b"\x10\x0c\0\4MQTT\4\2\0<", "an MQTT client"),
    ],
)
def test_other_languages_are_recognised_and_logged(served: Served, first: bytes, who: str) -> None:
    with socket.create_connection(("127.0.0.1", served.port), 60) as sock:
        sock.sendall(first)
        assert is_closed(sock)
    assert who in served.log()


def test_a_client_of_another_version_is_told(served: Served) -> None:
    payload = bytearray(hello.pack(FACTS))
    payload[4:6] = b"\x07\x09"
    with raw(served, greeted=False) as sock:
        sock.sendall(frame(protocol.HELLO, bytes(payload)))
        kind, _, _, _, _, answer = Splitter(1 << 20).feed(sock.recv(65536))[0]
    assert kind == protocol.FAILED
    assert b"versions 7 to 9" in answer


def test_a_client_that_does_not_read_is_given_nothing_more(served: Served) -> None:
    """It asks for 2,000 messages of a megabyte and reads none: most stay on their queue, for others."""
    body = b"x" * 1_000_000
    with served.connect() as qm:
        with raw(served) as sock:
            sock.sendall(frame(protocol.NAME, struct.pack("<I", 0) + b"APP.REPLIES", 1))
            for _ in range(40):
                qm.put("APP.REPLIES", body)
            sock.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                for request in range(2000):
                    sock.send(frame(protocol.GET, struct.pack("<IiIi", 0, 5000, 0, 0), 1, request))
            time.sleep(0.3)
            for _ in range(40):
                qm.put("APP.REPLIES", body)
            assert_well(qm)
            with qm.open("APP.REPLIES") as handle:
                depth = handle.inquire("CURDEPTH")["CURDEPTH"]
        assert depth >= 60, f"{80 - depth} messages were taken for a client that does not read"
        while qm.get_many("APP.REPLIES", 100):
            pass


def test_a_broken_connection_backs_out_at_once(served: Served) -> None:
    with served.connect() as qm:
        qm.put("APP.Q", b"again")
        with raw(served) as sock:
            sock.sendall(frame(protocol.NAME, struct.pack("<I", 0) + b"APP.Q", 1))
            sock.sendall(frame(protocol.GET, struct.pack("<IiIi", 0, 0, 0, 0), 1, unit=1))
            assert Splitter(1 << 20).feed(sock.recv(65536))[0][0] == protocol.MESSAGE
            assert qm.get("APP.Q") is None
        message = qm.get("APP.Q", wait=60.0)
    assert message is not None
    assert message.backout_count == 1


def test_a_wait_of_a_client_that_is_gone_takes_no_message(served: Served) -> None:
    with served.connect() as qm:
        with raw(served) as sock:
            sock.sendall(frame(protocol.NAME, struct.pack("<I", 0) + b"APP.Q", 1))
            waiters = qm.status().waiters
            sock.sendall(frame(protocol.GET, struct.pack("<IiIi", 0, -1, 0, 0), 1))
            until(lambda: qm.status().waiters > waiters)
            links = qm.status().channels.links
        until(lambda: qm.status().channels.links < links)
        qm.put("APP.Q", b"for somebody")
        message = qm.get("APP.Q")
    assert message is not None
