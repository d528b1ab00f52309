"""HTTPRequest: terminals out, error and failure; where request and response stand; redirects; time."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from penstock.flow import Flow, nodes
from penstock.flow.http.client import Call, _redirected
from penstock.model.errors import MQError
from tests.ports import free_port


class Handler(http.server.BaseHTTPRequestHandler):
    """A server of the standard library, so that the two sides are not the same hand's work."""

    seen: list[tuple[str, str, bytes, dict[str, str]]] = []
    answers_slow = threading.Event()

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        type(self).seen.append((self.command, self.path, body, dict(self.headers)))
        if self.path == "/slow":
            self.answers_slow.wait(60)
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/price")
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_response({"/wrong": 404}.get(self.path, 200))
        answer = b'{"price":5}'
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        try:
            self.wfile.write(answer)
        except OSError:
            pass

    do_GET = do_POST = do_PUT = answer  # noqa: N815

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def url() -> Iterator[str]:
    Handler.seen = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def flow_of(url: str, **options: Any) -> Flow:
    flow = Flow("asking")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    request = flow.add(nodes.HTTPRequest(url, **{"domain": "JSON", **options}))
    start.out >> request.in_
    for terminal, queue in (("out", "OUT"), ("error", "OUT2"), ("failure", "FAILED")):
        request.terminal(terminal) >> flow.add(nodes.MQOutput(queue)).in_
    return flow


def test_out_gets_the_response_and_keeps_the_descriptor(qm: Any, run: Any, url: str) -> None:
    qm.put("IN", b"<a/>", correl_id=b"c" * 24)
    run(flow_of(f"{url}/price"))
    found = qm.get("OUT")
    assert (found.body, found.correl_id) == (b'{"price":5}', b"c" * 24)
    (method, path, body, headers) = Handler.seen[0]
    assert (method, path, body) == ("POST", "/price", b"<a/>")
    assert headers["Content-Type"] == "text/xml; charset=utf-8"


def test_error_gets_a_response_that_says_so(qm: Any, run: Any, url: str) -> None:
    qm.put("IN", b"<a/>")
    run(flow_of(f"{url}/wrong"))
    assert qm.get("OUT2").body == b'{"price":5}'
    assert qm.get("OUT") is None


def test_failure_gets_the_message_when_nobody_listens(qm: Any, run: Any) -> None:
    qm.put("IN", b"<a/>")
    run(flow_of(f"http://127.0.0.1:{free_port()}/"))
    assert qm.get("FAILED").body == b"<a/>"


def test_failure_gets_the_message_when_time_is_over(qm: Any, run: Any, url: str) -> None:
    qm.put("IN", b"<a/>")
    Handler.answers_slow.clear()
    try:
        run(flow_of(f"{url}/slow", timeout=0.3))
    finally:
        Handler.answers_slow.set()
    assert qm.get("FAILED").body == b"<a/>"


def test_get_sends_no_body(qm: Any, run: Any, url: str) -> None:
    qm.put("IN", b"<a/>")
    run(flow_of(f"{url}/price?a=b", method="GET"))
    assert Handler.seen[0][:3] == ("GET", "/price?a=b", b"")


def test_redirects_are_followed_where_asked_for(qm: Any, run: Any, url: str) -> None:
    qm.put("IN", b"<a/>")
    run(flow_of(f"{url}/moved"))
    assert qm.get("OUT").body == b""
    qm.put("IN", b"<a/>")
    run(flow_of(f"{url}/moved", follow_redirects=True))
    assert qm.get("OUT").body == b'{"price":5}'
    assert Handler.seen[-1][:2] == ("GET", "/price")


def test_a_part_may_be_sent_and_the_response_put_beside_the_message(qm: Any, run: Any, url: str) -> None:
    qm.put("IN", b"<a><b><c>1</c></b></a>")
    flow = flow_of(
        f"{url}/price",
        request_location="InputRoot.XMLNSC.a.b",
        response_location="OutputLocalEnvironment.Found",
    )
    check = flow.add(nodes.Filter("LocalEnvironment.Found.Data.price = 5"))
    flow.wires = [w for w in flow.wires if not (w.source.name == "HTTPRequest" and w.output == "out")]
    flow.node("HTTPRequest").out >> check.in_
    check.true >> flow.node("MQOutput").in_
    run(flow)
    assert Handler.seen[0][2] == b"<b><c>1</c></b>"
    assert qm.get("OUT").body == b"<a><b><c>1</c></b></a>"


def test_an_address_that_is_none_is_refused(run: Any) -> None:
    with pytest.raises(MQError, match="has to begin with http"):
        run(flow_of("file:///etc/passwd"))


@pytest.mark.parametrize(
    ("target", "kept"),
    [("https://h/b", True), ("/b", True), ("http://h/b", False), ("https://other/b", False)],
)
def test_secrets_go_only_to_the_scheme_and_server_they_are_for(target: str, kept: bool) -> None:
    sent = Call("GET", "https://h/a", [("Authorization", "secret"), ("Cookie", "c"), ("X", "y")], b"")
    headers = [name for name, _ in _redirected(sent, 302, target).headers]
    assert headers == (["Authorization", "Cookie", "X"] if kept else ["X"])
