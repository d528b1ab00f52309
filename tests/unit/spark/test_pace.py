"""How many slices a batch gets: by its messages, and by how long the batches before it took."""

from __future__ import annotations

import pytest

from penstock.spark.runs import pace
from penstock.spark.runs.pace import Pace


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(pace.time, "monotonic", lambda: now[0])
    return now


def batch(measured: Pace, clock: list[float], rows: int, seconds: float) -> int:
    """Run a batch of so many messages that takes so long; return its slices."""
    slices = measured.slices(rows, 8)
    clock[0] += seconds
    measured.done()
    return slices


def test_few_messages_are_one_slice_and_many_are_all(clock: list[float]) -> None:
    measured = Pace(0.05)
    assert [measured.slices(rows, 8) for rows in (0, 1, 1000, 5000, 100_000)] == [1, 1, 1, 3, 8]


def test_slow_messages_are_split_after_the_first_batch(clock: list[float]) -> None:
    measured = Pace(0.05)
    assert [batch(measured, clock, 40, 0.7) for _ in range(3)] == [1, 8, 8]


def test_what_an_empty_batch_takes_is_no_work_of_messages(clock: list[float]) -> None:
    measured = Pace(0.05)
    assert [batch(measured, clock, 1, 0.2), batch(measured, clock, 10, 0.21), measured.slices(40, 8)] == [
        1
    ] * 3


def test_without_measurement_all_slices_are_used(clock: list[float]) -> None:
    assert [batch(Pace(0.0), clock, rows, 1.0) for rows in (1, 10)] == [8, 8]


def test_asking_twice_without_a_batch_measures_nothing(clock: list[float]) -> None:
    measured = Pace(0.05)
    batch(measured, clock, 40, 0.3)
    clock[0] += 60.0
    measured.done()
    assert measured.slices(40, 8) == 1
