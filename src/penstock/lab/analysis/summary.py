"""One row of figures for each step, folded from raw rows; `frames` does the same on Spark.

Rates are of the measured role; times are its percentiles, in milliseconds; costs are for one operation, with
the processor time of server and load. No clock and no I/O here.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from penstock.lab.load import histogram

if TYPE_CHECKING:
    from collections.abc import Iterable

Row = dict[str, Any]
PERCENTILES = {"p50_ms": 50.0, "p90_ms": 90.0, "p99_ms": 99.0, "p999_ms": 99.9}
KEPT = (
    "test",
    "variant",
    "x_name",
    "x",
    "round",
    "kind",
    "state",
    "why",
    "unit",
    "offered",
    "messages",
    "place",
)


def figures(
    steps: Iterable[Row],
    samples: Iterable[Row],
    times: Iterable[Row],
    processes: Iterable[Row],
    facts: Iterable[Row],
) -> list[Row]:
    """Return the figures of all steps, in the order in which they ran."""
    by_step = [_grouped(rows) for rows in (samples, times, processes, facts)]
    found = [_of(step, *(group.get(step["step_id"], []) for group in by_step)) for step in steps]
    return sorted(found, key=lambda row: row["place"])


def _of(step: Row, samples: list[Row], times: list[Row], processes: list[Row], facts: list[Row]) -> Row:
    role = step["measured"]
    mine = [row for row in samples if row["role"] == role]
    operations = sum(row["operations"] for row in mine)
    seconds = sum(row["seconds"] for row in mine)
    row: Row = {"step_id": step["step_id"], **{key: step[key] for key in KEPT}}
    row["foreign_percent"] = step["foreign_percent"]
    row["operations"] = operations
    row["rate"] = operations / seconds if seconds else None
    row["errors"] = sum(each["errors"] + each["overdue"] for each in mine)
    row |= _times([each for each in times if each["role"] == role])
    row |= _costs(processes, operations, seconds)
    row |= {each["name"]: each["value"] for each in facts}
    for name, counted in (("syncs_each", "log_syncs"), ("written_bytes_each", "log_bytes_written")):
        value = row.get(counted)
        row[name] = value / operations if value is not None and operations else None
    if step["x_name"] == "bytes" and step["x"]:
        row["kilobytes"] = step["x"] / 1024
    if operations and step["measured"] == "publisher":
        row["publish_us"] = 1e6 / row["rate"]
    return row


def _times(rows: list[Row]) -> Row:
    found: Row = {
        "mean_ms": None,
        **dict.fromkeys(PERCENTILES),
        "lateness_p99_ms": None,
        "service_p99_ms": None,
    }
    counts = {
        kind: histogram.fold((row["bucket"], row["count"]) for row in rows if row["kind"] == kind)
        for kind in {row["kind"] for row in rows}
    }
    if "response" in counts:
        found["mean_ms"] = histogram.mean_ns(counts["response"]) / 1e6
        for name, percent in PERCENTILES.items():
            found[name] = histogram.percentile_ns(counts["response"], percent) / 1e6
    for kind in ("lateness", "service"):
        if kind in counts:
            found[f"{kind}_p99_ms"] = histogram.percentile_ns(counts[kind], 99) / 1e6
    return found


def _costs(rows: list[Row], operations: int, seconds: float) -> Row:
    names = (
        "cpu_us",
        "server_us",
        "load_us",
        "switches_each",
        "server_mb",
        "server_busy",
    )
    found: Row = dict.fromkeys((*names, "busiest_thread"))
    if not rows or not operations:
        return found
    parts = {row["part"]: row for row in rows}
    cpu = {part: row["cpu_ns"] / 1000 / operations for part, row in parts.items()}
    server = parts.get("server", {})
    found["server_us"], found["load_us"] = cpu.get("server"), cpu.get("load")
    found["cpu_us"] = sum(cpu.values())
    switches = sum(row["switches_voluntary"] + row["switches_forced"] for row in rows)
    found["switches_each"] = switches / operations
    found["server_mb"] = server.get("rss_bytes", 0) / 1e6
    found["server_busy"] = server.get("cpu_ns", 0) / 1e9 / seconds
    found["busiest_thread"] = max(row["busiest_thread_ns"] for row in rows) / 1e9 / seconds
    return found


def _grouped(rows: Iterable[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        found[row["step_id"]].append(row)
    return found
