"""Progress of a running query: plain events, one for each batch, from Spark's own listener.

`watch` calls a function with every event of the given queries, from a thread of Spark's. Rows are messages:
tasks count them in a fused plan, Spark in others. Nothing here prints.
"""

from __future__ import annotations

import json
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pyspark.sql.streaming.listener import StreamingQueryListener

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pyspark.sql import SparkSession

METRICS = "penstock"  # what `fused` has its counts under
MILLISECONDS = 1000.0


@dataclass(frozen=True)
class Started:
    """A query has started."""

    query: str
    name: str


@dataclass(frozen=True)
class BatchDone:
    """A batch is done, or there was nothing to do."""

    query: str
    batch: int
    rows: int  # messages that were read
    outputs: int | None  # messages that were put; None if they are not counted
    bytes: int | None
    seconds: float  # how long the batch took
    depth: int | None  # messages that wait on the queue; None for sources that do not report it
    failed: int = 0  # attempts at messages
    given_up: int = 0  # messages that went to a failure terminal, backout or dead-letter queue
    lost: int = 0  # messages that failed outside a unit of work

    @property
    def rows_per_second(self) -> float:
        """The rate of this batch."""
        return self.rows / self.seconds if self.seconds else 0.0


@dataclass(frozen=True)
class Ended:
    """A query has ended, by itself, by a stop or by a failure."""

    query: str
    failure: str  # empty for none


Event = Started | BatchDone | Ended


@contextmanager
def watch(spark: SparkSession, told: Callable[[Event], None]) -> Iterator[None]:
    """Call a function for every query of a session, while the context lasts."""
    listener = Listener(told)
    spark.streams.addListener(listener)
    try:
        yield
    finally:
        spark.streams.removeListener(listener)


class Listener(StreamingQueryListener):
    """Turns Spark's reports into events."""

    def __init__(self, told: Callable[[Event], None]) -> None:
        self._told = told

    def onQueryStarted(self, event: Any) -> None:
        self._told(Started(str(event.id), event.name or ""))

    def onQueryProgress(self, event: Any) -> None:
        self._told(batch_done(json.loads(event.progress.json)))

    def onQueryIdle(self, event: Any) -> None:
        """Ignore it: an idle query has no news."""

    def onQueryTerminated(self, event: Any) -> None:
        self._told(Ended(str(event.id), event.exception or ""))


def batch_done(progress: dict[str, Any]) -> BatchDone:
    """Return the event for Spark's progress report."""
    counted = (progress.get("observedMetrics") or {}).get(METRICS)
    rows = progress["numInputRows"] if counted is None else counted.get("rows")
    counted = counted or {}
    return BatchDone(
        progress["id"],
        progress["batchId"],
        rows or 0,
        counted.get("outputs"),
        counted.get("bytes"),
        progress.get("batchDuration", 0) / MILLISECONDS,
        _depth(progress.get("sources") or []),
        *(counted.get(name) or 0 for name in ("failed", "given_up", "lost")),
    )


def _depth(sources: list[dict[str, Any]]) -> int | None:
    depths = [_of(source.get("latestOffset")) for source in sources]
    known = [depth for depth in depths if depth is not None]
    return sum(known) if known else None


def _of(offset: Any) -> int | None:
    if isinstance(offset, str):
        try:
            offset = json.loads(offset)
        except ValueError:
            return None
    return offset.get("depth") if isinstance(offset, dict) else None
