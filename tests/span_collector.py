"""A collector of spans: an HTTP server of the standard library.

It decodes what arrives with OpenTelemetry's own classes: what it cannot read, others cannot either.
"""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from penstock.telemetry.spans import Spans


class Collector(http.server.BaseHTTPRequestHandler):
    """Keeps what it gets; a request to another path is for the flow that calls it."""

    requests: list[ExportTraceServiceRequest] = []
    called_with: list[str] = []
    status = 200

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path == "/v1/traces":
            assert self.headers["Content-Type"] == "application/x-protobuf"
            type(self).requests.append(ExportTraceServiceRequest.FromString(body))
        else:
            type(self).called_with.append(self.headers["traceparent"])
        self.send_response(self.status)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@contextmanager
def collecting() -> Iterator[str]:
    """Run the collector; yield its address."""
    Collector.requests, Collector.called_with, Collector.status = [], [], 200
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def exported(spans: Spans) -> dict[str, Any]:
    """Return the spans that have arrived by name, once all have."""
    spans.exporter.flush(60.0)
    return {
        span.name: span
        for request in Collector.requests
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
