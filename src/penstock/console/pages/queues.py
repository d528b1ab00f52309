"""The list of queues: filtered, sorted and cut here, so that thousands of them cost one page."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from penstock.console.people import queue_managers
from penstock.console.visit import Page, command

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.console.visit import Visit
    from penstock.model.status import QueueFigures

ROWS = 100
SHOWS = {"": "all", "busy": "not empty", "unread": "not empty, no reader", "paused": "put or get disabled"}


def queues(visit: Visit) -> Page:
    """Return the page."""
    qmgr = visit.qmgr_name()
    like, show, system = visit.text("like"), visit.text("show"), visit.text("system")
    found = [row for row in visit.queues(qmgr) if _is_wanted(row, like, show, system)]
    sort = visit.text("sort", "queue")
    key = _keys(visit, qmgr).get(sort.removeprefix("-"), _by_name)
    found.sort(key=key, reverse=sort.startswith("-"))
    last = max(1, -(-len(found) // ROWS))
    page = min(max(1, visit.number("page", 1)), last)
    shown = found[(page - 1) * ROWS : page * ROWS]
    visit.shape += [row.queue for row in shown]
    now = time.time()
    rows = [_row(visit, qmgr, row, now) for row in shown]
    data = {
        "qmgr": qmgr,
        "managers": list(queue_managers()),
        "rows": rows,
        "found": len(found),
        "page_number": page,
        "last": last,
        "sort": sort,
        "like": like,
        "show": show,
        "shows": SHOWS,
        "system": system,
    }
    words = ["queue", "list", *([pattern(like)] if like else []), "-m", qmgr, *(["--all"] if system else [])]
    return Page("queues.html", "Queues", data, command(*words))


def pattern(like: str) -> str:
    """Return what a person typed as a pattern: a part of a name, unless it has a star."""
    typed = like.strip().upper() if like.islower() else like.strip()
    return typed if "*" in typed else f"*{typed}*"


def _is_wanted(row: QueueFigures, like: str, show: str, system: str) -> bool:
    if not system and row.queue.startswith(("SYSTEM.", "AMQ.")):
        return False
    if like and not fnmatchcase(row.queue, pattern(like)):
        return False
    if show == "busy":
        return row.depth > 0
    if show == "unread":
        return row.depth > 0 and not row.readers
    return show != "paused" or not (row.put_enabled and row.get_enabled)


def _by_name(row: QueueFigures) -> Any:
    return row.queue


def _keys(visit: Visit, qmgr: str) -> dict[str, Callable[[QueueFigures], Any]]:
    """Return what the list can be sorted by."""

    def rates(row: QueueFigures) -> Any:
        return visit.world.sampler.rates(qmgr, row.queue)

    return {
        "queue": _by_name,
        "depth": lambda row: row.depth,
        "put": lambda row: each.put if (each := rates(row)) else 0.0,
        "get": lambda row: each.get if (each := rates(row)) else 0.0,
        "oldest": lambda row: -(row.oldest or 1e12),
        "readers": lambda row: row.readers,
        "writers": lambda row: row.writers,
        "last_put": lambda row: row.last_put,
    }


def _row(visit: Visit, qmgr: str, row: QueueFigures, now: float) -> dict[str, Any]:
    sampler = visit.world.sampler
    return {
        "row": row,
        "rates": sampler.rates(qmgr, row.queue),
        "history": sampler.history(qmgr, row.queue),
        "oldest": now - row.oldest if row.oldest else None,
        "share": row.depth / row.depth_max if row.depth_max else 0.0,
    }
