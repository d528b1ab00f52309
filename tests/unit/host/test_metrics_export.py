"""Metrics as OTLP: what the page for Prometheus has, a collector gets."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from penstock.model.metrics_page import Page
from penstock.telemetry.metrics import MetricsExporter, exporting, metrics_of, request_of
from penstock.telemetry.settings import METRICS, Settings, of_environment

if TYPE_CHECKING:
    from collections.abc import Iterator


def page() -> str:
    made = Page({"qmgr": "QM1"})
    made.add("queue_depth", "gauge", "messages on a queue", [({"queue": 'A"B'}, 3), ({"queue": "C"}, 4)])
    made.add("puts_total", "counter", "messages put", [({}, 7)])
    made.add_histogram("wait_seconds", "time on queues", (0.1, 1.0), [({}, [2, 0, 5], 12.5)])
    return made.text


def test_gauges_counters_and_histograms_are_what_the_page_has() -> None:
    found = {each["name"]: each for each in metrics_of(page(), {"timeUnixNano": "1"})}
    depths = found["penstock_queue_depth"]["gauge"]["dataPoints"]
    labels = [{one["key"]: one["value"]["stringValue"] for one in each["attributes"]} for each in depths]
    assert labels == [{"qmgr": "QM1", "queue": 'A"B'}, {"qmgr": "QM1", "queue": "C"}]
    assert [each["asDouble"] for each in depths] == [3, 4]
    puts = found["penstock_puts_total"]["sum"]
    assert (puts["isMonotonic"], puts["aggregationTemporality"]) == (True, 2)
    assert puts["dataPoints"][0]["asDouble"] == 7
    (waits,) = found["penstock_wait_seconds"]["histogram"]["dataPoints"]
    assert waits["bucketCounts"] == ["2", "0", "5"]
    assert waits["explicitBounds"] == [0.1, 1.0]
    assert (waits["count"], waits["sum"]) == ("7", 12.5)


def test_the_request_is_what_the_protocol_defines() -> None:
    service = pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2")
    from google.protobuf.json_format import ParseDict

    request = request_of(page(), {"service.name": "shop"}, 1, 2)
    found = ParseDict(request, service.ExportMetricsServiceRequest())
    (scope,) = found.resource_metrics[0].scope_metrics
    assert [each.WhichOneof("data") for each in scope.metrics] == ["gauge", "sum", "histogram"]


@pytest.fixture
def collector() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    came: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            came.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1/metrics", came
        server.shutdown()


def test_a_page_is_posted_and_a_failure_is_only_logged(collector: tuple[str, list[dict[str, Any]]]) -> None:
    endpoint, came = collector
    MetricsExporter(page, Settings(endpoint)).send()
    assert len(came[0]["resourceMetrics"][0]["scopeMetrics"][0]["metrics"]) == 3
    MetricsExporter(page, Settings("http://127.0.0.1:9/v1/metrics")).send()
    MetricsExporter(lambda: "no page\n{", Settings(endpoint)).send()
    assert len(came) == 2


def test_the_environment_says_whether_and_where(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exporting(page) is None
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    monkeypatch.setenv("OTEL_METRIC_EXPORT_INTERVAL", "2000")
    found = of_environment("penstock", METRICS)
    assert found is not None
    assert (found.endpoint, found.delay_seconds) == ("http://127.0.0.1:4318/v1/metrics", 2.0)
    monkeypatch.setenv("OTEL_METRICS_EXPORTER", "none")
    assert of_environment("penstock", METRICS) is None
