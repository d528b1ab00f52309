"""What bounded a test is the resource that was busiest, with its figures."""

from __future__ import annotations

from penstock.lab.analysis.bottleneck import bound
from penstock.lab.analysis.curves import Point


def point(**row):
    known = {
        "rate": 1000.0,
        "operations": 5000,
        "cpu_us": 100.0,
        "busiest_thread": 0.1,
        "foreign_percent": 0.0,
    }
    return Point("t", "", 4.0, ({**known, **row},))


def test_processors_syncs_a_thread_or_nothing():
    assert bound(point(cpu_us=1900.0), 2).startswith("Bounded by processors (processors 95%")
    assert bound(point(busiest_thread=0.97), 2).startswith("Bounded by one thread")
    assert bound(point(log_sync_seconds=4.7), 2).startswith("Bounded by journal syncs")
    assert bound(point(), 2).startswith("Bounded by hand-overs between processes")


def test_two_that_are_near_are_both_named_and_neighbours_are_told():
    text = bound(point(cpu_us=1800.0, busiest_thread=0.92, foreign_percent=90.0), 4)
    assert "others used 90 % of a core" in text
    assert bound(point(cpu_us=1800.0, busiest_thread=0.92), 2).startswith(
        "Bounded by processors and one thread"
    )


def test_a_probe_has_no_bound():
    assert bound(point(rate=None, cpu_us=None), 2) == ""
