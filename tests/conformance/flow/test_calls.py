"""Flows that call flows, and requests whose response starts another flow."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import Flow, Node, nodes
from penstock.flow.calls import REPLIES
from penstock.flow.http import asynchronous
from penstock.model import constants as mq
from penstock.tree import Path
from tests.flow_fixtures import bodies

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from penstock.flow import Assembly, NodeContext

ENVELOPE = b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>%s</e:Body></e:Envelope>'


class Wrap(Node):
    """Changes the body, or fails."""

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        message = assembly.message.copy()
        if message.get(Path("XMLNSC", "a")) == "bad":
            raise ValueError("bad is bad")
        message.set(Path("XMLNSC", "a"), f"[{message.get(Path('XMLNSC', 'a'))}]")
        at.send("out", assembly.sending(message))


def called(endpoint: str = "price") -> Flow:
    flow = Flow("called")
    start, wrap = flow.add(nodes.CallableFlowInput(endpoint, application="Shop")), flow.add(Wrap())
    start.out >> wrap.in_
    wrap.out >> flow.add(nodes.CallableFlowReply()).in_
    return flow


def caller(node: Node) -> Flow:
    flow = Flow("caller")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    start.out >> flow.add(node).in_
    node.out >> flow.add(nodes.MQOutput("OUT")).in_
    node.failure >> flow.add(nodes.MQOutput("FAILED")).in_
    return flow


def test_a_call_continues_with_the_reply(
    qm: Any, run: Callable[..., Any], serve: Callable[[Flow], None]
) -> None:
    serve(called())
    qm.put("IN", b"<a>1</a>")
    run(caller(nodes.CallableFlowInvoke("price", application="Shop", timeout=120)))
    assert bodies(qm, "OUT") == [b"<a>[1]</a>"]


def test_a_called_flow_that_fails_is_the_failure_of_the_call(
    qm: Any, run: Callable[..., Any], serve: Callable[[Flow], None]
) -> None:
    serve(called())
    qm.put("IN", b"<a>bad</a>")
    run(caller(nodes.CallableFlowInvoke("price", application="Shop", timeout=120)))
    assert bodies(qm, "FAILED") == [b"<a>bad</a>"]


def test_a_call_that_nobody_takes_fails_in_time_and_leaves_nothing(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"<a>1</a>")
    run(caller(nodes.CallableFlowInvoke("nobody", timeout=0.1)))
    assert bodies(qm, "FAILED") == [b"<a>1</a>"]
    assert qm.get(REPLIES) is None


def test_an_asynchronous_call_starts_the_flow_of_its_response(
    qm: Any, run: Callable[..., Any], serve: Callable[[Flow], None]
) -> None:
    replies = Flow("replies")
    start = replies.add(nodes.CallableFlowAsyncResponse("prices"))
    start.out >> replies.add(nodes.MQOutput("OUT2")).in_
    start.failure >> replies.add(nodes.MQOutput("OUT3")).in_
    serve(called())
    serve(replies)
    qm.put("IN", b"<a>2</a>")
    qm.put("IN", b"<a>bad</a>")
    run(caller(nodes.CallableFlowAsyncInvoke("price", application="Shop", correlator="prices")))
    assert len(bodies(qm, "OUT")) == 2  # the caller went on at once
    assert qm.get("OUT2", wait=60).body == b"<a>[2]</a>"
    assert qm.get("OUT3", wait=60) is not None


class _Answers(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/gone":
            self.connection.close()
            return
        self.send_response(500 if self.path == "/broken" else 200)
        self.send_header("Content-Type", "text/xml")
        self.end_headers()
        self.wfile.write(ENVELOPE % b"<ok/>" if self.path == "/soap" else b"<r>" + body + b"</r>")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()
    made.server_close()


@pytest.mark.parametrize(
    ("path", "queue", "body"),
    [("/ok", "OUT2", b"<r><a>1</a></r>"), ("/broken", "OUT3", b"<r><a>1</a></r>"), ("/gone", "CAUGHT", b"")],
)
def test_a_response_starts_its_own_flow(
    qm: Any,
    run: Callable[..., Any],
    serve: Callable[[Flow], None],
    server: str,
    path: str,
    queue: str,
    body: bytes,
) -> None:
    flow = Flow("responses")
    start = flow.add(nodes.HTTPAsyncResponse(f"c{path}", domain="XMLNSC"))
    start.out >> flow.add(nodes.MQOutput("OUT2")).in_
    start.error >> flow.add(nodes.MQOutput("OUT3")).in_
    start.failure >> flow.add(nodes.MQOutput("CAUGHT")).in_
    serve(flow)
    qm.put("IN", b"<a>1</a>")
    run(caller(nodes.HTTPAsyncRequest(f"{server}{path}", correlator=f"c{path}", timeout=120)))
    assert bodies(qm, "OUT") == [b"<a>1</a>"]
    assert qm.get(queue, wait=60).body == body


def test_a_soap_answer_starts_its_own_flow(
    qm: Any, run: Callable[..., Any], serve: Callable[[Flow], None], server: str
) -> None:
    flow = Flow("answers")
    start = flow.add(nodes.SOAPAsyncResponse("soap"))
    start.out >> flow.add(nodes.MQOutput("OUT2")).in_
    serve(flow)
    asking = Flow("asking")
    begin = asking.add(nodes.MQInput("IN", domain="SOAP"))
    begin.out >> asking.add(nodes.SOAPAsyncRequest(f"{server}/soap", correlator="soap", action="urn:a")).in_
    qm.put("IN", ENVELOPE % b"<q/>")
    run(asking)
    assert b"<ok/>" in qm.get("OUT2", wait=60).body


def test_requests_that_wait_are_limited(
    qm: Any, run: Callable[..., Any], server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asynchronous, "WAITING_MAX", 0)
    qm.put("IN", b"<a/>")
    run(caller(nodes.HTTPAsyncRequest(f"{server}/ok", correlator="many")))
    assert bodies(qm, "FAILED") == [b"<a/>"]


@pytest.mark.parametrize(
    ("node", "text"),
    [
        (nodes.CallableFlowInvoke(""), "needs the name of an endpoint"),
        (nodes.CallableFlowInvoke("a", timeout=0), "more than 0 seconds"),
        (nodes.CallableFlowInput(""), "needs the name of its endpoint"),
        (nodes.CallableFlowAsyncInvoke("a"), "needs the correlator"),
        (nodes.CallableFlowAsyncResponse(""), "needs the correlator"),
        (nodes.HTTPAsyncRequest("http://h"), "needs the correlator"),
        (nodes.HTTPAsyncResponse(""), "needs the correlator"),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_what_cannot_be_is_refused(node: Node, text: str) -> None:
    assert text in " ".join(node.check())


def test_a_reply_without_a_call_fails(qm: Any, run: Callable[..., Any]) -> None:
    qm.put("IN", b"<a/>")
    run(caller(nodes.CallableFlowReply()))
    assert bodies(qm, "FAILED") == [b"<a/>"]
    assert mq.PSRC_FLOW_CALL == 8338
