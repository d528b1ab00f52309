"""SOAPInput, SOAPReply, SOAPRequest, SOAPExtract, SOAPEnvelope: terminals and properties, over sockets."""

from __future__ import annotations

from typing import Any

import pytest

from penstock import tree
from penstock.flow import Flow, Node, nodes
from penstock.tree.xml.soap_fault import Fault, fault_of, set_fault
from tests.conformance.flow.http_client import ask, listening
from tests.ports import free_port

ENVELOPE = (
    b'<e:Envelope xmlns:e="http://schemas.xmlsoap.org/soap/envelope/"><e:Header>'
    b'<h:Id xmlns:h="urn:h">7</h:Id></e:Header>'
    b'<e:Body><b:Pay xmlns:b="urn:bank"><Sum>5</Sum></b:Pay></e:Body></e:Envelope>'
)
SOAP12 = b'<e:Envelope xmlns:e="http://www.w3.org/2003/05/soap-envelope"><e:Body><Pay/></e:Body></e:Envelope>'
SUM = tree.Path("SOAP", "Body", "{urn:bank}Pay", "Sum")


class Doubling(Node):
    """Doubles the sum; refuses 13."""

    def process(self, assembly: Any, at: Any) -> None:
        message = assembly.message.copy()
        amount = int(message.get(SUM))
        if amount == 13:
            set_fault(message, Fault("Sender", "unlucky"))
        elif amount == 14:
            raise ValueError("worse")
        else:
            message.set(SUM, 2 * amount)
        at.send("out", assembly.sending(message=message))


def service(port: int) -> Flow:
    flow = Flow("service")
    start, work, reply = (
        flow.add(nodes.SOAPInput("/bank", port=port)),
        flow.add(Doubling()),
        flow.add(nodes.SOAPReply()),
    )
    start.out >> work.in_
    work.out >> reply.in_
    return flow


def client(port: int) -> Flow:
    flow = Flow("client")
    start = flow.add(nodes.MQInput("IN", domain="SOAP"))
    request = flow.add(nodes.SOAPRequest(f"http://127.0.0.1:{port}/bank", action="urn:pay"))
    start.out >> request.in_
    for terminal, queue in (("out", "OUT"), ("fault", "OUT2"), ("failure", "FAILED")):
        request.terminal(terminal) >> flow.add(nodes.MQOutput(queue)).in_
    return flow


def test_a_service_and_its_client(qm: Any, run: Any) -> None:
    port = free_port()
    with listening(qm, service(port)):
        qm.put("IN", ENVELOPE)
        run(client(port))
    assert tree.parse(qm.get("OUT").body, domain="SOAP").get(SUM) == "10"


def test_a_fault_has_its_terminal_and_status_500(qm: Any, run: Any) -> None:
    port = free_port()
    with listening(qm, service(port)):
        qm.put("IN", ENVELOPE.replace(b">5<", b">13<"))
        run(client(port))
        assert ask(port, "/bank", ENVELOPE.replace(b">5<", b">13<"))[0] == 500
    assert fault_of(tree.parse(qm.get("OUT2").body, domain="SOAP")) == Fault("Sender", "unlucky")


def test_failure_gets_the_message_when_the_answer_is_no_envelope(qm: Any, run: Any) -> None:
    port = free_port()
    flow = Flow("nonsense")
    start, reply = flow.add(nodes.HTTPInput("/bank", port=port)), flow.add(nodes.HTTPReply())
    strip = flow.add(nodes.Mapping(no_envelope()))
    start.out >> strip.in_
    strip.out >> reply.in_
    with listening(qm, flow):
        qm.put("IN", ENVELOPE)
        run(client(port))
    assert qm.get("FAILED").body == ENVELOPE


def no_envelope() -> Any:
    from penstock.flow.mapping import Map

    made = Map("XMLNSC")
    made.set("nothing", "'x'")
    return made


@pytest.mark.parametrize(
    ("kind", "namespace"),
    [("text/xml", b"schemas.xmlsoap.org"), ("application/soap+xml", b"2003/05/soap-envelope")],
)
def test_a_flow_that_fails_answers_in_the_clients_version(qm: Any, kind: str, namespace: bytes) -> None:
    port = free_port()
    with listening(qm, service(port)):
        status, headers, body = ask(
            port, "/bank", ENVELOPE.replace(b">5<", b">14<"), Content_Type=f"{kind}; charset=utf-8"
        )
    assert status == 500
    assert headers["content-type"].startswith(kind)
    assert namespace in body
    assert b"the request could not be processed; reference " in body
    assert b"PSRC" not in body
    assert b"worse" not in body  # that is for the log


def test_what_is_no_envelope_gets_a_fault(qm: Any) -> None:
    port = free_port()
    with listening(qm, service(port)):
        status, _, body = ask(port, "/bank", b"<other/>")
    assert status == 500
    assert b"8142" in body


def test_extract_and_envelope_are_each_others_way_back(qm: Any, run: Any) -> None:
    flow = Flow("there and back")
    start, off, seen, on, out = (
        flow.add(nodes.MQInput("IN", domain="SOAP")),
        flow.add(nodes.SOAPExtract()),
        flow.add(nodes.Filter("Root.XMLNSC.*[<].Sum = 5")),
        flow.add(nodes.SOAPEnvelope()),
        flow.add(nodes.MQOutput("OUT")),
    )
    start.out >> off.in_
    off.out >> seen.in_
    seen.true >> on.in_
    on.out >> out.in_
    qm.put("IN", ENVELOPE)
    run(flow)
    found = tree.parse(qm.get("OUT").body, domain="SOAP")
    assert found.get(SUM) == "5"
    assert found.get(tree.Path("SOAP", "Header", "{urn:h}Id")) == "7"


def test_extract_routes_to_the_label_of_the_operation(qm: Any, run: Any) -> None:
    flow = Flow("operations")
    start, off = (
        flow.add(nodes.MQInput("IN", domain="SOAP")),
        flow.add(nodes.SOAPExtract(route_to_operation=True)),
    )
    start.out >> off.in_
    label, out = flow.add(nodes.Label("ws_Pay")), flow.add(nodes.MQOutput("OUT"))
    label.out >> out.in_
    failed = flow.add(nodes.MQOutput("FAILED"))
    off.failure >> failed.in_
    qm.put("IN", ENVELOPE)
    qm.put("IN", ENVELOPE.replace(b"b:Pay", b"b:Steal"))
    run(flow)
    assert b"Sum>5<" in qm.get("OUT").body
    assert b"b:Steal" in qm.get("FAILED").body


@pytest.mark.parametrize("version", ["1.1", "1.2"])
def test_envelope_makes_a_new_one(qm: Any, run: Any, version: str) -> None:
    flow = Flow("wrapped")
    start, on, out = (
        flow.add(nodes.MQInput("IN", domain="XMLNSC")),
        flow.add(nodes.SOAPEnvelope(version=version)),
        flow.add(nodes.MQOutput("OUT")),
    )
    start.out >> on.in_
    on.out >> out.in_
    qm.put("IN", b"<?xml version='1.0'?><Pay><Sum>5</Sum></Pay>")
    run(flow)
    found = tree.parse(qm.get("OUT").body, domain="SOAP")
    assert found.get(tree.Path("SOAP", "Context", "SOAP_Version")) == version
    assert found.get(tree.Path("SOAP", "Body", "Pay", "Sum")) == "5"


def test_input_may_extract_the_body_at_once(qm: Any) -> None:
    port = free_port()
    flow = Flow("bare")
    start = flow.add(nodes.SOAPInput("/bank", port=port, extract_body=True))
    seen, on, reply = (
        flow.add(nodes.Filter("Root.XMLNSC.*[<].Sum = 5 AND LocalEnvironment.SOAP.Input.Operation = 'Pay'")),
        flow.add(nodes.SOAPEnvelope()),
        flow.add(nodes.SOAPReply()),
    )
    start.out >> seen.in_
    seen.true >> on.in_
    on.out >> reply.in_
    with listening(qm, flow):
        status, _, body = ask(port, "/bank", ENVELOPE)
    assert status == 200
    assert tree.parse(body, domain="SOAP").get(SUM) == "5"
