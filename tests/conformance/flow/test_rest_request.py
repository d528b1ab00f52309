"""RESTRequest and its asynchronous pair: operations of a definition, with a real server."""

from __future__ import annotations

import http.server
import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from penstock.flow import Flow, Project, nodes
from penstock.flow.checking import check_flow
from tests.flow_files import FlowFile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATHS = {
    "/orders/{number}": {
        "parameters": [{"name": "number", "in": "path"}],
        "get": {
            "operationId": "getOrder",
            "parameters": [{"name": "detail", "in": "query"}, {"name": "X-Trace", "in": "header"}],
        },
        "put": {"operationId": "changeOrder", "parameters": [{"name": "order", "in": "body"}]},
    },
    "/orders": {"get": {}},
}
VALUES = {"number": "$Root/XMLNSC/a/number", "detail": "'all'", "X-Trace": "$Body/a/@trace"}


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers with the request: as JSON, as XML below /orders/xml, as 404 below /orders/none."""

    def answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        told = {"line": f"{self.command} {self.path}", "body": body, "trace": self.headers.get("X-Trace")}
        kind, content = "application/json", json.dumps(told).encode()
        if "xml" in self.path:
            kind, content = "text/xml", b"<told/>"
        self.send_response(404 if "none" in self.path else 200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_PUT = answer  # noqa: N815

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    """A project whose definition names a running server."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        host = f"127.0.0.1:{server.server_port}"
        definition = {"swagger": "2.0", "host": host, "basePath": "/shop", "paths": PATHS}
        (tmp_path / "shop.json").write_text(json.dumps(definition))
        yield Project(tmp_path)
        server.shutdown()
        thread.join()


def asking(node: nodes.HTTPRequest) -> Flow:
    flow = Flow("asking")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    start.out >> flow.add(node).in_
    for terminal, queue in (("out", "OUT"), ("error", "OUT2"), ("failure", "FAILED")):
        if terminal in node.outputs:
            node.terminal(terminal) >> flow.add(nodes.MQOutput(queue)).in_
    return flow


def answer(qm: Any, run: Any, project: Project, body: bytes, operation: str = "getOrder") -> Any:
    qm.put("IN", body)
    run(asking(nodes.RESTRequest("shop.json", operation, parameters=VALUES)), project=project)
    return json.loads(qm.get("OUT").body)


def test_parameters_are_in_path_query_and_headers(qm: Any, run: Any, project: Project) -> None:
    told = answer(qm, run, project, b'<a trace="t1"><number>7/8</number></a>')
    assert told == {"line": "GET /shop/orders/7%2F8?detail=all", "body": "", "trace": "t1"}


def test_a_declared_body_is_sent(qm: Any, run: Any, project: Project) -> None:
    told = answer(qm, run, project, b"<a><number>7</number></a>", "changeOrder")
    assert (told["line"], told["body"]) == ("PUT /shop/orders/7", "<a><number>7</number></a>")


def test_an_operation_without_an_id_has_the_toolkits_name(qm: Any, run: Any, project: Project) -> None:
    assert answer(qm, run, project, b"<a/>", "getOrders")["line"] == "GET /shop/orders"


def test_the_content_type_decides_how_a_response_is_parsed(qm: Any, run: Any, project: Project) -> None:
    flow = Flow("kinds")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    ask = flow.add(nodes.RESTRequest("shop.json", "getOrder", parameters=VALUES))
    filter = flow.add(nodes.Filter("Root.XMLNSC.told IS NOT NULL"))
    start.out >> ask.in_
    ask.out >> filter.in_
    filter.true >> flow.add(nodes.MQOutput("OUT")).in_
    filter.terminal("false") >> flow.add(nodes.MQOutput("OUT2")).in_
    filter.unknown >> flow.add(nodes.MQOutput("OUT2")).in_
    for number in ("xml", "1"):
        qm.put("IN", f"<a><number>{number}</number></a>".encode())
    run(flow, project=project)
    assert qm.get("OUT").body == b"<told/>"
    assert qm.get("OUT2").body.startswith(b"{")


def test_errors_and_missing_values_have_their_terminals(qm: Any, run: Any, project: Project) -> None:
    flow = asking(nodes.RESTRequest("shop.json", "getOrder", parameters=VALUES))
    qm.put("IN", b"<a><number>none</number></a>")
    qm.put("IN", b"<a/>")
    run(flow, project=project)
    assert b"/shop/orders/none" in qm.get("OUT2").body
    assert qm.get("FAILED").body == b"<a/>"


def test_a_part_of_the_response_goes_to_a_location(qm: Any, run: Any, project: Project) -> None:
    flow = Flow("parts")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    ask = flow.add(
        nodes.RESTRequest(
            *("shop.json", "getOrder"),
            parameters=VALUES,
            result_location="$ResultRoot/JSON/Data",
            output_location="$Environment/Variables/Told",
        )
    )
    check = flow.add(nodes.Filter("Environment.Variables.Told.line = 'GET /shop/orders/7?detail=all'"))
    start.out >> ask.in_
    ask.out >> check.in_
    check.true >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"<a><number>7</number></a>")
    run(flow, project=project)
    assert qm.get("OUT").body == b"<a><number>7</number></a>"


def test_local_environment_takes_precedence(qm: Any, run: Any, project: Project) -> None:
    (project.folder / "Set.esql").write_text(
        "CREATE COMPUTE MODULE Choose CREATE FUNCTION Main() RETURNS BOOLEAN BEGIN"
        " SET OutputRoot = InputRoot;"
        " DECLARE r REFERENCE TO OutputLocalEnvironment;"
        " CREATE LASTCHILD OF OutputLocalEnvironment AS r NAME 'Destination';"
        " SET r.REST.Request.Operation = 'getOrder'; SET r.REST.Request.Parameters.number = '9';"
        " RETURN TRUE; END; END MODULE;"
    )
    flow = Flow("chosen")
    start = flow.add(nodes.MQInput("IN", domain="XMLNSC"))
    choose = flow.add(nodes.Compute(esql="Set.esql", module="Choose", mode="destinationAndMessage"))
    ask = flow.add(nodes.RESTRequest("shop.json", "getOrders"))
    start.out >> choose.in_
    choose.out >> ask.in_
    ask.out >> flow.add(nodes.MQOutput("OUT")).in_
    qm.put("IN", b"<a/>")
    run(flow, project=project)
    assert json.loads(qm.get("OUT").body)["line"] == "GET /shop/orders/9"


def test_the_check_finds_what_would_fail(project: Project) -> None:
    (project.folder / "here.json").write_text(json.dumps({"swagger": "2.0", "paths": PATHS}))
    cases = {
        ("none.json", "getOrder"): "none.json cannot be read",
        ("shop.json", "dropOrder"): "shop.json has no operation 'dropOrder'",
        ("here.json", "getOrder"): "here.json names no server: base_url is needed",
        ("", "getOrder"): "needs the file of its definition",
        ("shop.json", ""): "needs its operation",
    }
    for arguments, text in cases.items():
        errors = check_flow(asking(nodes.RESTRequest(*arguments)), project).errors
        assert text in " ".join(each.text for each in errors), arguments
    wrong = nodes.RESTRequest(
        *("shop.json", "getOrder"),
        base_url="shop",
        parameters={"number": "$Root/["},
        result_location="$ResultRoot/JSON",
    )
    told = " ".join(wrong.check())
    assert "base_url 'shop' has to begin with" in told
    assert "number: " in told
    assert "result_location needs output_location" in told


def test_a_flow_file_finds_the_definition_in_its_library(qm: Any, run: Any, project: Project) -> None:
    library, other = project.folder / "Lib", project.folder / "Other"
    for folder in (library, other):
        folder.mkdir()
        (folder / "library.descriptor").write_text("<libraryDescriptor/>")
    (library / "api.json").write_bytes((project.folder / "shop.json").read_bytes())
    (other / "api.json").write_text('{"openapi": "3.0.0"}')
    file = FlowFile().node("ComIbmMQInput", "In", queueName="IN", messageDomainProperty="XMLNSC")
    file.node(
        *("ComIbmRESTRequest", "Ask", '<parameters name="number" expression="$Root/XMLNSC/a/number"/>'),
        definitionFile="{Lib}api.json",
        definitionType="swagger_20",
        operationName="getOrder",
    )
    file.node("ComIbmMQOutput", "Out", queueName="OUT")
    file.wire("In.out", "Ask.in").wire("Ask.out", "Out.in").write(project.folder / "F.msgflow")
    again = Project(project.folder)
    qm.put("IN", b"<a><number>5</number></a>")
    run(again.flow("F"), project=again)
    assert json.loads(qm.get("OUT").body)["line"] == "GET /shop/orders/5"


def test_an_asynchronous_response_starts_its_own_flow(
    qm: Any, run: Any, serve: Callable[[Flow], None], project: Project
) -> None:
    flow = Flow("responses")
    start = flow.add(nodes.RESTAsyncResponse("orders"))
    filter = flow.add(nodes.Filter("Root.JSON.Data.trace IS NULL"))
    start.out >> filter.in_
    filter.true >> flow.add(nodes.MQOutput("OUT2")).in_
    serve(flow)
    qm.put("IN", b"<a><number>3</number></a>")
    ask = nodes.RESTAsyncRequest(
        "shop.json", "getOrder", parameters={"number": "$Body/a/number"}, correlator="orders"
    )
    run(asking(ask), project=project)
    assert qm.get("OUT").body == b"<a><number>3</number></a>"
    assert json.loads(qm.get("OUT2", wait=60).body)["line"] == "GET /shop/orders/3"
