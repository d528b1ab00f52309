"""HTTPInput and HTTPReply: terminals, properties, faults, limits; over real sockets."""

from __future__ import annotations

import asyncio
import encodings
import json
import re
import threading
import tracemalloc
from typing import Any

import pytest

from penstock.flow import Flow, Node, nodes
from penstock.flow.http import bodies, request_reader, server
from penstock.flow.http.content import charset_of
from penstock.flow.http.exchange import exchanges
from penstock.model.errors import MQError
from penstock.testing import Rig
from penstock.tree import Path, parse
from tests.conformance.flow.http_client import ask, listening, raw
from tests.patience import until
from tests.ports import free_port


@pytest.fixture
def port() -> int:
    return free_port()


class Failing(Node):
    """Fails on every message."""

    def process(self, assembly: Any, at: Any) -> None:
        raise ValueError("no <good>")


class Noting(Node):
    """Keeps every assembly and sends it on."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: list[Any] = []

    def process(self, assembly: Any, at: Any) -> None:
        self._seen.append(assembly)
        at.send("out", assembly)


def echo(port: int, path: str = "/echo", *between: Node, **options: Any) -> Flow:
    flow = Flow(f"echo{path}")
    last: Any = flow.add(nodes.HTTPInput(path, port=port, **options))
    for node in between:
        last.out >> flow.add(node).in_
        last = node
    last.out >> flow.add(nodes.HTTPReply()).in_
    return flow


def test_a_request_gets_the_message_as_its_reply(qm: Any, port: int) -> None:
    with listening(qm, echo(port, domain="XMLNSC")):
        status, headers, body = ask(port, "/echo", b"<a/>")
    assert (status, body) == (200, b"<a/>")
    assert headers["content-type"] == "text/xml; charset=utf-8"


def test_headers_query_and_request_line_are_in_the_trees(qm: Any, port: int) -> None:
    note = Noting()
    with listening(qm, echo(port, "/echo", note, parse_query_string=True)):
        ask(port, "/echo?colour=red&size=", b"x", X_Mine="yes", X_Remote_Addr="forged")
    (seen,) = note._seen
    headers = {field.name: field.value for field in seen.message.reference(path("HTTPInputHeader"))}
    assert headers["X-Mine"] == "yes"
    assert headers["X-Remote-Addr"] == "127.0.0.1"
    assert headers["X-Original-HTTP-Command"] == "POST /echo?colour=red&size= HTTP/1.1"
    assert seen.local_environment.get(path("HTTP", "Input", "QueryString", "colour")) == "red"
    assert seen.local_environment.get(path("HTTP", "Input", "RequestLine", "Method")) == "POST"


def path(*steps: str) -> Any:
    from penstock.tree import Path

    return Path(*steps)


def test_one_port_serves_many_paths_and_the_longest_match_wins(qm: Any, port: int) -> None:
    flows = [reply_with(port, "/shop/*", b"all"), reply_with(port, "/shop/orders", b"orders")]
    with listening(qm, *flows):
        assert ask(port, "/shop/orders")[2] == b"orders"
        assert ask(port, "/shop/other/one")[2] == b"all"
        assert ask(port, "/shopping")[0] == 404


class Saying(Node):
    """Replaces the message by bytes."""

    def __init__(self, body: bytes) -> None:
        super().__init__()
        self.body = body

    def process(self, assembly: Any, at: Any) -> None:
        from penstock.flow.new_messages import arrived

        at.send("out", assembly.sending(message=arrived(self.body, "BLOB")))


def reply_with(port: int, path: str, body: bytes) -> Flow:
    return echo(port, path, Saying(body))


@pytest.mark.parametrize(
    ("form", "kind"),
    [
        ("SOAP1.1", "text/xml"),
        ("SOAP1.2", "application/soap+xml"),
        ("HTML", "text/html"),
        ("JSON", "application/json"),
    ],
)
def test_a_flow_that_fails_gives_a_fault(qm: Any, port: int, form: str, kind: str) -> None:
    with listening(qm, echo(port, "/echo", Failing(), fault_format=form)):
        status, headers, body = ask(port, "/echo", b"x")
    assert status == 500
    assert headers["content-type"].startswith(kind)
    assert b"the request could not be processed; reference " in body
    for internal in (b"good", b".py", b"PSRC", b"Failing"):  # they are for the log
        assert internal not in body


def test_internals_are_told_where_the_node_says_so(qm: Any, port: int) -> None:
    with listening(qm, echo(port, "/echo", Failing(), fault_detail=True)):
        body = ask(port, "/echo", b"x", Accept="application/json")[2]
    told = json.loads(body)["error"]
    assert (told["reason"], told["node"]) == (8302, "Failing")
    assert "no <good>" in told["detail"]


@pytest.mark.parametrize(
    ("headers", "kind"),
    [
        ({"Accept": "application/json"}, "application/json"),
        ({"Accept": "text/html, */*"}, "text/plain"),
        ({"Content_Type": "application/json"}, "application/json"),
        ({}, "text/plain"),
    ],
)
def test_a_fault_is_json_or_text_as_the_client_accepts(
    qm: Any, port: int, headers: dict[str, str], kind: str, caplog: pytest.LogCaptureFixture
) -> None:
    with listening(qm, echo(port, "/echo", Failing())):
        status, found, body = ask(port, "/echo", b"x", **headers)
    assert status == 500
    assert found["content-type"].startswith(kind)
    text = json.loads(body)["error"]["message"] if "json" in kind else body.decode()
    reference = text.split("reference ")[1].strip()
    assert f"message={reference}" in caplog.text  # so that the client's report leads to the log


class Reading(Node):
    """Reads the whole body."""

    def process(self, assembly: Any, at: Any) -> None:
        assembly.message.get(Path("JSON", "Data", "b"))
        at.send("out", assembly)


@pytest.mark.parametrize("options", [{"validate": "content"}, {}], ids=["validated", "found by the flow"])
def test_a_malformed_body_is_a_400_with_the_position(qm: Any, port: int, options: dict[str, str]) -> None:
    with listening(qm, echo(port, "/echo", Reading(), domain="JSON", **options)):
        status, _, body = ask(port, "/echo", b'{"a": 1,\n "b": nope}', Content_Type="application/json")
        assert status == 400
        text = json.loads(body)["error"]["message"]
        assert text.startswith("malformed request: ")
        assert re.search(r"(line 2|offset 1\d|byte 1\d)", text), text
        assert ask(port, "/echo", b'{"a": 1}')[0] == 200


def test_a_failure_terminal_may_answer_a_malformed_body(qm: Any, port: int) -> None:
    flow = echo(port, "/echo", domain="JSON", validate="content")
    flow.node("HTTPInput").failure >> flow.add(nodes.HTTPReply(name="Sorry")).in_
    with listening(qm, flow):
        assert ask(port, "/echo", b"{nope")[2] == b"{nope"


def test_a_flow_that_cannot_parse_something_else_is_no_fault_of_the_client(qm: Any, port: int) -> None:
    class Parsing(Node):
        def process(self, assembly: Any, at: Any) -> None:
            parse(b"{nope", domain="JSON").get(Path("JSON", "Data", "b"))

    with listening(qm, echo(port, "/echo", Parsing(), domain="JSON")):
        assert ask(port, "/echo", b'{"a": 1}')[0] == 500


def test_catch_may_answer_instead(qm: Any, port: int) -> None:
    flow = echo(port, "/echo", Failing())
    reply = flow.add(nodes.HTTPReply(name="Sorry"))
    flow.node("HTTPInput").catch >> reply.in_
    with listening(qm, flow):
        status, _, body = ask(port, "/echo", b"x")
    assert (status, body) == (200, b"x")


def test_what_the_flow_put_is_undone_with_a_fault(qm: Any, port: int) -> None:
    flow = Flow("undone")
    start = flow.add(nodes.HTTPInput("/put", port=port))
    put, bad = flow.add(nodes.MQOutput("OUT", transaction="yes")), flow.add(Failing())
    start.out >> put.in_
    put.out >> bad.in_
    with listening(qm, flow):
        assert ask(port, "/put", b"x")[0] == 500
    assert qm.get("OUT") is None


def test_a_client_that_nobody_answers_gets_a_fault_in_time(qm: Any, port: int) -> None:
    flow = Flow("silent")
    flow.add(nodes.HTTPInput("/silent", port=port, client_wait=0.3))
    with listening(qm, flow):
        status, _, body = ask(port, "/silent", b"x")
    assert status == 500
    assert b"no reply within 0.3 seconds" in body


def test_timeout_gets_a_request_that_was_taken_too_late(qm: Any, port: int) -> None:
    taken, busy, late = threading.Event(), threading.Event(), Noting()

    class Slow(Node):
        def process(self, assembly: Any, at: Any) -> None:
            taken.set()
            busy.wait(60)

    flow = Flow("slow")
    start, slow, note = (
        flow.add(nodes.HTTPInput("/slow", port=port, client_wait=0.3)),
        flow.add(Slow()),
        flow.add(late),
    )
    start.out >> slow.in_
    start.timeout >> note.in_
    with listening(qm, flow):
        while not taken.is_set():  # on a busy machine one may be too late already
            ask(port, "/slow", b"x")
        before = len(late._seen)
        ask(port, "/slow", b"x")
        busy.set()
        until(lambda: len(late._seen) > before)
    assert len(late._seen) == before + 1


def test_another_flow_of_the_process_may_reply(qm: Any, port: int) -> None:
    """The identifier travels in a message; the flow behind the queue sends the reply."""
    first = Flow("first")
    start, out = first.add(nodes.HTTPInput("/later", port=port)), first.add(Keeping("IN"))
    start.out >> out.in_
    second = Flow("second")
    back, found, reply = (
        second.add(nodes.MQInput("IN")),
        second.add(Finding()),
        second.add(nodes.HTTPReply(ignore_transport_failures=False)),
    )
    back.out >> found.in_
    found.out >> reply.in_
    with listening(qm, first, second):
        assert ask(port, "/later", b"x")[::2] == (200, b"answered")


class Keeping(Node):
    """Puts the request's identifier to a queue."""

    def __init__(self, queue: str) -> None:
        super().__init__()
        self.queue = queue

    def process(self, assembly: Any, at: Any) -> None:
        from penstock.model.message import Message

        identifier = assembly.local_environment.get(nodes.HTTPInput.identifier)
        assembly.ports.put(self.queue, Message(identifier))


class Finding(Node):
    """Takes the identifier from the message."""

    def process(self, assembly: Any, at: Any) -> None:
        from penstock.flow.new_messages import arrived

        local = assembly.copied_local_environment()
        local.set(nodes.HTTPInput.identifier, assembly.message.get(path("BLOB", "BLOB")))
        at.send("out", assembly.sending(arrived(b"answered", "BLOB"), local))


def test_status_and_headers_of_the_reply(qm: Any, port: int) -> None:
    class Setting(Node):
        def process(self, assembly: Any, at: Any) -> None:
            from penstock.tree.headers.http import HTTPHeader

            message = assembly.message.copy()
            folder = message.reference(path("Properties")).add_next("HTTPReplyHeader")
            folder.domain = HTTPHeader("HTTPReplyHeader")
            folder.add_last_child("X-Of", "ours")
            folder.add_last_child("Content-Length", "999")
            local = assembly.copied_local_environment()
            local.set(path("Destination", "HTTP", "ReplyStatusCode"), 202)
            at.send("out", assembly.sending(message, local))

    with listening(qm, echo(port, "/echo", Setting())):
        status, headers, body = ask(port, "/echo", b"hello")
    assert (status, headers["x-of"], headers["content-length"], body) == (202, "ours", "5", b"hello")


def test_a_second_reply_fails_only_where_asked_for(qm: Any, port: int) -> None:
    flow = echo(port)
    strict = flow.add(nodes.HTTPReply(ignore_transport_failures=False, name="Again"))
    out = flow.add(nodes.MQOutput("FAILED"))
    flow.node("HTTPReply").out >> strict.in_
    strict.failure >> out.in_
    with listening(qm, flow):
        assert ask(port, "/echo", b"x")[0] == 200
    assert qm.get("FAILED").body == b"x"


def test_a_connection_is_kept_for_further_requests(qm: Any, port: int) -> None:
    request = b"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"
    with listening(qm, echo(port)):
        answer = raw(port, request + b"1" + request + b"2")
    assert answer.count(b"HTTP/1.1 200 OK") == 2
    assert answer.endswith(b"2")


def test_chunks_are_put_together(qm: Any, port: int) -> None:
    with listening(qm, echo(port)):
        answer = raw(
            port,
            b"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
            b"3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        )
    assert answer.endswith(b"abcde")


def test_bodies_of_all_requests_together_have_a_limit(
    qm: Any, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bodies, "BODIES_BYTES_MAX", 10)
    with listening(qm, echo(port)):
        assert ask(port, "/echo", b"x" * 10)[0] == 200
        assert ask(port, "/echo", b"x" * 11)[0] == 503
        assert ask(port, "/echo", b"x" * 10)[0] == 200
    assert request_reader.BODY_BYTES_MAX == 16 << 20


def test_too_many_waiting_requests_get_503(qm: Any, port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    flow = Flow("full")
    flow.add(nodes.HTTPInput("/full", port=port, client_wait=60))
    monkeypatch.setattr(server, "WAITING_MAX", 1)
    from penstock.flow import CompiledFlow
    from penstock.flow.running.listener import listener_for

    listener: Any = listener_for(CompiledFlow(flow), "HTTPInput", lambda: qm)  # does not run
    try:
        first = threading.Thread(target=ask, args=(port, "/full"))
        first.start()
        while not listener.route.waiting.qsize():
            pass
        assert ask(port, "/full")[0] == 503
        listener.route.take(0.0).answer(server.plain(200, "at last"))
        first.join()
    finally:
        listener.close()


def test_the_port_is_free_again_when_the_last_listener_ends(qm: Any, port: int) -> None:
    for _ in range(2):
        with listening(qm, echo(port)):
            assert ask(port, "/echo", b"x")[0] == 200
    with pytest.raises(ConnectionRefusedError):
        ask(port, "/echo")


def test_properties_that_cannot_be_are_refused(run: Any, port: int) -> None:
    with pytest.raises(MQError, match="path 'echo' has to begin with a slash"):
        run(echo(port, "echo"))


def test_too_many_query_fields_fail_that_request_only(qm: Any, port: int) -> None:
    with listening(qm, echo(port, "/echo", parse_query_string=True)):
        assert ask(port, "/echo?" + "a&" * 1500, b"x")[0] == 400
        assert ask(port, "/echo?a=1", b"x")[0] == 200


def test_any_error_about_a_request_fails_that_request_only(
    qm: Any, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    trees = nodes.HTTPInput.trees

    def stumbling(self: Any, exchange: Any, *rest: Any) -> Any:
        if exchange.request.query == "bad":
            raise KeyError("bad")
        return trees(self, exchange, *rest)

    monkeypatch.setattr(nodes.HTTPInput, "trees", stumbling)
    with listening(qm, echo(port, "/echo")):
        assert ask(port, "/echo?bad", b"x")[0] == 500
        assert ask(port, "/echo", b"x")[0] == 200


def test_names_of_charsets_are_not_kept() -> None:
    kept = len(encodings._cache)  # type: ignore[attr-defined]
    for n in range(100):
        assert charset_of(f"text/xml; charset=unheard-of-{n}") == 1208
    assert len(encodings._cache) == kept  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("name", "ccsid"),
    [("ISO-8859-1", 819), ("latin1", 819), ("US-ASCII", 367), ("windows-1252", 1252), ("UTF8", 1208)],
)
def test_charsets_have_many_names(name: str, ccsid: int) -> None:
    assert charset_of(f'text/plain; Charset="{name}"') == ccsid


def counts(ours: server.HttpServer, wanted: int) -> None:
    """Wait until so many bytes are counted: a connection lets go just after its client has the reply."""
    until(lambda: ours.bodies.bytes == wanted)


def test_a_body_counts_while_its_request_waits_though_its_client_gave_up(qm: Any, port: int) -> None:
    servers = server.HttpServers()
    late = server.plain(500, "late")
    ours, route = servers.open_route("127.0.0.1", port, "/a", 0.1, lambda _: late)
    _, other = servers.open_route("127.0.0.1", port, "/b", 0.1, lambda _: late)
    try:
        assert [ask(port, "/a", b"x" * 1000)[0] for _ in range(2)] == [500, 500]
        assert ours.bodies.bytes == 2000
        assert route.take(0.0) is not None
        counts(ours, 1000)
        servers.close_route(ours, route)  # what still waits goes with it
        assert ask(port, "/a", b"x")[0] == 404
        counts(ours, 0)
    finally:
        servers.close_route(ours, other)


def test_small_chunks_hold_no_more_than_they_claim() -> None:
    async def held() -> int:
        reader = asyncio.StreamReader()
        reader.feed_data(
            b"POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" + b"2\r\nab\r\n" * 20_000
        )
        tracemalloc.start()
        reading = asyncio.create_task(request_reader.read_request(reader, "", lambda _: None, lambda: None))
        while len(reader._buffer) and not reading.done():  # type: ignore[attr-defined]
            await asyncio.sleep(0.01)
        found = tracemalloc.get_traced_memory()[0]
        tracemalloc.stop()
        reading.cancel()
        return found

    assert asyncio.run(held()) < 200_000  # for 40 000 bytes


class Answering(Node):
    """Answers by itself, with a header of its own."""

    def __init__(self, header: tuple[str, str]) -> None:
        super().__init__()
        self.header = header

    def process(self, assembly: Any, at: Any) -> None:
        found = exchanges().find(assembly.local_environment.get(nodes.HTTPInput.identifier))
        found.answer(server.HttpResponse(200, [self.header], b"x"))


@pytest.mark.parametrize(
    "header",
    [("X-Name", "\u017elu\u0165"), ("X-Name", "a\r\nX-Other: b"), ("X-Name\n", "a"), ("X-Name", "a\0")],
)
def test_a_header_that_http_cannot_carry_is_an_error_of_the_server(
    qm: Any, port: int, header: tuple[str, str]
) -> None:
    with listening(qm, echo(port, "/echo", Answering(header))):
        status, headers, _ = ask(port, "/echo", b"x")
    assert status == 500
    assert "x-other" not in headers


def test_a_message_without_a_body_is_an_empty_reply(tmp_path: Any) -> None:
    module = """CREATE COMPUTE MODULE Empty
      CREATE FUNCTION Main() RETURNS BOOLEAN
      BEGIN
        SET OutputRoot.Properties = InputRoot.Properties;
        SET OutputRoot.HTTPReplyHeader."X-Shop" = 'north';
        SET OutputRoot.JSON.Data = InputRoot.JSON.Data.none;
        RETURN TRUE;
      END;
    END MODULE;"""
    (tmp_path / "esql").mkdir()
    (tmp_path / "esql" / "empty.esql").write_text(module)
    flow = Flow("empty")
    start, reply = flow.add(nodes.HTTPInput("/empty", domain="JSON")), flow.add(nodes.HTTPReply())
    compute = flow.add(nodes.Compute("esql/empty.esql", module="Empty"))
    start.out >> compute.in_
    compute.out >> reply.in_
    with Rig(flow, tmp_path) as rig:
        rig.request(b"{}")
        rig.run()
        (answer,) = rig.replies
    assert answer is not None
    assert (answer.status, answer.body) == (200, b"")
    assert ("X-Shop", "north") in answer.headers
