"""Samples of queues on disk, for charts over hours and days: one SQLite file in the folder `web` of the home.

A row per minute is kept for two days, one per ten minutes for thirty, and never more than a number of bytes:
the oldest rows go first. A queue that does not change has no rows: between two of them its depth is that of
the first. A minute without a sample is a gap, never zero; `covered` has the minutes that have one.
"""

from __future__ import annotations

import math
import sqlite3
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MINUTE, TEN = 60, 600
FINE_SECONDS = 48 * 3600
COARSE_SECONDS = 30 * 86400
BYTES_MAX = 256 << 20
BUSY_SECONDS = 10.0  # that a write waits for another console's
NOTHING = math.nan
SCHEMA = """
CREATE TABLE IF NOT EXISTS series (id INTEGER PRIMARY KEY, qmgr TEXT, queue TEXT, UNIQUE (qmgr, queue));
CREATE TABLE IF NOT EXISTS covered (step INTEGER, qmgr TEXT, at INTEGER, PRIMARY KEY (step, qmgr, at))
  WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS samples (step INTEGER, series INTEGER, at INTEGER, depth REAL, put REAL, got REAL,
  PRIMARY KEY (step, series, at)) WITHOUT ROWID;
"""


@dataclass(frozen=True)
class Sample:
    """A queue in one minute: depth at its end, messages per second in and out. NaN: the queue is gone."""

    queue: str
    depth: float
    put: float
    get: float


@dataclass
class Chart:
    """Points of one queue at equal steps; NaN where no sample was taken."""

    step: int
    begins: int
    depth: list[float] = field(default_factory=list)
    put: list[float] = field(default_factory=list)
    get: list[float] = field(default_factory=list)

    def times(self) -> list[int]:
        """Return the time of every point."""
        return [self.begins + number * self.step for number in range(len(self.depth))]


class History:
    """The samples of one home. One thread adds; any thread reads."""

    def __init__(self, path: Path, bytes_max: int = BYTES_MAX) -> None:
        self.path = path
        self.bytes_max = bytes_max
        with self._open() as database:
            database.execute("PRAGMA journal_mode = WAL")
            database.executescript(SCHEMA)
        path.chmod(0o600)

    def add(self, qmgr: str, at: float, rows: Iterable[Sample]) -> None:
        """Keep the rows of one minute: those of queues that changed. At most one minute of them is lost."""
        minute = int(at) // MINUTE * MINUTE
        with self._open() as database, database:
            names = database.execute("SELECT queue, id FROM series WHERE qmgr = ?", (qmgr,))
            known: dict[str, int] = dict(names.fetchall())
            database.execute("INSERT OR IGNORE INTO covered VALUES (?, ?, ?)", (MINUTE, qmgr, minute))
            for row in rows:
                if row.queue not in known:
                    made = database.execute(
                        "INSERT INTO series (qmgr, queue) VALUES (?, ?)", (qmgr, row.queue)
                    )
                    known[row.queue] = int(made.lastrowid or 0)
                values = (MINUTE, known[row.queue], minute, row.depth, row.put, row.get)
                database.execute("INSERT OR REPLACE INTO samples VALUES (?, ?, ?, ?, ?, ?)", values)
            if minute % TEN == TEN - MINUTE:
                self._fold(database, qmgr, minute // TEN * TEN)
                self._shorten(database, minute)

    def _fold(self, database: sqlite3.Connection, qmgr: str, begin: int) -> None:
        """Make one row of ten minutes; the depth of its last minute, means of the rates."""
        between = (qmgr, begin, begin + TEN)
        (count,) = database.execute(
            "SELECT count(*) FROM covered WHERE step = 60 AND qmgr = ? AND at >= ? AND at < ?", between
        ).fetchone()
        database.execute("INSERT OR IGNORE INTO covered VALUES (?, ?, ?)", (TEN, qmgr, begin))
        database.execute(
            "INSERT OR REPLACE INTO samples SELECT 600, series, ?, depth, put, got FROM "
            "(SELECT series, max(at), depth, sum(put) / ? AS put, sum(got) / ? AS got FROM samples "
            "WHERE step = 60 AND series IN (SELECT id FROM series WHERE qmgr = ?) AND at >= ? AND at < ? "
            "GROUP BY series)",
            (begin, count, count, *between),
        )

    def _shorten(self, database: sqlite3.Connection, now: int) -> None:
        """Drop what is too old, and more while the file has too many bytes."""
        fine, coarse = now - FINE_SECONDS, now - COARSE_SECONDS
        while True:
            for step, before in ((MINUTE, fine), (TEN, coarse)):
                database.execute("DELETE FROM samples WHERE step = ? AND at < ?", (step, before))
                database.execute("DELETE FROM covered WHERE step = ? AND at < ?", (step, before))
            if self._bytes(database) <= self.bytes_max or fine >= now - TEN:
                return
            fine += (now - fine) // 4
            coarse += (now - coarse) // 4

    def _bytes(self, database: sqlite3.Connection) -> int:
        sizes = [
            int(database.execute(f"PRAGMA {name}").fetchone()[0])
            for name in ("page_count", "freelist_count", "page_size")
        ]
        return (sizes[0] - sizes[1]) * sizes[2]

    def chart(self, qmgr: str, queue: str, since: float, until: float) -> Chart:
        """Return the points of a queue; of all queues together without a name."""
        step = MINUTE if since >= until - FINE_SECONDS else TEN
        begin, end = int(since) // step * step, int(until) // step * step
        found = Chart(step, begin)
        with self._open() as database:
            where = (step, qmgr, begin, end)
            covered = {
                at
                for (at,) in database.execute(
                    "SELECT at FROM covered WHERE step = ? AND qmgr = ? AND at >= ? AND at <= ?", where
                )
            }
            series = "(SELECT id FROM series WHERE qmgr = ? AND queue = ?)"
            chosen = f"FROM samples WHERE step = ? AND series = {series}"
            key = (step, qmgr, queue)
            last = database.execute(
                f"SELECT depth {chosen} AND at < ? ORDER BY at DESC LIMIT 1", (*key, begin)
            ).fetchone()
            rows = {
                at: values
                for at, *values in database.execute(
                    f"SELECT at, depth, put, got {chosen} AND at >= ? AND at <= ?", (*key, begin, end)
                )
            }
        depth = last[0] if last else None
        for at in range(begin, end + 1, step):
            values = rows.get(at)
            if values is not None:
                depth = values[0]
            elif at in covered:
                values = [depth, 0.0, 0.0]
            known = [NOTHING if value is None else value for value in values or (None, None, None)]
            if depth is None:
                known = [NOTHING] * 3
            for points, value in zip((found.depth, found.put, found.get), known, strict=True):
                points.append(value)
        return found

    def queues(self, qmgr: str) -> list[str]:
        """Return the names of the queues that have samples."""
        with self._open() as database:
            found = database.execute("SELECT queue FROM series WHERE qmgr = ? AND queue <> ''", (qmgr,))
            return sorted(str(name) for (name,) in found)

    def first(self, qmgr: str) -> int:
        """Return the time of the oldest sample of a queue manager; 0 if there is none."""
        with self._open() as database:
            (at,) = database.execute("SELECT min(at) FROM covered WHERE qmgr = ?", (qmgr,)).fetchone()
        return int(at or 0)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.path, timeout=BUSY_SECONDS)) as database:
            database.execute("PRAGMA synchronous = NORMAL")
            yield database
