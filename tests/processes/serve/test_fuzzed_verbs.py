"""Every verb of the wire with arguments nobody meant: known codes come back, and others do not notice.

What `test_strangers` does with bytes, this does with calls that are well formed and make no sense: texts for
numbers, handles and units of others, options that exclude each other, NaN for a wait. The seeds are fixed, so
that a failure comes again; the client is an administrator, so that nothing is refused for want of authority.
"""

from __future__ import annotations

import contextlib
import random
import socket
import struct
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import penstock
from penstock.host import local_socket
from penstock.model import constants as mq
from penstock.model.reasons import REASONS
from penstock.protocol import failures, hello
from penstock.protocol import numbers as protocol
from penstock.protocol._frames import Outgoing, Splitter
from penstock.serve.conversations import verbs, worker_verbs
from tests.processes.serve.test_strangers import resident_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.served import Served

pytestmark = pytest.mark.installed
CONVERSATIONS = 40  # of each seed
CALLS_MAX = 60  # of each conversation
GROWN_MAX = 30 << 20
SCRIPT = """
DEFINE QLOCAL(Q) MAXDEPTH(5000) REPLACE
DEFINE QLOCAL(P) DEFPSIST(YES) REPLACE
DEFINE QLOCAL(WELL) REPLACE
DEFINE QMODEL(M) DEFTYPE(PERMDYN) REPLACE
DEFINE QALIAS(A) TARGET(Q) REPLACE
DEFINE TOPIC(T) TOPICSTR('t') REPLACE
"""
SENSIBLE: dict[str, dict[str, Any]] = {  # what the nonsense begins with
    "open": {"name": "Q", "options": 2 | 8 | 16 | 32, "details": {"object_type": 1}},
    "close": {"handle": 1, "options": 0},
    "put": {"body": b"x", "queue": "Q", "fields": {"format": "MQSTR"}, "persistent": True, "priority": 3},
    "put_messages": {"targets": ["Q"], "descriptors": [], "rows": []},
    "get": {"queue": "Q", "wait": 0.01, "selector": "a = 1", "correl_id": b"c"},
    "inquire": {"handle": 1, "selectors": [3, 2016]},
    "set": {"handle": 1, "values": [[9, 0]]},
    "prepare": {"unit": 1, "xid": "x"},
    "commit_prepared": {"xid": "x"},
    "backout_prepared": {"xid": "x"},
    "prepared": {},
    "put_status": {},
    "publish": {"topic": "t/a", "body": b"x", "level": 9, "retain": True, "expiry": 1.0},
    "subscribe": {"topic": "t/#", "details": {"selector": "a = 1", "user_data": "u", "level": 1}},
    "request_retained": {"subscription": 2},
    "alter_subscription": {"subscription": 2, "changes": {"user_data": "u", "priority": 4}},
    "close_subscription": {"subscription": 2, "remove": True},
    "unsubscribe": {"name": "s"},
    "mqsc": {"text": "DISPLAY QLOCAL(*)", "verify": False, "echo": True},
    "export": {"everything": False},
    "status": {},
    "queues": {"pattern": "*"},
    "explain_access": {"user": "bob", "question": {"object": "Q"}},
    "explain_route": {"name": "Q", "qmgr": ""},
    "peek": {"queue": "Q", "after": (9, 0), "count": 5, "body_bytes": 10, "backwards": False},
    "trace": {"kind": "CHANNEL", "name": "C", "after": 0},
    "awaited_triggers": {"queue": "Q"},
    "take_connection_tag": {"tag": "T"},
    "checkpoint": {},
    "record_image": {},
    "flow": {"verb": "reserve", "arguments": ["f"], "named": {"queue": "Q", "after": 0, "epoch": 1}},
    "flow_read_slice": {"arguments": ["f", 1, 0], "named": {"epoch": 1}},
    "flow_look": {"arguments": ["f"], "named": {"queue": "Q"}},
    "flow_read_extent": {"queue": "Q", "named": {"first": 0, "last": 9}},
    "flow_prepare_outputs": {"flow": "f", "n": 1, "slice": 0, "attempt": 1, "outputs": [], "epoch": 1},
    "flow_output": {"queue": "Q", "body": b"x", "details": {"persistent": True}},
}
FLOW_VERBS = [*worker_verbs.FLOW_VERBS, "qm", "__init__"]
KEYS = ["wait", "options", "persistent", "correl_id", "msg_id", "selector", "priority", "expiry", "name"]
KEYS += ["durable", "token", "retain", "topic_object", "queue", "properties", "subscription", "handle", "a"]
NAMES = ["Q", "P", "A", "M", "T", "NOPE", "", "Q" * 49, "SYSTEM.ADMIN.COMMAND.QUEUE", "t/a", "#", "t/#"]
TEXTS = ["colour = 'red'", "size > ", "a LIKE 'x%'", "x" * 3000, "\0", "\u00e9", "Body.x > 3"]
NUMBERS = [0, 1, 2, 3, -1, 7, 99, 2**31 - 1, -(2**31), 2**63 - 1, 4, 16, 32, 0x2001]
FLOATS = [0.0, 0.5, -1.0, 1e308, float("nan"), float("inf"), 0.001]
COMMANDS = ["DISPLAY QLOCAL(*)", "DISPLAY CONN(*) ALL", "DEFINE QLOCAL(X) REPLACE", "nonsense ((", " "]
TYPES = [None, True, 7, 2.5, "x", b"x", [], [1], {}, {"a": 1}, 2**64 - 1, "\U0001f600" * 9]
UNEXPECTED = 2195


class Chance:
    """One seed's frames."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.choice = self.random.choice

    def value(self, depth: int = 0) -> Any:
        kind = self.random.randrange(14)
        if kind < 7:
            simple = (None, True, self.choice(NUMBERS), self.choice(FLOATS), self.choice(NAMES), "Q", 1)
            return simple[kind]
        if kind == 7:
            return self.random.randbytes(self.choice([0, 3, 24, 48]))
        if kind == 8 and depth < 3:
            return [self.value(depth + 1) for _ in range(self.random.randrange(4))]
        if kind == 9 and depth < 3:
            return {self.choice(KEYS): self.value(depth + 1) for _ in range(self.random.randrange(4))}
        return self.choice([*TEXTS, 0, 1, 2, "P", b"x", 1.0])

    def mutated(self, sensible: Any) -> Any:
        """Return something like what would make sense, or something else altogether."""
        if self.random.random() < 0.1:
            return self.value()
        if isinstance(sensible, dict):
            changed = {
                key: self.mutated(each) for key, each in sensible.items() if self.random.random() < 0.9
            }
            return changed | ({self.choice(KEYS): self.value()} if self.random.random() < 0.2 else {})
        if isinstance(sensible, list):
            return [self.mutated(each) for each in sensible]
        if isinstance(sensible, str) and self.random.random() < 0.2:
            return self.choice(NAMES)
        return self.random.randrange(5) if sensible in (1, 2) and self.random.random() < 0.3 else sensible

    def call(self, verb: str) -> bytes:
        given = self.mutated(SENSIBLE[verb])
        if not isinstance(given, dict):
            given = {}
        if verb == "flow":
            given["verb"] = self.choice(FLOW_VERBS)
        if verb == "mqsc":
            given["text"] = self.choice(COMMANDS) if self.random.random() < 0.7 else self.value()
        if "wait" in given:
            given["wait"] = self.choice([0.0, 0.01, -1.0, float("nan"), "x"])
        return msgspec.msgpack.encode([verb, given])

    def frame(self, request: int, verb: str) -> bytes:
        """Return a call, or now and then something else between the calls."""
        number, unit = self.random.randrange(3), self.choice([0, 0, 0, 1, 2, 300])
        kind = self.random.randrange(12)
        if kind == 0:
            return frame(protocol.PUT, struct.pack("<IBBH", number, 2, 0, 0) + b"body", request, unit)
        if kind == 1:
            return frame(protocol.GET, struct.pack("<IiIi", number, 5, 0, 0), request, unit)
        if kind == 2:
            return frame(self.choice([protocol.COMMIT, protocol.BACKOUT]), b"", request, unit)
        called = frame(protocol.CALL, self.call(verb), request, unit)
        if kind == 3:
            return called + frame(self.choice([protocol.CANCEL, protocol.MORE]), bytes(8), request - 1, 0)
        return called


def frame(kind: int, payload: bytes, request: int, unit: int, conversation: int = 1) -> bytes:
    out = Outgoing()
    out.frame(kind, 0, conversation, request, unit, payload)
    return b"".join(out.take())


def order_of_verbs(chance: Chance) -> Iterator[str]:
    """Yield verbs for ever, each as often as any other."""
    while True:
        yield from chance.random.sample(sorted(SENSIBLE), len(SENSIBLE))


@contextlib.contextmanager
def administrator(served: Served) -> Iterator[socket.socket]:
    facts = {"qmgr": served.name, "channel": "", "user": "", "application": "fuzz", "process": 1}
    with local_socket.connect(served.folder, 60) as sock:
        sock.settimeout(60)
        sock.sendall(frame(protocol.HELLO, hello.pack(facts), 1, 0, 0))
        assert Splitter(1 << 20).feed(sock.recv(65536))[0][0] == protocol.WELCOME
        for number, name in enumerate((b"Q", b"P", b"A")):
            sock.sendall(frame(protocol.NAME, struct.pack("<I", number) + name, 0, 0))
        yield sock


def refusals_of(sock: socket.socket, last: int) -> list[tuple[int, str]]:
    """Read until every request up to the last is answered, or the connection is ended; return refusals."""
    splitter, found = Splitter(64 << 20), []
    left = set(range(1, last + 1))
    while left and (data := sock.recv(1 << 16)):
        for kind, _, _, request, _, payload in splitter.feed(data):
            if kind == protocol.FAILED:
                failure = failures.unpack(payload)
                found.append((failure.reason, failure.detail))
            if kind != protocol.PART:
                left.discard(request)
    return found


def assert_well(qm: penstock.ClientQueueManager) -> None:
    qm.put("WELL", b"well")
    assert qm.get("WELL").body == b"well"
    for queue in ("Q", "P"):
        with contextlib.suppress(penstock.MQError):  # a call may have made it GET(DISABLED)
            while qm.get_many(queue, 1000):
                pass


def test_every_verb_is_called() -> None:
    dangerous = {"stop", "backup"}  # one ends the server, the other fills the disk: they mean it
    assert SENSIBLE.keys() | dangerous == verbs.VERBS.keys() | worker_verbs.VERBS.keys()


def one_wrong(sensible: Any) -> Iterator[Any]:
    """Yield arguments with a value of another type in one place, for every place and every type."""
    yield from (each for each in TYPES if type(each) is not type(sensible))
    if isinstance(sensible, dict):
        for name, inside in sensible.items():
            yield from ({**sensible, name: wrong} for wrong in one_wrong(inside))
    elif isinstance(sensible, list):
        for place, inside in enumerate(sensible):
            yield from ([*sensible[:place], wrong, *sensible[place + 1 :]] for wrong in one_wrong(inside))


@pytest.mark.parametrize("verb", sorted(SENSIBLE))
def test_every_argument_in_every_type_gets_a_reason_and_no_traceback(served: Served, verb: str) -> None:
    sensible = SENSIBLE[verb]
    wrong = [sensible, *(each for each in one_wrong(sensible) if isinstance(each, dict))]
    wrong += [{name: each for name, each in sensible.items() if name != left_out} for left_out in sensible]
    wrong = [each for each in wrong if not isinstance(each, dict) or each.get("wait", 0) is not None]
    with served.local() as qm:
        assert not [reply.text for reply in qm.mqsc(SCRIPT) if reply.failed]
        refusals: list[tuple[int, str, Any]] = []
        with administrator(served) as sock:
            for given in wrong:  # one by one: a connection has few long calls under way at a time
                sock.sendall(frame(protocol.CALL, msgspec.msgpack.encode([verb, given]), 1, 0))
                refusals += [(*each, given) for each in refusals_of(sock, 1)]
            sock.sendall(frame(protocol.HEARTBEAT, b"", 2, 0, 0))
            assert sock.recv(65536), "the connection was ended"
        assert_well(qm)
    assert [each for each in refusals if each[0] == UNEXPECTED or each[0] not in REASONS] == []


@pytest.mark.parametrize("text", [each for each in TYPES if not isinstance(each, str)])
def test_commands_that_are_no_text_are_refused_with_2046(served: Served, text: Any) -> None:
    with administrator(served) as sock:
        sock.sendall(frame(protocol.CALL, msgspec.msgpack.encode(["mqsc", {"text": text}]), 1, 0))
        assert [reason for reason, _ in refusals_of(sock, 1)] == [mq.MQRC_OPTIONS_ERROR]


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_calls_that_make_no_sense_get_known_codes_and_harm_nobody(served: Served, seed: int, scale: int):
    chance = Chance(seed)
    order = order_of_verbs(chance)
    refusals: list[tuple[int, str]] = []
    with served.local() as qm:
        assert not [reply.text for reply in qm.mqsc(SCRIPT) if reply.failed]
        assert_well(qm)
        before = resident_bytes(served)
        for _ in range(CONVERSATIONS * scale):
            last = chance.random.randrange(CALLS_MAX)
            with administrator(served) as sock, contextlib.suppress(ConnectionError):
                sock.sendall(
                    frame(protocol.CALL, msgspec.msgpack.encode(["open", SENSIBLE["open"]]), 1001, 0)
                )
                subscribed = msgspec.msgpack.encode(["subscribe", SENSIBLE["subscribe"]])
                sock.sendall(frame(protocol.CALL, subscribed, 1002, 0))
                sock.sendall(b"".join(chance.frame(number, next(order)) for number in range(1, last + 1)))
                if chance.random.random() < 0.8:  # else it hangs up without waiting for answers
                    refusals += refusals_of(sock, last)
            assert_well(qm)
        assert resident_bytes(served) - before < GROWN_MAX
        assert "fuzz" not in "".join(reply.text for reply in qm.mqsc("DISPLAY CONN(*) APPLTAG"))
    assert served.process.poll() is None
    assert len(refusals) > 100 * scale
    assert {each for each in refusals if each[0] == UNEXPECTED or each[0] not in REASONS} == set()
