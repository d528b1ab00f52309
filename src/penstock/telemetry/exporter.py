"""Sends spans to a collector, in a thread of its own: OTLP over HTTP.

Ending a span never waits: a span that finds the queue full is dropped and counted. A batch that the
collector does not take is dropped, too, with one warning in a minute. After a fork the child has its own
thread.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from typing import TYPE_CHECKING

from penstock import __version__
from penstock.telemetry.otlp import CONTENT_TYPE, request_of

if TYPE_CHECKING:
    from penstock.telemetry._sampling import Span
    from penstock.telemetry.settings import Settings
    from penstock.telemetry.spans import Attribute

logger = logging.getLogger(__name__)

BATCH_SPANS = 512
COMPLAINT_SECONDS = 60.0
END_SECONDS = 5.0  # that the end of a process waits for the last spans


class Exporter:
    """The queue of one process."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._queue_max = settings.queue_max
        self._waiting: deque[Span] = deque()
        self._wake = threading.Event()
        self._sending = threading.Lock()
        self._thread: threading.Thread | None = None
        self._is_registered = False
        self._complained = 0.0
        self.dropped = 0

    def add(self, span: Span) -> None:
        """Take a span that has ended."""
        waiting = len(self._waiting)
        if waiting >= self._queue_max:
            self.dropped += 1
            return
        if self._thread is None:
            self._start()
        self._waiting.append(span)
        if waiting % BATCH_SPANS == BATCH_SPANS - 1:
            self._wake.set()

    def flush(self, timeout: float = END_SECONDS) -> None:
        """Send what waits now."""
        until = time.monotonic() + timeout
        with self._sending:
            while self._waiting and time.monotonic() < until:
                self._send()

    def _start(self) -> None:
        """Start the thread of this process."""
        if not self._is_registered:
            self._is_registered = True
            atexit.register(self.flush)
            os.register_at_fork(after_in_child=self._begin_anew)
        self._thread = threading.Thread(target=self._run, name="penstock-spans", daemon=True)
        self._thread.start()

    def _begin_anew(self) -> None:
        """Begin in a forked process: what its parent had queued is the parent's."""
        self._waiting.clear()
        self._wake = threading.Event()
        self._sending = threading.Lock()
        self._thread = None

    def _run(self) -> None:
        while True:
            self._wake.wait(self._settings.delay_seconds)
            self._wake.clear()
            with self._sending:
                while self._waiting:
                    self._send()

    def _send(self) -> None:
        batch: list[Span] = []
        while self._waiting and len(batch) < BATCH_SPANS:
            batch.append(self._waiting.popleft())
        if not batch:
            return
        settings = self._settings
        resource: dict[str, Attribute] = {**settings.resource, "process.pid": os.getpid()}
        request = urllib.request.Request(
            settings.endpoint,
            request_of(batch, resource, __version__),
            {"Content-Type": CONTENT_TYPE, **settings.headers},
        )
        try:
            with urllib.request.urlopen(request, timeout=settings.timeout_seconds) as answer:
                answer.read(1 << 16)
        except (OSError, ValueError) as failure:
            self.dropped += len(batch)
            self._complain(failure)

    def _complain(self, failure: Exception) -> None:
        if time.monotonic() - self._complained > COMPLAINT_SECONDS or not self._complained:
            self._complained = time.monotonic()
            logger.warning("spans_dropped endpoint=%s %s", self._settings.endpoint, failure)
