"""Samples of all queues, taken at intervals by the web process itself: rates, and the history of an hour.

Once a minute they also go to the history on disk (`history.py`).

One thread asks every running queue manager. Pages ask with the person's own connection which queues there
are, and look up rates and history here by name: nobody sees a queue here that the queue manager would not
show. What is missing is a gap (NaN), never zero. A queue that never had a message has no history.
"""

from __future__ import annotations

import logging
import math
import sqlite3
import threading
import time
from array import array
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import penstock
from penstock.console.history import MINUTE, Sample
from penstock.console.people import APPLICATION, RUNNING, queue_managers
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.client.queue_manager import ClientQueueManager
    from penstock.console.history import History
    from penstock.model.status import QueueFigures

log = logging.getLogger(__name__)
WATCHED_SECONDS = 2.0  # between two samples while a page is open
IDLE_SECONDS = 10.0
LOOKING_SECONDS = 15.0  # after the last request that a page counts as open
POINT_SECONDS = 10.0
POINTS_MAX = 360  # an hour
SERIES_MAX = 20_000  # queues with a history
NOTHING = math.nan


@dataclass
class Rates:
    """Messages per second that came to a queue and left it, between the last two samples."""

    put: float = 0.0
    get: float = 0.0


@dataclass
class Series:
    """The history of a queue: points that end now."""

    depth: array[float] = field(default_factory=lambda: array("f"))
    put: array[float] = field(default_factory=lambda: array("f"))
    get: array[float] = field(default_factory=lambda: array("f"))

    def add(self, depth: float, put: float, get: float) -> None:
        """Add a point; the oldest ones fall out."""
        for points, value in ((self.depth, depth), (self.put, put), (self.get, get)):
            points.append(value)
            del points[:-POINTS_MAX]


@dataclass
class Watched:
    """What is known of one queue manager."""

    at: float = 0.0
    incarnation: float = 0.0
    arrived: dict[str, tuple[int, int]] = field(default_factory=dict)  # (arrived, depth) by queue
    rates: dict[str, Rates] = field(default_factory=dict)
    series: dict[str, Series] = field(default_factory=dict)
    totals: Series = field(default_factory=Series)
    point_at: float = 0.0
    minute_at: float = 0.0
    minute: dict[str, tuple[int, int]] = field(default_factory=dict)  # `arrived` of a minute ago
    minute_incarnation: float = 0.0


class Sampler:
    """Takes samples until it is stopped."""

    def __init__(self, disk: History | None = None) -> None:
        self.started = time.time()
        self.disk = disk
        self._watched: dict[str, Watched] = {}
        self._connections: dict[str, ClientQueueManager] = {}
        self._looked = 0.0
        self._wake = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="penstock-sampler", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End, and disconnect."""
        self._stopped = True
        self._wake.set()
        self._thread.join()

    def look(self) -> None:
        """Record that a page is open: samples are taken more often for a while."""
        before, self._looked = self._looked, time.monotonic()
        if self._looked - before > LOOKING_SECONDS:
            self._wake.set()

    def rates(self, qmgr: str, queue: str) -> Rates | None:
        """Return the rates of a queue; None before the second sample."""
        found = self._watched.get(qmgr)
        return None if found is None else found.rates.get(queue)

    def history(self, qmgr: str, queue: str) -> Series:
        """Return the history of a queue, empty if there is none; of all queues together without a name."""
        found = self._watched.get(qmgr)
        if found is None:
            return Series()
        return found.series.get(queue, Series()) if queue else found.totals

    def _run(self) -> None:
        while not self._stopped:
            for name, state in queue_managers().items():
                if state == RUNNING and not self._stopped:
                    self._sample(name)
            looked = time.monotonic() - self._looked < LOOKING_SECONDS
            self._wake.wait(WATCHED_SECONDS if looked else IDLE_SECONDS)
            self._wake.clear()
        for connection in self._connections.values():
            connection.close()

    def _sample(self, name: str) -> None:
        try:
            qm = self._connections.get(name)
            if qm is None or qm.closed:
                qm = penstock.connect(name, application=APPLICATION, commands_only=True, share=False)
                self._connections[name] = qm
            started, rows = qm.status().started, qm.queues()
        except MQError:
            self._connections.pop(name, None)
            return
        watched = self._watched.setdefault(name, Watched())
        self._note(watched, started, rows)
        if self.disk is not None and watched.at - watched.minute_at >= MINUTE:
            try:
                self.disk.add(name, watched.at, minute_samples(watched))
            except sqlite3.Error as failure:  # a full disk, for example: samples are lost, pages still work
                log.error("history_failed qmgr=%s error=%s", name, failure)

    def _note(self, watched: Watched, started: float, rows: list[QueueFigures]) -> None:
        now = time.time()
        seconds = now - watched.at
        if watched.incarnation != started:  # counts start again at 0: no rate across a restart
            watched.arrived, watched.incarnation = {}, started
        before = watched.arrived
        rates: dict[str, Rates] = {}
        for row in rows:
            known = before.get(row.queue)
            if known is not None and seconds > 0:
                came = max(0, row.arrived - known[0])
                left = max(0, came + known[1] - row.depth)
                rates[row.queue] = Rates(came / seconds, left / seconds)
        watched.arrived = {row.queue: (row.arrived, row.depth) for row in rows}
        watched.rates, watched.at = rates, now
        if now - watched.point_at >= POINT_SECONDS - 1.0:
            self._add_points(watched, rows, now)

    def _add_points(self, watched: Watched, rows: list[QueueFigures], now: float) -> None:
        missed = int((now - watched.point_at) / POINT_SECONDS) - 1 if watched.point_at else 0
        watched.point_at = now
        gap = min(max(0, missed), POINTS_MAX)
        depth = put = get = 0.0
        for row in rows:
            series = watched.series.get(row.queue)
            if series is None:
                if not row.arrived or len(watched.series) >= SERIES_MAX:
                    continue
                series = watched.series[row.queue] = Series()
            rate = watched.rates.get(row.queue)
            values = (row.depth, rate.put, rate.get) if rate else (row.depth, NOTHING, NOTHING)
            for _ in range(gap if len(series.depth) else 0):
                series.add(NOTHING, NOTHING, NOTHING)
            series.add(*values)
            depth += row.depth
            put += rate.put if rate else 0
            get += rate.get if rate else 0
        for _ in range(gap if len(watched.totals.depth) else 0):
            watched.totals.add(NOTHING, NOTHING, NOTHING)
        watched.totals.add(depth, put, get)
        gone = watched.series.keys() - {row.queue for row in rows}
        for name in gone:
            del watched.series[name]


def minute_samples(watched: Watched) -> list[Sample]:
    """Return what a minute has changed, by queue, and all queues together; begins the next minute."""
    seconds = watched.at - watched.minute_at
    before = watched.minute
    is_new = watched.minute_incarnation != watched.incarnation
    found: list[Sample] = []
    depths = puts = gets = 0.0
    for name, (arrived, depth) in watched.arrived.items():
        known = before.get(name)
        put = get = 0.0
        if known is not None and not is_new:
            came = max(0, arrived - known[0])
            put, get = came / seconds, max(0, came + known[1] - depth) / seconds
        depths, puts, gets = depths + depth, puts + put, gets + get
        if put or get or (known is None and (depth or arrived)) or (known is not None and known[1] != depth):
            found.append(Sample(name, depth, put, get))
    found += [Sample(name, NOTHING, NOTHING, NOTHING) for name in before.keys() - watched.arrived.keys()]
    watched.minute, watched.minute_at = dict(watched.arrived), watched.at
    watched.minute_incarnation = watched.incarnation
    return [*found, Sample("", depths, puts, gets)]
