"""The runner: rounds interleave, places in memory are refused, the exit code follows the verdicts."""

from __future__ import annotations

import json
import sys
from types import ModuleType

import pytest

from penstock.lab.analysis.results import Figures, Row, at_most
from penstock.lab.load import setting as settings
from penstock.lab.load.setting import Setting
from penstock.lab.measure.machine import Usage, foreign_percent
from tests.bench import __main__ as runner
from tests.bench.printing import quantity


def test_both_sides_run_in_each_round_and_take_turns_to_be_first(tmp_path):
    order: list[str] = []

    def side(name):
        return lambda: order.append(name) or float(len(order))

    mine, others = Setting(3, True, tmp_path).interleave(side("a"), side("b"))

    assert order == ["a", "b", "b", "a", "a", "b"]
    assert (mine, others) == ([1, 4, 5], [2, 3, 6])


@pytest.fixture(autouse=True)
def uncollected(monkeypatch):
    """Leave out the collections between measurements: a test run has much to look at."""
    monkeypatch.setattr(settings.gc, "collect", lambda: 0)


def test_short_measurements_can_have_more_rounds(tmp_path):
    mine, others = Setting(5, True, tmp_path).interleave(lambda: 1.0, lambda: 2.0, times=5)

    assert len(mine) == len(others) == 25


def test_a_place_in_memory_is_refused(monkeypatch):
    monkeypatch.setattr(settings, "file_system", lambda _: "tmpfs")

    with pytest.raises(RuntimeError, match="on a disk"), settings.real_folder():
        pass


def test_the_folder_is_gone_afterwards():
    with settings.real_folder() as folder:
        assert folder.is_dir()

    assert not folder.exists()


def test_others_processor_time_is_all_but_our_own():
    assert foreign_percent(Usage(0.0, 100.0, 50.0), Usage(10.0, 115.0, 60.0)) == pytest.approx(50.0)


def test_quantities_show_no_more_digits_than_they_mean():
    assert [quantity(1234.5, "ns"), quantity(0.123, "s"), quantity(1e6, "/s")] == [
        "1,234 ns",
        "0.12 s",
        "1,000,000 /s",
    ]


@pytest.fixture
def benchmark_of(monkeypatch, tmp_path):
    """Install a benchmark called pair that finds one row with these ratios."""

    def install(*subject):
        module = ModuleType("tests.bench.pair")
        row = Row("pair", "floor", "ns", subject, [1.0] * len(subject), at_most(8))
        module.measure = lambda _: iter([row, Figures("more", ("a",), [["1"]])])  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "tests.bench.pair", module)
        return ["pair", "--json", str(tmp_path / "found.json")]

    return install


def test_a_failing_row_makes_the_exit_code_1(benchmark_of):
    assert runner.main(benchmark_of(9, 9, 9, 9, 9)) == 1


def test_an_inconclusive_row_is_no_failure(benchmark_of, capsys):
    assert runner.main(benchmark_of(7, 9, 7, 9, 7)) == 0
    assert "1 inconclusive" in capsys.readouterr().out


def test_json_has_machine_command_and_every_round(benchmark_of, tmp_path):
    runner.main(benchmark_of(1, 2, 3, 4, 5))

    found = json.loads((tmp_path / "found.json").read_text())
    assert {"cpu", "cores", "kernel", "python", "penstock", "commit", "command", "rounds"} <= set(
        found["run"]
    )
    row, figures = found["results"]["pair"]
    assert row["subject"]["rounds"] == [1, 2, 3, 4, 5]
    assert row["verdict"] == "passes"
    assert figures["lines"] == [["1"]]


def test_an_unknown_name_is_refused_with_the_names_there_are(capsys):
    with pytest.raises(SystemExit):
        runner.main(["pears"])

    assert "there are pair, correlid" in capsys.readouterr().err
