"""Samples on disk: gaps stay gaps, quiet queues cost nothing, old and too many rows go."""

from __future__ import annotations

import math
import shutil
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the packages of the extra console are not installed")
from penstock.console.history import COARSE_SECONDS, FINE_SECONDS, History, Sample
from penstock.console.sampler import Watched, minute_samples
from tests.uncompiled import ROOT

NOON = 1_800_000_000  # divisible by 600
SAMPLE = ROOT / "tests" / "data" / "formats" / "history-1.db"  # of version 0.1.0


def known(values: list[float]) -> list[float | None]:
    return [None if math.isnan(value) else value for value in values]


def test_given_minutes_without_a_change_when_charted_then_the_depth_goes_on_and_rates_are_zero(
    tmp_path: Path,
) -> None:
    disk = History(tmp_path / "history.db")
    disk.add("QM1", NOON, [Sample("A", 5.0, 1.0, 0.5)])
    disk.add("QM1", NOON + 60, [])
    disk.add("QM1", NOON + 240, [Sample("A", 7.0, 2.0, 0.0)])
    found = disk.chart("QM1", "A", NOON - 60, NOON + 240)
    assert known(found.depth) == [None, 5.0, 5.0, None, None, 7.0]
    assert known(found.put) == [None, 1.0, 0.0, None, None, 2.0]
    assert disk.first("QM1") == NOON
    assert known(disk.chart("QM2", "A", NOON, NOON + 60).depth) == [None, None]


def test_given_a_deleted_queue_when_charted_then_its_line_ends(tmp_path: Path) -> None:
    disk = History(tmp_path / "history.db")
    disk.add("QM1", NOON, [Sample("A", 5.0, 1.0, 0.5)])
    disk.add("QM1", NOON + 60, [Sample("A", math.nan, math.nan, math.nan)])
    disk.add("QM1", NOON + 120, [])
    assert known(disk.chart("QM1", "A", NOON, NOON + 120).depth) == [5.0, None, None]


def test_given_ten_minutes_when_folded_then_last_depth_and_mean_rates_stay_for_thirty_days(
    tmp_path: Path,
) -> None:
    disk = History(tmp_path / "history.db")
    for minute in range(10):
        disk.add("QM1", NOON + 60 * minute, [Sample("A", minute, 10.0, 5.0)])
    later = NOON + FINE_SECONDS + 600
    for minute in range(10):
        disk.add("QM1", later + 60 * minute, [])
    assert known(disk.chart("QM1", "A", NOON, NOON + 60).depth) == [None, None], "minutes are dropped"
    found = disk.chart("QM1", "A", NOON, NOON + COARSE_SECONDS)
    assert (found.step, found.depth[0], found.put[0], found.get[0]) == (600, 9.0, 10.0, 5.0)


def test_given_a_budget_when_it_is_exceeded_then_the_oldest_rows_go(tmp_path: Path) -> None:
    disk = History(tmp_path / "history.db", bytes_max=400_000)
    for minute in range(60):
        disk.add("QM1", NOON + 60 * minute, [Sample(f"Q{number}", minute, 1, 1) for number in range(300)])
    assert (tmp_path / "history.db").stat().st_size < 1_000_000
    assert known(disk.chart("QM1", "Q1", NOON, NOON).depth) == [None]
    assert disk.chart("QM1", "Q1", NOON + 59 * 60, NOON + 59 * 60).depth == [59.0]


def test_given_counts_when_a_minute_ends_then_only_changed_queues_have_rows_and_no_rate_over_a_restart() -> (
    None
):
    watched = Watched(at=1000.0, incarnation=1.0, arrived={"A": (10, 5), "B": (0, 0)})
    assert [each.queue for each in minute_samples(watched)] == ["A", ""]
    watched.at, watched.arrived = 1060.0, {"A": (70, 35), "B": (0, 0)}
    a, total = minute_samples(watched)
    assert (a.depth, a.put, a.get) == (35, 1.0, 0.5)
    assert (total.queue, total.put) == ("", 1.0)
    watched.at, watched.incarnation, watched.arrived = 1120.0, 2.0, {"A": (3, 3)}
    rows = {each.queue: each for each in minute_samples(watched)}
    assert rows["A"].put == 0
    assert math.isnan(rows["B"].depth), "a queue that is gone"


def test_given_a_file_of_version_0_1_0_when_opened_then_its_samples_are_there_and_others_are_added(
    tmp_path: Path,
) -> None:
    path = tmp_path / "history.db"
    shutil.copy(SAMPLE, path)
    disk = History(path)
    found = disk.chart("QM1", "ORDERS", NOON, NOON + 720)
    assert known(found.depth) == [
        10.0,
        10.0,
        12.0,
        12.0,
        14.0,
        None,
        16.0,
        16.0,
        18.0,
        18.0,
        20.0,
        20.0,
        None,
    ]
    assert known(found.put)[:5] == [2.0, 0.0, 2.0, 0.0, 2.0]
    coarse = disk.chart("QM1", "ORDERS", NOON, NOON + COARSE_SECONDS)
    assert (coarse.depth[0], coarse.put[0]) == (18.0, pytest.approx(10 / 9))
    disk.add("QM1", NOON + 780, [Sample("ORDERS", 3.0, 1.0, 1.0)])
    assert known(disk.chart("QM1", "ORDERS", NOON + 720, NOON + 780).depth) == [None, 3.0]
