"""What the web process did, for Prometheus (GET /metrics): requests by page and status, and their times.

Figures alone: no names of people, queues or messages. Like /live and /ready it asks for no login.
"""

from __future__ import annotations

import threading
from bisect import bisect_left

from penstock.model.metrics_page import Page

BOUNDS_SECONDS = (0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


class Requests:
    """Counts of requests; for all threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str, int], int] = {}
        self._times: dict[str, tuple[list[int], float]] = {}

    def add(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a request of a known page: paths are those of the routes, so there are few."""
        with self._lock:
            key = path, method, status
            self._counts[key] = self._counts.get(key, 0) + 1
            buckets, total = self._times.get(path) or ([0] * (len(BOUNDS_SECONDS) + 1), 0.0)
            buckets[bisect_left(BOUNDS_SECONDS, seconds)] += 1
            self._times[path] = buckets, total + seconds

    def page(self) -> str:
        """Return the page."""
        with self._lock:
            counts = sorted(self._counts.items())
            times = [(path, list(buckets), total) for path, (buckets, total) in sorted(self._times.items())]
        page = Page({})
        samples = [
            ({"page": path, "method": method, "status": str(status)}, count)
            for (path, method, status), count in counts
        ]
        page.add("web_requests_total", "counter", "requests for pages and acts of the console", samples)
        shown = [({"page": path}, buckets, total) for path, buckets, total in times]
        page.add_histogram("web_request_seconds", "time to answer a request", BOUNDS_SECONDS, shown)
        return page.text
