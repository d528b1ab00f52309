"""REST APIs and integration services: definitions route requests to labels, over real sockets."""

from __future__ import annotations

import json
import logging
import ssl
import urllib.request
from typing import TYPE_CHECKING, Any

import pytest
import trustme

from penstock.flow import CompiledFlow, Flow, Node, Project, nodes
from penstock.flow.checking import check_flow
from tests.conformance.flow.http_client import ask, listening
from tests.flow_files import FlowFile, write_esql
from tests.ports import free_port

if TYPE_CHECKING:
    from pathlib import Path

SWAGGER = {
    "swagger": "2.0",
    "basePath": "/shop/v1",
    "parameters": {"trace": {"name": "X-Trace", "in": "header", "type": "string"}},
    "paths": {
        "/orders/{number}": {
            "parameters": [{"name": "number", "in": "path", "type": "integer"}],
            "get": {
                "operationId": "getOrder",
                "parameters": [{"name": "detail", "in": "query"}, {"$ref": "#/parameters/trace"}],
            },
            "delete": {"operationId": "deleteOrder"},
        },
        "/orders/newest": {"get": {"operationId": "getNewest"}},
    },
}
OPENAPI = """
openapi: 3.0.1
servers: [{url: "https://shop.example/shop/v1"}]
paths:
  /orders/{number}:
    get:
      operationId: getOrder
      parameters: [{name: number, in: path, schema: {type: integer}}, {name: detail, in: query}]
    delete: {operationId: deleteOrder}
  /orders/newest: {get: {operationId: getNewest}}
"""
DESCRIPTOR = (
    '<restapiDescriptor definitionType="swagger_20" definitionFile="%s" implementation="gen/Shop.msgflow"/>'
)
SAID = """SET OutputRoot.JSON.Data.operation = InputLocalEnvironment.REST.Input.Operation;
SET OutputRoot.JSON.Data.path = InputLocalEnvironment.REST.Input.Path;
SET OutputRoot.JSON.Data.number = InputLocalEnvironment.REST.Input.Parameters.number;
SET OutputRoot.JSON.Data.detail = InputLocalEnvironment.REST.Input.Parameters.detail;
SET OutputRoot.JSON.Data.trace = InputLocalEnvironment.REST.Input.Parameters."X-Trace";"""


def shop(folder: Path, definition: str, text: str) -> Flow:
    """Write a REST API as the toolkit does, and return its flow at a free port."""
    (folder / "gen").mkdir(parents=True)
    (folder / "restapi.descriptor").write_text(DESCRIPTOR % definition)
    (folder / definition).write_text(text)
    write_esql(folder / "Said.esql", "Said", SAID)
    file = FlowFile().node(
        "ComIbmWSInput", "In", URLSpecifier="/shop/v1*", messageDomainProperty="JSON", faultFormat="JSON"
    )
    file.node("ComIbmRouteToLabel", "Route").node("ComIbmWSReply", "Reply")
    file.node("ComIbmCompute", "Say", computeExpression="esql://routine/#Said.Main")
    for name in ("getOrder", "getNewest"):
        file.node("ComIbmLabel", name, labelName=name).wire(f"{name}.out", "Say.in")
    file.wire("In.out", "Route.in").wire("Say.out", "Reply.in").write(folder / "gen/Shop.msgflow")
    flow = Project(folder).flow("gen.Shop")
    flow.node("In").set_property("port", free_port())
    return flow


@pytest.mark.parametrize(("name", "text"), [("shop.json", json.dumps(SWAGGER)), ("shop.yaml", OPENAPI)])
def test_a_definition_routes_requests(name: str, text: str, qm: Any, tmp_path: Path) -> None:
    flow = shop(tmp_path / "Shop", name, text)
    port = flow.node("In").properties()["port"]
    with listening(qm, flow, folder=tmp_path / "Shop"):
        status, headers, body = ask(port, "/shop/v1/orders/7%20a?detail=full&x=1", method="GET", X_Trace="t")
        newest = ask(port, "/shop/v1/orders/newest", method="GET")
        gone = ask(port, "/shop/v1/customers", method="GET")
        wrong = ask(port, "/shop/v1/orders/newest", method="PUT")
        later = ask(port, "/shop/v1/orders/7", method="DELETE")
    said = json.loads(body)
    assert (status, headers["content-type"]) == (200, "application/json; charset=utf-8")
    assert said["operation"] == "getOrder"
    assert said["path"] == "/orders/{number}"
    assert (said["number"], said["detail"]) == ("7 a", "full")
    assert said.get("trace") == ("t" if name.endswith("json") else None)
    assert json.loads(newest[2])["operation"] == "getNewest"
    assert [each[0] for each in (gone, wrong, later)] == [404, 405, 501]
    assert set(wrong[1]["allow"].split(", ")) >= {"GET"}
    assert "deleteOrder is not implemented" in json.loads(later[2])["error"]["message"]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("{", "shop.json"),
        ("[]", "it has no paths"),
        ("!!python/object/apply:os.getcwd []", "could not determine a constructor"),
    ],
)
def test_a_definition_that_is_none_is_an_error_of_the_check(text: str, why: str, tmp_path: Path) -> None:
    flow = shop(tmp_path, "shop.json", text)
    assert any(why in each.text for each in check_flow(flow, Project(tmp_path)).errors)


def test_a_definition_that_is_not_there_makes_the_input_unavailable(tmp_path: Path) -> None:
    shop(tmp_path, "shop.json", json.dumps(SWAGGER))
    (tmp_path / "shop.json").unlink()
    report = check_flow(Project(tmp_path).flow("gen.Shop"), Project(tmp_path))
    assert any("shop.json" in each.text for each in report.errors)


WSDL = """<definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:t="urn:shop" targetNamespace="urn:shop">
<message name="AddIn"><part name="p" element="t:AddRequest"/></message>
<portType name="Shop"><operation name="Add"><input message="t:AddIn"/></operation>
<operation name="Drop"><input message="t:DropIn"/></operation></portType></definitions>"""
ENVELOPE = '<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Body>%s</e:Body></e:Envelope>'


def test_a_service_routes_by_the_operation_and_replies_in_an_envelope(qm: Any, tmp_path: Path) -> None:
    (tmp_path / "Shop.wsdl").write_text(WSDL)
    file = FlowFile().node(
        "ComIbmSOAPInput", "In", urlSelector="/shop", wsdlFileName="Shop.wsdl", extractSOAPBody="true"
    )
    file.node("ComIbmRouteToLabel", "Route").node("ComIbmSOAPReply", "Reply")
    file.node("ComIbmLabel", "Add", labelName="Add").wire("Add.out", "Reply.in")
    file.node("ComIbmLabel", "Drop", labelName="Drop").wire("Drop.out", "Reply.in")
    file.wire("In.out", "Route.in").write(tmp_path / "F.msgflow")
    flow = Project(tmp_path).flow("F")
    port = free_port()
    flow.node("In").set_property("port", port)
    with listening(qm, flow, folder=tmp_path):
        added = ask(port, "/shop", (ENVELOPE % '<t:AddRequest xmlns:t="urn:shop"/>').encode())
        dropped = ask(port, "/shop", (ENVELOPE % '<t:Drop xmlns:t="urn:shop">7</t:Drop>').encode())
        other = ask(port, "/shop", (ENVELOPE % "<Other/>").encode())
    assert (added[0], added[1]["content-type"]) == (200, "text/xml; charset=utf-8")
    assert b"Envelope" in added[2]
    assert b"AddRequest" in added[2]
    assert b">7</" in dropped[2]
    assert (other[0], b"Fault" in other[2]) == (500, True)


class Swallowing(Node):
    """Takes every message and sends nothing on."""

    def process(self, assembly: Any, at: Any) -> None:
        return


def test_a_flow_that_swallows_its_error_does_not_keep_a_client(qm: Any, caplog: Any) -> None:
    port = free_port()
    flow = Flow("swallows")
    taken = flow.add(nodes.HTTPInput("/it", port=port, fault_format="JSON", reply_wait=0.1))
    kept = flow.add(Swallowing())
    taken.out >> kept.in_
    kept.out >> flow.add(nodes.HTTPReply()).in_
    with caplog.at_level(logging.WARNING), listening(qm, flow):
        status, _, body = ask(port, "/it", b"x")
    assert status == 504
    assert "without a reply" in json.loads(body)["error"]["message"]
    assert "http_no_reply flow=swallows" in caplog.text


@pytest.mark.parametrize(
    ("after", "waits"), [([nodes.HTTPReply()], 10.0), ([nodes.HTTPReply(), nodes.MQOutput("Q")], 180.0)]
)
def test_a_client_waits_long_only_if_another_flow_may_reply(after: list[Node], waits: float, qm: Any) -> None:
    flow = Flow("f")
    taken = flow.add(nodes.HTTPInput("/it", port=free_port()))
    for node in after:
        taken.out >> flow.add(node).in_
    with listening(qm, flow) as (listener,):
        assert listener.reply_wait == waits


def test_a_reply_needs_no_identifier_in_local_environment(qm: Any, tmp_path: Path) -> None:
    write_esql(tmp_path / "esql/m.esql", "M", "SET OutputRoot = InputRoot;")
    port = free_port()
    flow = Flow("f")
    taken = flow.add(nodes.HTTPInput("/it", port=port))
    compute = flow.add(nodes.Compute("esql/m.esql", module="M", mode="destinationAndMessage"))
    taken.out >> compute.in_
    compute.out >> flow.add(nodes.HTTPReply()).in_
    with listening(qm, flow, folder=tmp_path):
        assert ask(port, "/it", b"hello")[2] == b"hello"


def test_an_https_input_speaks_tls_or_is_refused(qm: Any, tmp_path: Path) -> None:
    FlowFile().node("ComIbmWSInput", "In", URLSpecifier="/it", useHTTPS="true").node(
        "ComIbmWSReply", "Reply"
    ).wire("In.out", "Reply.in").write(tmp_path / "F.msgflow")
    project = Project(tmp_path)
    flow = project.flow("F")
    assert flow.node("In").properties()["port"] == 7843
    assert any("tls/certificate.pem" in each.text for each in check_flow(flow, project).errors)

    authority = trustme.CA()
    issued = authority.issue_cert("localhost")
    (tmp_path / "tls").mkdir()
    issued.cert_chain_pems[0].write_to_path(str(tmp_path / "tls/certificate.pem"))
    issued.private_key_pem.write_to_path(str(tmp_path / "tls/key.pem"))
    flow.node("In").set_property("port", free_port())
    assert not check_flow(flow, project).errors
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    address = f"https://localhost:{flow.node('In').properties()['port']}/it"
    with (
        listening(qm, flow, folder=tmp_path),
        urllib.request.urlopen(address, b"hi", 30, context=trusting) as got,
    ):
        assert got.read() == b"hi"


def test_a_flow_that_begins_with_an_unavailable_node_says_so(tmp_path: Path) -> None:
    FlowFile().node("ComIbmIMSInput", "In").node("ComIbmMQOutput", "Out", queueName="Q").wire(
        "In.out", "Out.in"
    ).write(tmp_path / "F.msgflow")
    project = Project(tmp_path)
    (found,) = check_flow(project.flow("F"), project).errors
    assert found.node == "In"
    assert "ComIbmIMSInput" in found.text
    assert "there is no connection to IMS here" in found.text
    assert not hasattr(CompiledFlow, "nothing")
    assert not hasattr(nodes.MQInput("Q"), "no_such_thing")
