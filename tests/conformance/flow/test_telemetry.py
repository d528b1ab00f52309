"""Spans reach a collector, and the trace context goes with messages and HTTP requests."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

import penstock
from penstock.flow import Flow, Node, nodes
from penstock.telemetry import context
from penstock.telemetry.messages import context_in
from penstock.telemetry.settings import Settings, of_environment
from penstock.telemetry.spans import Spans, active, configure
from tests.conformance.flow.http_client import ask, listening
from tests.patience import until
from tests.ports import free_port
from tests.span_collector import Collector, collecting, exported

PARENT = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
UNSAMPLED = PARENT[:-1] + "0"


@pytest.fixture
def collector() -> Iterator[str]:
    with collecting() as address:
        yield address


@pytest.fixture
def spans(collector: str) -> Iterator[Spans]:
    configure(Settings(f"{collector}/v1/traces", resource={"service.name": "shop"}))
    found = active()
    assert found is not None
    yield found
    configure(None)


@pytest.fixture
def traced(spans: Spans, tmp_path: Any) -> Iterator[penstock.QueueManager]:
    """A connection that is made while telemetry is on, to a queue manager with queues."""
    with penstock.embed("QM1", create=True, home=tmp_path / "home") as qm:
        qm.mqsc("DEFINE QLOCAL(IN)\nDEFINE QLOCAL(OUT)", check=True)
        yield qm


class Work(Node):
    """Changes the message, or fails."""

    def process(self, assembly: Any, at: Any) -> None:
        if assembly.invocation.source is not None and assembly.invocation.source.body == b"bad":
            raise ValueError("bad")
        at.send("out", assembly)


def orders(batch: bool = True) -> Flow:
    flow = Flow("orders", coordinated=not batch)
    order = flow.add(nodes.MQInput("IN", domain="BLOB"))
    work = flow.add(Work(name="Work"))
    out = flow.add(nodes.MQOutput("OUT", name="Bill"))
    order.out >> work.in_
    work.out >> out.in_
    return flow


@pytest.mark.parametrize("batch", [True, False])
def test_a_message_is_followed_through_put_flow_nodes_and_get(
    traced: penstock.QueueManager, spans: Spans, batch: bool
) -> None:
    traced.put("IN", b"1", properties={"colour": "red"})
    run_on(traced, orders(batch))
    got = traced.get("OUT")
    assert got is not None
    assert b"colour" in (got.body or b"")
    found = exported(spans)
    chain = [found[name] for name in ("send IN", "flow orders", "Work", "Bill")]
    assert not chain[0].parent_span_id
    for parent, child in pairwise(chain):
        assert child.parent_span_id == parent.span_id, child.name
        assert child.start_time_unix_nano >= parent.start_time_unix_nano
    assert found["receive OUT"].parent_span_id == chain[-1].span_id
    assert context_in(got) == (chain[-1].trace_id, chain[-1].span_id, True)
    assert {span.trace_id for span in found.values()} == {chain[0].trace_id}
    kinds = {name: span.kind for name, span in found.items()}
    assert (kinds["send IN"], kinds["flow orders"], kinds["receive OUT"]) == (4, 5, 5)
    (resource,) = {
        each.resource.attributes[0].value.string_value for each in Collector.requests[0].resource_spans
    }
    assert resource == "shop"


def run_on(qm: Any, flow: Flow) -> None:
    from penstock.flow import CompiledFlow, Project
    from penstock.flow.running.listener import listener_for

    compiled = CompiledFlow(flow, Project("."))
    listener_for(compiled, next(iter(compiled.inputs)), lambda: qm).run(threading.Event(), until_empty=True)


def test_a_failed_node_has_its_error_and_an_unsampled_trace_is_only_passed_on(
    traced: penstock.QueueManager, spans: Spans
) -> None:
    traced.put("IN", b"good", properties={"traceparent": UNSAMPLED})
    run_on(traced, orders())
    passed = traced.get("OUT")
    assert passed is not None
    assert context_in(passed) == context.parsed(UNSAMPLED)
    assert exported(spans) == {}
    traced.mqsc("DEFINE QLOCAL(DEAD)\nALTER QMGR DEADQ(DEAD)", check=True)
    traced.put("IN", b"bad", properties={"traceparent": PARENT})
    run_on(traced, orders())
    found = exported(spans)
    assert found["Work"].status.code == 2
    assert "bad" in found["Work"].status.message
    assert found["send IN"].parent_span_id.hex() == "00f067aa0ba902b7"


def test_http_requests_bring_the_context_and_take_it_along(
    traced: penstock.QueueManager, spans: Spans, collector: str
) -> None:
    port, flow = free_port(), Flow("web")
    request = flow.add(nodes.HTTPInput("/order", port=port, domain="BLOB"))
    call = flow.add(nodes.HTTPRequest(f"{collector}/stock", name="Stock"))
    request.out >> call.in_
    call.out >> flow.add(nodes.HTTPReply(name="Answer")).in_
    with listening(traced, flow):
        assert ask(port, "/order", b"x", traceparent=PARENT)[0] == 200
    found = exported(spans)
    assert found["flow web"].parent_span_id.hex() == "00f067aa0ba902b7"
    (called,) = Collector.called_with
    assert context.parsed(called) == (found["Stock"].trace_id, found["Stock"].span_id, True)
    assert found["flow web"].trace_id.hex() == PARENT.split("-")[1]


def test_a_collector_that_refuses_costs_spans_and_no_work(
    traced: penstock.QueueManager, spans: Spans, caplog: pytest.LogCaptureFixture
) -> None:
    Collector.status = 503
    for _ in range(3):
        traced.put("IN", b"1")
    spans.exporter.flush(60.0)
    until(lambda: spans.exporter.dropped == 3)
    assert caplog.text.count("spans_dropped") == 1
    assert len(traced.get_many("IN", 10)) == 3


def test_the_ratio_decides_which_traces_begin_and_a_parent_decides_for_its_children(
    collector: str, tmp_path: Any
) -> None:
    for ratio, wanted in ((0.0, 0), (1.0, 20)):
        configure(Settings(f"{collector}/v1/traces", ratio))
        with penstock.embed("QM1", create=True, home=tmp_path / str(ratio)) as qm:
            qm.mqsc("DEFINE QLOCAL(IN)", check=True)
            for _ in range(20):
                qm.put("IN", b"1")
            carried = [qm.get("IN").properties or {} for _ in range(20)]  # type: ignore[union-attr]
            assert sum("traceparent" in each for each in carried) == wanted
            qm.put("IN", b"1", properties={"traceparent": PARENT})
            child = qm.get("IN").properties["traceparent"]  # type: ignore[union-attr,index]
            assert child[:35] == PARENT[:35]
            assert child != PARENT
            qm.put("IN", b"1", properties={"traceparent": UNSAMPLED})
            assert qm.get("IN").properties == {"traceparent": UNSAMPLED}  # type: ignore[union-attr]
    configure(None)
    half = Spans(Settings(f"{collector}/v1/traces", 0.5)).sampler
    assert 4500 < sum(half.draw() for _ in range(10_000)) < 5500  # ten standard deviations


def test_without_an_endpoint_nothing_is_asked_or_added(qm: penstock.QueueManager, run: Any) -> None:
    assert active() is None
    assert qm.session.sampler is None
    qm.put("IN", b"1")
    listener = run(orders())
    assert listener.collecting.spans is None
    got = qm.get("OUT")
    assert got is not None
    assert context_in(got) is None


def test_settings_are_those_of_the_specification(monkeypatch: pytest.MonkeyPatch) -> None:
    assert of_environment("x") is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318/")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "parentbased_traceidratio")
    monkeypatch.setenv("OTEL_TRACES_SAMPLER_ARG", "0.01")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", "key=a%20b")
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "service.name=one,zone=two")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "shop")
    found = of_environment("/usr/bin/prog")
    assert found is not None
    assert (found.endpoint, found.ratio, found.headers) == (
        "http://127.0.0.1:4318/v1/traces",
        0.01,
        {"key": "a b"},
    )
    assert found.resource == {"service.name": "shop", "zone": "two"}
    sampler = Spans(found).sampler
    recorded = sum(sampler.of_put("Q", None) is not None for _ in range(5000))
    assert 5 < recorded < 200
    monkeypatch.setenv("OTEL_SDK_DISABLED", "true")
    assert of_environment("x") is None


@pytest.mark.parametrize("text", ["", "00-1-2-01", PARENT + "-x", "ff" + PARENT[2:], PARENT.upper(), 7, None])
def test_text_of_another_form_is_no_context(text: object) -> None:
    assert context.parsed(text) is None
