"""The bridge to programs: typed bodies, commit modes, sync levels, MQIIH, conversations, security."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import penstock
from penstock.bridge import Bridge, Settings, header, program
from penstock.bridge.program import Program
from penstock.bridge.targets import program_at
from penstock.bridge.worker import ACK, ACKNOWLEDGEMENTS, OUTBOX
from penstock.model import constants as mq
from penstock.model.errors import MQError
from penstock.model.message import Descriptor
from penstock.tree.headers.fixed import MQIIH
from tests.conformance.bridge import programs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

QUEUES = ("IN", "REPLY", "AUDIT", "BACKOUT", "DEAD")


@pytest.fixture
def qm(tmp_path: Path) -> Iterator[penstock.QueueManager]:
    programs.CALLS.clear()
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        for queue in QUEUES:
            qm.mqsc(f"DEFINE QLOCAL({queue})")
        qm.mqsc("ALTER QMGR DEADQ(DEAD)")
        yield qm


@pytest.fixture
def serve(qm: Any, tmp_path: Path) -> Callable[..., Bridge]:
    """Serve what waits on IN with a program, and return the bridge when the queue is empty."""

    def run(function: Any, **options: Any) -> Bridge:
        made = Program(function) if callable(function) else program_at(function)
        bridge = Bridge(lambda: penstock.embed("QM1", home=tmp_path / "home"), "IN", made, **options)
        bridge.start(until_empty=True)
        assert bridge.join_for(60)
        return bridge

    return run


def ask(qm: Any, body: bytes, **details: Any) -> Any:
    return qm.put("IN", body, reply_to="REPLY", msg_type=mq.MQMT_REQUEST, **details)


def test_a_typed_body_comes_in_and_a_typed_reply_goes_out(qm: Any, serve: Callable[..., Bridge]) -> None:
    asked = ask(qm, b'{"item": "apple", "count": 3}', persistent=True)
    assert serve(programs.price).done == 1
    reply = qm.get("REPLY")
    assert msgspec.json.decode(reply.body) == {"total": 1.5}
    assert (reply.correl_id, reply.descriptor.msg_type, reply.persistent) == (
        asked.msg_id,
        mq.MQMT_REPLY,
        True,
    )


def test_a_model_of_pydantic_is_checked(qm: Any, serve: Callable[..., Bridge]) -> None:
    pydantic = pytest.importorskip("pydantic")
    model = pydantic.create_model("Thing", n=(int, ...))

    def double(body: Any) -> Any:
        return model(n=body.n * 2)

    double.__annotations__["body"] = model
    ask(qm, b'{"n": 4}')
    ask(qm, b'{"n": "four"}')
    serve(double)
    assert qm.get("REPLY").body == b'{"n":8}'
    assert "the body is no Thing" in qm.get("DEAD").properties["bridge_failure"]


@pytest.mark.parametrize("mode", [0, 1])
def test_both_commit_modes_reply_once(qm: Any, serve: Callable[..., Bridge], mode: int) -> None:
    for body in (b"a", b"b"):
        ask(qm, body)
    serve(programs.upper, commit_mode=mode)
    assert [each.body for each in qm.get_many("REPLY", 10)] == [b"A", b"B"]
    assert qm.get(OUTBOX) is None


def test_a_request_without_a_reply_queue_gets_none(qm: Any, serve: Callable[..., Bridge]) -> None:
    qm.put("IN", b"one way")
    ask(qm, b"silent")
    serve(programs.silent)
    assert programs.CALLS == ["one way", "silent"]
    assert qm.get("REPLY") is None


def test_a_program_that_fails_is_called_again_then_backed_out(qm: Any, serve: Callable[..., Bridge]) -> None:
    ask(qm, b"x")
    serve(programs.flaky)
    assert (len(programs.CALLS), qm.get("REPLY").body) == (3, b"at last")
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(2) BOQNAME(BACKOUT)")
    ask(qm, b"y")
    assert serve(programs.broken).workers[0].failed == 2
    assert qm.get("BACKOUT").body == b"y"


def test_what_a_program_puts_belongs_to_its_request(qm: Any, serve: Callable[..., Bridge]) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    ask(qm, b"good")
    ask(qm, b"fail")
    serve(programs.auditing)
    audit = [each.body for each in qm.get_many("AUDIT", 10)]
    assert [each.partition(b":")[2] for each in audit] == [b"good"]
    assert programs.CALLS == ["commit", "backout"]


def test_a_body_of_the_wrong_type_is_given_up_at_once(qm: Any, serve: Callable[..., Bridge]) -> None:
    ask(qm, b'{"count": "many"}')
    serve(programs.price)
    assert programs.CALLS == []
    assert "the body is no Order" in qm.get("DEAD").properties["bridge_failure"]


def confirming(qm: Any, feedback: int) -> threading.Thread:
    """Take a reply and acknowledge it, as a requester does."""

    def act() -> None:
        reply = qm.get("REPLY", wait=60)
        qm.put(ACKNOWLEDGEMENTS, b"", correl_id=reply.msg_id, descriptor=Descriptor(feedback=feedback))

    thread = threading.Thread(target=act)
    thread.start()
    return thread


def test_a_confirmed_reply_is_committed_a_refused_one_backed_out(
    qm: Any, serve: Callable[..., Bridge]
) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    qm.mqsc(f"DEFINE QLOCAL({ACKNOWLEDGEMENTS})")
    for feedback, left in ((ACK, None), (mq.MQFB_NAN, b"x")):
        ask(qm, b"x")
        requester = confirming(qm, feedback)
        serve(programs.upper, commit_mode=1, sync_level="confirm", confirm_wait=30.0)
        requester.join(60)
        found = qm.get("BACKOUT")
        assert (None if found is None else found.body) == left


def test_a_reply_that_nobody_confirms_is_backed_out(qm: Any, serve: Callable[..., Bridge]) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    ask(qm, b"x")
    serve(programs.upper, commit_mode=1, sync_level="confirm", confirm_wait=0.1)
    assert qm.get("BACKOUT").body == b"x"


def iih(body: bytes, **fields: Any) -> tuple[bytes, Descriptor]:
    """Return a request with an MQIIH."""
    given = {name: MQIIH.empty(name) for name in MQIIH.names}
    given |= {"Version": 1, "StrucLength": MQIIH.length, "Format": mq.MQFMT_STRING, **fields}
    packed = MQIIH.pack([given[name] for name in MQIIH.names], mq.MQENC_NATIVE, 1208)
    own = Descriptor(format=mq.MQFMT_IMS, reply_to="REPLY", msg_type=mq.MQMT_REQUEST, ccsid=1208)
    return packed + body, own


def test_an_mqiih_names_the_commit_mode_and_comes_back(qm: Any, serve: Callable[..., Bridge]) -> None:
    data, own = iih(b"x", CommitMode="1", LTermOverride="TERM1", ReplyToFormat="MQSTR")
    qm.put("IN", data, descriptor=own)
    serve(programs.upper)
    reply = qm.get("REPLY")
    fields = dict(zip(MQIIH.names, MQIIH.unpack(reply.body, mq.MQENC_NATIVE, 1208), strict=True))
    assert reply.descriptor.format.strip() == mq.MQFMT_IMS.strip()
    assert (reply.body[MQIIH.length :], fields["LTermOverride"], fields["CommitMode"]) == (b"X", "TERM1", "1")
    assert fields["Format"].strip() == "MQSTR"


def test_a_conversation_goes_on_by_its_token(qm: Any, serve: Callable[..., Bridge]) -> None:
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    ask(qm, b"5")
    serve(programs.counting)
    first = qm.get("REPLY")
    token = first.properties[header.PROPERTY]
    ask(qm, b"7", properties={header.PROPERTY: token})
    serve(programs.counting)
    assert (first.body, qm.get("REPLY").body) == (b"5", b"12")
    ask(qm, b"0", properties={header.PROPERTY: token})
    serve(programs.counting)
    assert header.PROPERTY not in (qm.get("REPLY").properties or {})
    ask(qm, b"1", properties={header.PROPERTY: token})  # it has ended
    serve(programs.counting)
    assert qm.get("BACKOUT").body == b"1"


@pytest.mark.parametrize(
    ("options", "details"),
    [
        ({"users": ("somebody",)}, {}),
        ({"token": "secret"}, {"properties": {"token": "guess"}}),
        ({"token": "secret"}, {}),
    ],
    ids=["user", "wrong token", "no token"],
)
def test_a_stranger_is_not_served(
    qm: Any, serve: Callable[..., Bridge], options: dict[str, Any], details: dict[str, Any]
) -> None:
    ask(qm, b"x", **details)
    serve(programs.silent, **options)
    assert programs.CALLS == []
    assert "bridge_failure" in qm.get("DEAD").properties


def test_who_has_the_token_is_served(qm: Any, serve: Callable[..., Bridge]) -> None:
    ask(qm, b"x", properties={"token": "secret"})
    data, own = iih(b"y", Authenticator="secret")
    qm.put("IN", data, descriptor=own)
    assert serve(programs.upper, token="secret").done == 2


def test_several_bridges_share_a_queue(qm: Any, tmp_path: Path) -> None:
    for number in range(20):
        ask(qm, str(number).encode())
    made = [
        Bridge(
            lambda: penstock.embed("QM1", home=tmp_path / "home"),
            "IN",
            Program(programs.upper),
            Settings(concurrency=2),
        )
        for _ in range(2)
    ]
    for each in made:
        each.start(until_empty=True)
    assert all(each.join_for(60) for each in made)
    assert sorted(int(each.body) for each in qm.get_many("REPLY", 100)) == list(range(20))


class _Service(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(503 if body == b"busy" else 200)
        self.end_headers()
        self.wfile.write(body[::-1])

    def log_message(self, *_: object) -> None:
        pass


def test_a_service_is_a_program(qm: Any, serve: Callable[..., Bridge]) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Service)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    qm.mqsc("ALTER QLOCAL(IN) BOTHRESH(1) BOQNAME(BACKOUT)")
    ask(qm, b"abc")
    ask(qm, b"busy")
    serve(f"http://127.0.0.1:{server.server_port}/x")
    server.shutdown()
    server.server_close()
    assert (qm.get("REPLY").body, qm.get("BACKOUT").body) == (b"cba", b"busy")


def test_a_topic_is_a_program(qm: Any, serve: Callable[..., Bridge]) -> None:
    kafka = pytest.importorskip("confluent_kafka")
    owner = kafka.Producer({"bootstrap.servers": "mock", "test.mock.num.brokers": 1, "log_level": 0})
    broker = next(iter(owner.list_topics(timeout=120).brokers.values()))
    ask(qm, b"abc")
    serve(f"kafka://{broker.host}:{broker.port}/orders")
    assert msgspec.json.decode(qm.get("REPLY").body)["topic"] == "orders"


@pytest.mark.parametrize(
    "target", ["nowhere", "tests.conformance.bridge.programs:none", "no.such:thing", "kafka://h:1/"]
)
def test_a_target_that_is_none_is_refused(target: str) -> None:
    with pytest.raises(MQError, match="8345"):
        program_at(target)


@pytest.mark.parametrize(
    "options",
    [
        {"commit_mode": 2},
        {"sync_level": "some"},
        {"sync_level": "confirm"},
        {"concurrency": 0},
        {"retries": -1},
        {"confirm_wait": 0},
    ],
    ids=str,
)
def test_settings_that_cannot_be_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(MQError, match="8345"):
        Settings(**options).check()
    with pytest.raises(TypeError, match="options of a program"):
        program(speed=1)
