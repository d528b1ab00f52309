"""Clients record their puts and gets, and the trace context crosses the network with the message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import penstock
from penstock.telemetry.context import SpanContext, parsed, working_in
from penstock.telemetry.settings import Settings
from penstock.telemetry.spans import Spans, active, configure
from tests.conformance.client.conftest import Running, blocking
from tests.span_collector import collecting, exported

PARENT = SpanContext(bytes(range(16)), bytes(range(1, 9)), True)


@pytest.fixture
def spans() -> Iterator[Spans]:
    with collecting() as address:
        configure(Settings(f"{address}/v1/traces"))
        found = active()
        assert found is not None
        yield found
        configure(None)


@pytest.mark.parametrize("way", ["blocking", "asyncio"])
def test_put_and_get_of_a_client_are_spans_of_one_trace(shared: Running, spans: Spans, way: str) -> None:
    connected: Any = penstock.connect if way == "blocking" else blocking
    with connected(shared.address) as qm:
        qm.put("Q", b"1", properties={"traceparent": PARENT.text})
        got = qm.get("Q", wait=60.0)
    found = exported(spans)
    sent, received = found["send Q"], found["receive Q"]
    assert (sent.trace_id, sent.parent_span_id) == (PARENT.trace_id, PARENT.span_id)
    assert (received.trace_id, received.parent_span_id) == (PARENT.trace_id, sent.span_id)
    assert (sent.kind, received.kind) == (4, 5)
    assert parsed(got.properties["traceparent"]) == (sent.trace_id, sent.span_id, True)


def test_an_unsampled_trace_goes_on_with_the_message_and_records_nothing(
    shared: Running, spans: Spans
) -> None:
    parent = PARENT._replace(sampled=False)
    with penstock.connect(shared.address) as qm:
        with working_in(parent):
            qm.put("Q", b"1")
        got = qm.get("Q", wait=60.0)
        qm.put("Q", b"2", properties={"traceparent": parent.text, "colour": "red"})
        second = qm.get("Q", wait=60.0)
    assert got is not None
    assert parsed((got.properties or {})["traceparent"]) == parent  # who gets it begins no trace of its own
    assert second is not None
    assert second.properties == {"traceparent": parent.text, "colour": "red"}
    assert exported(spans) == {}


def test_a_put_outside_every_trace_that_is_not_chosen_is_as_without_telemetry(
    shared: Running, spans: Spans
) -> None:
    configure(Settings(spans.settings.endpoint, 0.0))
    with penstock.connect(shared.address) as qm:
        qm.put("Q", b"1")
        got = qm.get("Q", wait=60.0)
    assert got is not None
    assert not got.properties
