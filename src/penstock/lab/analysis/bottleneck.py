"""The bottleneck of a test: the busiest resource, with the figures that show it. No clock, no I/O.

A resource is named when it was busy for 85 % of the window or more; two within five points are both named.
Where none was, hand-overs between processes took the time. What the report quotes is evidence, not proof: two
resources may be coupled, as syncs and processors are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from penstock.lab.analysis.curves import Point

BUSY = 0.85
NEAR = 0.05
FOREIGN_MAX = 25.0  # percent of one core that others used


def bound(point: Point, cores: int) -> str:
    """Return a sentence about what bounded a point."""
    shares = utilisations(point, cores)
    if not shares:
        return ""
    best = max(shares.values())
    named = [name for name, share in shares.items() if share >= BUSY and share >= best - NEAR]
    quoted = ", ".join(f"{name} {share:.0%}" for name, share in shares.items())
    verdict = " and ".join(named) if named else "hand-overs between processes; nothing was busy for 85 %"
    foreign = point.median("foreign_percent") or 0.0
    others = f"; others used {foreign:.0f} % of a core meanwhile" if foreign > FOREIGN_MAX else ""
    return f"Bounded by {verdict} ({quoted}{others})."


def utilisations(point: Point, cores: int) -> dict[str, float]:
    """Return how busy each resource was, of 1."""
    rate, cpu = point.median("rate"), point.median("cpu_us")
    if rate is None or cpu is None:
        return {}
    foreign = (point.median("foreign_percent") or 0.0) / 100
    found: dict[str, float] = {"processors": min(1.0, (rate * cpu / 1e6 + foreign) / cores)}
    thread = point.median("busiest_thread")
    if thread is not None:
        found["one thread"] = thread
    seconds = _share_of_syncs(point.rows)
    if seconds is not None:
        found["journal syncs"] = seconds
    return found


def _share_of_syncs(rows: tuple[dict[str, Any], ...]) -> float | None:
    shares = [
        row["log_sync_seconds"] * row["rate"] / row["operations"]
        for row in rows
        if row.get("log_sync_seconds") and row["operations"] and row["rate"]
    ]
    return sorted(shares)[len(shares) // 2] if shares else None
