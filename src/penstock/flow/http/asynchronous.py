"""Requests that do not wait for their response: who sends them, and where responses wait for their flow.

Threads of a small pool call the servers. A response, or the failure to get one, goes to the line of its
correlator, from which the listener of a response node takes it. Requests and responses are in memory: they
end with the process. All of them together are limited, before anything is sent.
"""

from __future__ import annotations

import queue
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.http.client import call
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from penstock.flow.http.client import Call
    from penstock.flow.http.exchange import HttpResponse

THREADS_MAX = 32
WAITING_MAX = 1000  # requests without a response, and responses that no flow has taken


class Arrived(NamedTuple):
    """What became of a request."""

    identifier: bytes
    context: Any
    response: HttpResponse | None
    problem: MQError | None


class AsyncRequests:
    """The requests of a process that wait for their response."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(THREADS_MAX, "penstock-http")
        self._lines: dict[str, queue.Queue[Arrived]] = {}
        self._lock = threading.Lock()
        self._waiting = 0

    def send(
        self, correlator: str, request: Call, timeout: float, redirects: bool, identifier: bytes, context: Any
    ) -> None:
        """Send a request soon; 8334 if too many wait already."""
        with self._lock:
            if self._waiting >= WAITING_MAX:
                raise error(mq.PSRC_FLOW_HTTP_REQUEST, f"{WAITING_MAX} requests wait for their response")
            self._waiting += 1
        self._pool.submit(self._call, correlator, request, timeout, redirects, identifier, context)

    def take(self, correlator: str, wait: float) -> Arrived | None:
        """Return the next response for a correlator; None if there is none in time."""
        try:
            found = self._line(correlator).get(wait > 0, wait or None)
        except queue.Empty:
            return None
        with self._lock:
            self._waiting -= 1
        return found

    def _call(
        self, correlator: str, request: Call, timeout: float, redirects: bool, identifier: bytes, context: Any
    ) -> None:
        response: HttpResponse | None = None
        problem: MQError | None = None
        try:
            response = call(request, timeout, redirects)
        except MQError as raised:
            problem = raised
        except Exception as raised:  # noqa: BLE001 - the edge of a thread: its flow has to know
            problem = error(mq.PSRC_FLOW_HTTP_REQUEST, f"{type(raised).__name__}: {raised}")
        self._line(correlator).put(Arrived(identifier, context, response, problem))

    def _line(self, correlator: str) -> queue.Queue[Arrived]:
        with self._lock:
            return self._lines.setdefault(correlator, queue.Queue())


@cache
def async_requests() -> AsyncRequests:
    """Return the requests of this process: request and response may be in different flows."""
    return AsyncRequests()
