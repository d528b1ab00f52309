"""The views of `penstock top`: rows of figures, sorted and filtered. No terminal here."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.model.rates import Rates
from penstock.model.status import values

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager
    from penstock.model.status import Status

SYSTEM = ("SYSTEM.", "AMQ.")
COLUMNS = {
    "queues": ("queue", "depth", "put_rate", "get_rate", "oldest_seconds", "readers", "writers", "waiting"),
    "channels": ("channel", "type", "state", "partner", "waiting_messages", "confirmed_per_second", "health"),
    "flows": ("flow", "group", "instance", "state", "messages", "rate", "failed", "restarts"),
    "log": ("figure", "value"),
}
VIEWS = tuple(COLUMNS)


@dataclass
class Sample:
    """What one look has found."""

    name: str = ""
    at: float = 0.0
    totals: dict[str, float] = field(default_factory=dict)
    rows: dict[str, list[dict[str, Any]]] = field(default_factory=dict)


class Looker:
    """Takes samples of one queue manager."""

    def __init__(self, qm: BlockingQueueManager, with_system: bool = False) -> None:
        self._qm = qm
        self._with_system = with_system
        self._rates = Rates()
        self._totals = Rates()

    def look(self) -> Sample:
        """Return the figures now; rates are those since the last look."""
        status, found, now = self._qm.status(), self._qm.queues(), time.time()
        self._rates.add({each.queue: (each.puts, each.gets) for each in found}, status.started, now)
        puts, gets = sum(each.puts for each in found), sum(each.gets for each in found)
        grown = {"all": (puts, gets, status.log.syncs, status.log.bytes_written)}
        self._totals.add(grown, status.started, now)
        shown = [each for each in found if self._with_system or not each.queue.startswith(SYSTEM)]
        rows = {
            "queues": [self._queue(each, now) for each in shown],
            "channels": _channels(status),
            "flows": _flows(),
            "log": _log(status),
        }
        names = ("put_rate", "get_rate", "sync_rate", "log_bytes_rate")
        totals = dict(zip(names, self._totals.by_name.get("all", (0.0,) * 4), strict=True))
        totals |= {"messages": status.messages, "connections": status.conns, "units": status.logged_units}
        totals["log_percent"] = 100 * status.log.used_bytes / max(1, status.log.capacity_bytes)
        return Sample(status.name, now, totals, rows)

    def _queue(self, figures: Any, now: float) -> dict[str, Any]:
        put, get = self._rates.by_name.get(figures.queue, (None, None))
        facts = values(figures)
        oldest = now - figures.oldest if figures.oldest else None
        return {**facts, "put_rate": put, "get_rate": get, "oldest_seconds": oldest}


def _channels(status: Status) -> list[dict[str, Any]]:
    rows = [values(each) for each in status.message_channels]
    if status.channels is not None:
        for name, count in sorted(status.channels.instances.items()):
            rows.append({"channel": name, "type": "SVRCONN", "state": f"{count} running"})
    return rows


def _log(status: Status) -> list[dict[str, Any]]:
    """Return the figures of the log; its histogram of syncs is for charts."""
    facts = {name: value for name, value in values(status.log).items() if not isinstance(value, dict)}
    if last := facts["checkpoint_last"]:
        facts["checkpoint_last"] = time.strftime("%H:%M:%S", time.localtime(last))
    return [{"figure": name, "value": value} for name, value in facts.items()]


def _flows() -> list[dict[str, Any]]:
    """Return the workers of the brokers of this home."""
    from penstock.flow.broker.home import all_brokers

    running = [home for home in all_brokers() if home.holder is not None]
    return [worker for home in running for worker in home.read_status().get("workers", [])]


def arranged(
    rows: list[dict[str, Any]], columns: tuple[str, ...], sort: str, reverse: bool, pattern: str
) -> list[dict[str, Any]]:
    """Return rows of which the first column contains a text, sorted by a column; empty values come last."""
    chosen = [row for row in rows if pattern.upper() in str(row.get(columns[0], "")).upper()]
    known = [row for row in chosen if row.get(sort) not in (None, "")]
    empty = [row for row in chosen if row.get(sort) in (None, "")]
    return (
        sorted(known, key=lambda row: _order(row[sort]), reverse=reverse) + empty
    )  # equal ones as they came


def _order(value: Any) -> tuple[int, float, str]:
    """Return what values are compared by: numbers, then texts; a column may have both."""
    return (0, value, "") if isinstance(value, int | float) else (1, 0.0, str(value))


def text_of(value: Any) -> str:
    """Return a figure for people.

    >>> text_of(1234567), text_of(3.14159), text_of(None)
    ('1,234,567', '3.1', '')
    """
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"
