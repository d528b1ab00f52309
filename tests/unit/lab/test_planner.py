"""The planner answers from what was measured, with intervals that hold for points it has not seen."""

from __future__ import annotations

import random

import pytest

from penstock.lab.planner.answer import Wanted, plan
from penstock.lab.planner.profile import Profile
from penstock.lab.report.reading import figures_of
from penstock.model.errors import MQError
from tests.unit.lab.made_runs import made_run

SIZES = [1024, 4096, 16384, 65536]
TESTS = {
    "trivial": {"xs": SIZES, "rate": lambda x: 2000.0 - x / 100, "x_name": "bytes", "role": "client",
                "server_us": lambda x: 150 + 3 * x / 1024, "load_us": lambda x: 50 + x / 1024},
    "clpm3": {"xs": [1, 8, 32, 64], "rate": lambda x: 100.0 * min(x, 32), "syncs": 0.25, "logged": 4000.0,
              "facts": lambda x: {"kb_a_connection": 20.0}},
}  # fmt: skip


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    return figures_of(made_run(tmp_path_factory.mktemp("plan") / "run", TESTS, rounds=8))


def test_known_costs_are_found_again(rows):
    answer = plan(Wanted(500, 4096, flow="trivial"), rows, cores=2)

    assert answer.cores.value == pytest.approx(500 * (200 + 4 * 4) / 1e6, rel=0.05)
    assert answer.cores.low <= answer.cores.value <= answer.cores.high
    assert answer.cores_recommended == 1
    assert answer.response_ms is not None
    assert answer.syncs is None
    assert answer.checks["cpu_us"].points >= 6


def test_persistent_work_needs_syncs_and_clients_need_memory(rows):
    answer = plan(Wanted(1000, 2048, persistent=True, clients=1000), rows, cores=2)
    without = plan(Wanted(1000, 2048, persistent=True), rows, cores=2)

    assert answer.syncs is not None
    assert answer.syncs.value == pytest.approx(250, rel=0.1)
    assert answer.written_mb.value == pytest.approx(4, rel=0.1)
    assert answer.memory_mb.value - without.memory_mb.value == pytest.approx(1000 * 20 / 1024, rel=0.05)


def test_intervals_hold_for_points_that_were_held_out():
    chance, held, within = random.Random(1), 0, 0
    for _ in range(60):
        points = tuple(
            {
                "kilobytes": size / 1024,
                "rate": 1000.0 + place,
                "cpu_us": (200 + size / 256) * (1 + chance.gauss(0, 0.05)),
            }
            for place, size in enumerate(SIZES * 8)
        )
        new = [(size / 1024, (200 + size / 256) * (1 + chance.gauss(0, 0.05))) for size in SIZES * 5]
        fitted = Profile(("t",), points).fitted("cpu_us")
        held += len(new)
        within += sum(fitted.at(x).low <= y <= fitted.at(x).high for x, y in new)

    assert within / held >= 0.8


def test_it_says_what_is_missing(rows):
    with pytest.raises(MQError, match=r"8605.*beyond what was measured.*lab run trivial"):
        plan(Wanted(10, 1024 * 1024, flow="trivial"), rows, cores=2)
    with pytest.raises(MQError, match=r"8605.*clnp1.*not measured.*lab run clnp1"):
        plan(Wanted(10, 2048), rows, cores=2)
    with pytest.raises(MQError, match=r"8605.*lab run --flow orders"):
        plan(Wanted(10, 2048, flow="orders"), rows, cores=2)


def test_what_does_not_fit_is_said_and_has_no_response(rows):
    answer = plan(Wanted(20_000, 4096, flow="trivial"), rows, cores=2)

    assert answer.response_ms is None
    assert answer.cores_recommended >= 5
    assert any("beyond" in note for note in answer.notes)
