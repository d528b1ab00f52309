"""Sends metrics to a collector: the page for Prometheus, as OTLP over HTTP in JSON, at an interval.

The figures, names and labels are those of the page; counters are cumulative since the process started. Nobody
waits for it: what a collector does not take is left out, with one warning in a minute. The process that has
the page calls `exporting`.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from penstock import __version__
from penstock.telemetry.settings import METRICS, names_a_collector, of_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Self

    from penstock.telemetry.settings import Settings

logger = logging.getLogger(__name__)
COMPLAINT_SECONDS = 60.0
CUMULATIVE = 2  # AggregationTemporality
LINE = re.compile(r"(?P<name>\w+)\{(?P<labels>.*)\} (?P<value>\S+)")
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}


def exporting(page: Callable[[], str]) -> MetricsExporter | None:
    """Send a page from now on, if the environment names an endpoint."""
    settings = of_environment(sys.argv[0] if sys.argv else "", METRICS) if names_a_collector() else None
    return None if settings is None else MetricsExporter(page, settings).start()


class MetricsExporter:
    """Sends a page of metrics at intervals, from `start` to `close`."""

    def __init__(self, page: Callable[[], str], settings: Settings) -> None:
        self._page = page
        self._settings = settings
        self._stop = threading.Event()
        self._began = time.time_ns()
        self._complained = 0.0

    def start(self) -> Self:
        """Begin."""
        threading.Thread(target=self._run, name="penstock-metrics", daemon=True).start()
        return self

    def close(self) -> None:
        """Send no more."""
        self._stop.set()

    def _run(self) -> None:
        while not self._stop.wait(self._settings.delay_seconds):
            self.send()

    def send(self) -> None:
        """Send the metrics as they are now."""
        settings = self._settings
        resource = {**settings.resource, "process.pid": str(os.getpid())}
        try:
            body = json.dumps(request_of(self._page(), resource, self._began, time.time_ns())).encode()
            headers = {"Content-Type": "application/json", **settings.headers}
            import urllib.request  # most processes send nothing

            request = urllib.request.Request(settings.endpoint, body, headers)
            with urllib.request.urlopen(request, timeout=settings.timeout_seconds) as answer:
                answer.read(1 << 16)
        except Exception as failure:  # noqa: BLE001 - an edge: observation never fails work
            if time.monotonic() - self._complained > COMPLAINT_SECONDS or not self._complained:
                self._complained = time.monotonic()
                logger.warning("metrics_dropped endpoint=%s %s", settings.endpoint, failure)


def request_of(page: str, resource: dict[str, str], began_ns: int, now_ns: int) -> dict[str, Any]:
    """Return the request that has all metrics of a page."""
    scope = {"name": "penstock", "version": __version__}
    metrics = list(metrics_of(page, {"startTimeUnixNano": str(began_ns), "timeUnixNano": str(now_ns)}))
    found = {"resource": {"attributes": _attributes(resource)}}
    return {"resourceMetrics": [{**found, "scopeMetrics": [{"scope": scope, "metrics": metrics}]}]}


def metrics_of(page: str, times: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield the metrics of a page in OTLP's JSON."""
    about: dict[str, str] = {}
    kinds: dict[str, str] = {}
    lines: dict[str, list[re.Match[str]]] = {}
    for line in page.splitlines():
        if line.startswith("# "):
            _, what, name, text = line.split(" ", 3)
            (about if what == "HELP" else kinds)[name] = text
            lines.setdefault(name, [])
        elif (found := LINE.fullmatch(line)) is not None:
            lines[next(reversed(lines))].append(found)
    for name, kind in kinds.items():
        points = list(
            _histograms(lines[name], times) if kind == "histogram" else _numbers(lines[name], times)
        )
        data: dict[str, Any] = {"dataPoints": points}
        if kind != "gauge":
            data["aggregationTemporality"] = CUMULATIVE
        if kind == "counter":
            data["isMonotonic"] = True
        word = {"counter": "sum", "gauge": "gauge"}.get(kind, kind)
        yield {"name": name, "description": about.get(name, ""), word: data}


def _numbers(lines: list[re.Match[str]], times: dict[str, str]) -> Iterator[dict[str, Any]]:
    for each in lines:
        yield {"attributes": _attributes(_labels(each)), "asDouble": float(each["value"]), **times}


def _histograms(lines: list[re.Match[str]], times: dict[str, str]) -> Iterator[dict[str, Any]]:
    bounds: list[float] = []
    reached: list[int] = []
    total = 0.0
    for each in lines:
        labels = _labels(each)
        if each["name"].endswith("_bucket"):
            reached.append(int(float(each["value"])))
            bounds += [] if labels["le"] == "+Inf" else [float(labels["le"])]
        elif each["name"].endswith("_sum"):
            total = float(each["value"])
        else:
            counts = [str(new - old) for new, old in zip(reached, [0, *reached], strict=False)]
            yield {
                "attributes": _attributes(labels),
                "count": str(int(float(each["value"]))),
                "sum": total,
                "bucketCounts": counts,
                "explicitBounds": bounds,
                **times,
            }
            bounds, reached = [], []


def _labels(line: re.Match[str]) -> dict[str, str]:
    found = LABEL.findall(line["labels"])
    return {name: re.sub(r'\\["\\n]', lambda one: ESCAPES[one.group()], text) for name, text in found}


def _attributes(values: dict[str, str]) -> list[dict[str, Any]]:
    return [{"key": name, "value": {"stringValue": text}} for name, text in values.items()]
