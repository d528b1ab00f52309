"""Spark folds raw rows to the same figures as the fold without it, over one run or several."""

from __future__ import annotations

import pytest

from penstock.lab import open_runs
from penstock.lab.analysis.curves import curves, peak
from penstock.lab.analysis.summary import PERCENTILES
from penstock.lab.report.reading import figures_of
from tests.spark import marks
from tests.unit.lab.made_runs import made_run

pytestmark = marks
TESTS = {
    "clnp1": {"xs": [1, 2, 4, 8, 16], "rate": lambda x: 1000.0 * min(x, 8) - 10 * x},
    "trivial": {
        "xs": [1024, 4096],
        "rate": lambda x: 2000.0,
        "x_name": "bytes",
        "role": "client",
        "syncs": 0.5,
        "logged": 3000.0,
    },
}
COMPARED = (
    "rate",
    "operations",
    "cpu_us",
    "server_us",
    "load_us",
    "switches_each",
    "syncs_each",
    "written_bytes_each",
    "server_mb",
    "mean_ms",
    *PERCENTILES,
)


def test_both_folds_give_the_same_figures(tmp_path, spark):
    folder, other = (
        made_run(tmp_path / "a", TESTS, rounds=2),
        made_run(tmp_path / "b", TESTS, rounds=2, seed=2),
    )
    folder.fold()
    other.fold()
    frames = open_runs(tmp_path / "a", tmp_path / "b", spark=spark)

    ours = {row["step_id"]: row for row in figures_of(folder)}
    found = frames.figures.collect()
    theirs = {row["step_id"]: row.asDict() for row in found if row["run"] == "run1"}

    assert ours.keys() == theirs.keys()
    for step_id, row in ours.items():
        for name in COMPARED:
            assert theirs[step_id][name] == pytest.approx(row[name], rel=1e-9), (step_id, name)
    assert len(found) == 2 * len(ours)


def test_the_peak_and_its_knee(tmp_path):
    points = curves(figures_of(made_run(tmp_path / "a", TESTS)))
    found = peak(points["clnp1"])

    assert found is not None
    assert found.point.x == 8
    assert not found.still_rising
    assert found.rate.trusted
