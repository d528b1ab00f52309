"""The state of a streaming query, as far as a run has to know it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from penstock.spark.runs.progress import batch_done

if TYPE_CHECKING:
    import threading

    from pyspark.sql.streaming.query import StreamingQuery

POLL_SECONDS = 0.2
INITIALIZING = "Initializing sources"
NOT_IN_TIME = "Python worker failed to connect back"


def is_in_batch(query: StreamingQuery) -> bool:
    """Return whether a query is running a batch."""
    return bool(query.isActive and query.status["isTriggerActive"])


def last_batch(query: StreamingQuery) -> int | None:
    """Return the number of the last batch that a query has reported."""
    progress = query.lastProgress
    return None if progress is None else int(progress["batchId"])


def waiting(query: StreamingQuery) -> int:
    """Return how many messages waited on its queue when a query last reported."""
    progress = query.lastProgress
    return 0 if progress is None else batch_done(json.loads(progress.json)).depth or 0


def came_up_late(query: StreamingQuery) -> bool:
    """Return whether a query has ended because a busy machine did not start a Python process in time.

    Spark allows ten seconds and no option changes that. Nothing was done: it may simply start again.
    """
    return not query.isActive and NOT_IN_TIME in str(query.exception() or "")


def wait_for_sources(query: StreamingQuery, stopped: threading.Event) -> None:
    """Wait until a query's own processes run, so that those of the next need not share the machine."""
    while query.isActive and query.status["message"] == INITIALIZING:
        if stopped.wait(POLL_SECONDS):
            return
