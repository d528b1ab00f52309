"""The broker's page for Prometheus (GET /metrics), and /live and /ready for probes; by default local only.

Figures are those of the last status: workers report them four times a second. A request has a short time, and
few are answered at once. Started by `penstock broker start --metrics-port`.
"""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from penstock.flow.running.counters import BOUNDS_SECONDS
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.model.metrics_page import CONTENT_TYPE, Page

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

REQUEST_SECONDS_MAX = 5.0
CLIENTS_MAX = 16
LABELS = ("group", "project", "flow", "instance")
_FLOW = (  # metric, figure, kind, help
    ("flow_messages_total", "messages", "counter", "messages that a flow has processed"),
    ("flow_failed_attempts_total", "failed", "counter", "attempts that failed"),
    (
        "flow_given_up_messages_total",
        "given_up",
        "counter",
        "messages sent to a backout or dead-letter queue",
    ),
    ("flow_lost_messages_total", "lost", "counter", "messages outside units of work that failed"),
    ("flow_restarts_total", "restarts", "counter", "restarts of a flow's worker"),
    ("flow_threads", "threads", "gauge", "instances of a flow in a worker"),
)
_NODE = (
    ("node_messages_total", "messages", "counter", "messages that reached a node"),
    ("node_failed_messages_total", "failed", "counter", "messages that failed at or behind a node"),
)


class BrokerMetrics:
    """The endpoint of one broker; `status` returns the last one."""

    def __init__(self, broker: str, status: Callable[[], Mapping[str, Any]], address: str, port: int) -> None:
        self._broker = broker
        self._status = status
        self._room = threading.BoundedSemaphore(CLIENTS_MAX)
        try:
            self._server = ThreadingHTTPServer((address, port), self._handler())
        except OSError as failure:
            raise error(
                mq.MQRC_Q_MGR_NOT_AVAILABLE, f"metrics cannot be shown at {address}({port}): {failure}"
            ) from failure
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, name="metrics", daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def answer(self, path: str) -> tuple[int, str]:
        """Return the status and the text of a page."""
        if path == "/live":
            return 200, "live\n"
        status = self._status()
        if path == "/ready":
            why = not_ready(status)
            return (503, f"{why}\n") if why else (200, "ready\n")
        if path != "/metrics":
            return 404, "see /metrics, /live and /ready\n"
        return 200, page_of(self._broker, status.get("workers", ()))

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        metrics = self

        class Handler(BaseHTTPRequestHandler):
            timeout = REQUEST_SECONDS_MAX

            def do_GET(self) -> None:
                if not metrics._room.acquire(blocking=False):
                    return
                try:
                    status, text = metrics.answer(self.path.partition("?")[0])
                finally:
                    metrics._room.release()
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Type", CONTENT_TYPE)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format: str, *arguments: Any) -> None:
                """Requests are not logged."""

        return Handler


def not_ready(status: Mapping[str, Any]) -> str:
    """Return why the broker does not do all its work now; empty when it does."""
    if not status.get("settled"):
        return "workers start or stop"
    waiting = [
        f"{each['flow']} is {each['state']}" for each in status["workers"] if each["state"] != "running"
    ]
    return "; ".join(waiting)


def page_of(broker: str, workers: Sequence[Mapping[str, Any]]) -> str:
    """Return the page of a broker."""
    page = Page({"broker": broker})
    rows = [({name: str(each[name]) for name in LABELS}, each) for each in workers]
    running = [(labels, float(each["state"] == "running")) for labels, each in rows]
    page.add("flow_running", "gauge", "1 while a flow's instance runs", running)
    for metric, key, kind, about in _FLOW:
        page.add(metric, kind, about, [(labels, each[key]) for labels, each in rows])
    nodes = [
        ({**labels, "node": node["node"], "type": node["type"]}, node)
        for labels, each in rows
        for node in each.get("nodes", ())
    ]
    for metric, key, kind, about in _NODE:
        page.add(metric, kind, about, [(labels, node[key]) for labels, node in nodes])
    times = [(labels, node["histogram"], node["seconds"]) for labels, node in nodes]
    page.add_histogram("node_seconds", "time of a node without the nodes behind it", BOUNDS_SECONDS, times)
    return page.text
