"""The comparison: systems take turns, ratios are made round by round, a system that fails is named."""

from __future__ import annotations

import time

import pytest

from penstock.lab.analysis.results import Verdict, at_least
from tests.bench.peers import __main__ as runner
from tests.bench.peers import chart, fan_out
from tests.bench.peers.comparison import Findings, Run, Timing, compare, in_turn, results
from tests.bench.peers.peer import Peer
from tests.bench.peers.scenario import Scenario


class Fake(Peer):
    def __init__(self, key: str, name: str, pause: float) -> None:
        super().__init__()
        self.key, self.name, self.pause = key, name, pause
        self.prepared: list[str] = []
        self.cleaned: list[str] = []

    def prepare(self, work):
        self.prepared.append(work.name)

    def clean(self, work):
        self.cleaned.append(work.name)

    def producer(self, role, work):
        if not self.pause:
            raise ValueError("no route")
        role.ready()
        while True:
            time.sleep(self.pause)
            role.count(10)


SCENARIO = Scenario(
    "one-way",
    "one way",
    ("other",),
    lambda peer, work: [("producer", lambda role: peer.producer(role, work))],
    lambda seen: seen.rates["producer"],
    targets={"other": at_least(2)},
)


def run(rate: float, foreign: float = 0.0) -> Run:
    return Run(rate, 10, 20, foreign, 0, 7)


def test_every_system_is_first_in_turn():
    assert [in_turn("abc", number)[0] for number in range(4)] == ["a", "b", "c", "a"]


def test_each_run_has_a_queue_of_its_own_and_the_first_round_is_not_counted(tmp_path):
    ours, other = Fake("penstock", "Penstock", 0.002), Fake("other", "Other", 0.02)

    found = compare(SCENARIO, [ours, other], 2, Timing(0.02, 0.1), tmp_path, lambda _: None)

    assert len(found.runs["penstock"]) == len(found.runs["other"]) == 2
    assert len(set(ours.prepared + other.prepared)) == 6
    assert (ours.prepared, other.prepared) == (ours.cleaned, other.cleaned)
    assert not list(tmp_path.iterdir())


def test_a_system_that_fails_is_named_and_the_others_go_on(tmp_path):
    ours, broken = Fake("penstock", "Penstock", 0.002), Fake("other", "Other", 0)

    found = compare(SCENARIO, [ours, broken], 1, Timing(0.1, 0.1), tmp_path, lambda _: None)
    (table,) = results(found, [ours, broken])

    assert [line[0] for line in table.lines] == ["Penstock"]
    assert "Other failed: ValueError: no route" in table.note


def test_ratios_are_made_round_by_round_and_judged():
    peers = [Fake("penstock", "Penstock", 1), Fake("other", "Other", 1)]
    found = Findings(
        SCENARIO,
        {
            "penstock": [run(rate) for rate in (30, 300, 30, 30, 30)],
            "other": [run(rate, 90) for rate in (10, 100, 10, 10, 10)],
        },
    )

    row, table = results(found, peers)

    assert (row.what, row.floor_name, row.ratio.low, row.ratio.high) == ("one way", "Other", 3, 3)
    assert row.verdict is Verdict.PASSES
    assert table.lines[1] == ["Other", "10", "10", "100", "7", "10", "20", "90", "0"]
    assert "5 of 10 runs had more than 25 % foreign use" in table.note


def test_without_penstock_there_are_figures_alone():
    found = Findings(SCENARIO, {"other": [run(10)]})

    (table,) = results(found, [Fake("other", "Other", 1)])

    assert table.lines[0][:2] == ["Other", "10"]


def test_targets_are_those_of_the_design():
    targets = {
        (each.name, peer): target.bound for each in runner.SCENARIOS for peer, target in each.targets.items()
    }

    assert targets == {
        ("request-reply-16", "rabbitmq"): 6,
        ("request-reply-16", "redis"): 6,
        ("request-reply-16", "nats"): 4,
        ("one-way", "nats"): 3,
        ("one-way", "redis"): 4,
        ("one-way", "rabbitmq"): 20,
        ("durable-16", "rabbitmq"): 4,
        ("durable-16", "redis"): 1.5,
        ("durable-16", "nats"): 2,
        ("fan-out-100", "nats"): 1.5,
        ("fan-out-100", "redis"): 1.5,
        ("fan-out-100", "rabbitmq"): 6,
        ("between-servers-durable", "shovel"): 3,
        ("between-servers-durable", "mirror"): 0.5,
        ("between-servers-durable", "mirror-synced"): 2,
        ("between-servers-fast", "leaf"): 0.3,
    }


@pytest.mark.parametrize("arguments", [["--only", "nonsense"], ["--peers", "penstock,kafka"]])
def test_unknown_names_are_refused(arguments, capsys):
    with pytest.raises(SystemExit) as ended:
        runner._options(arguments)

    assert ended.value.code == 2
    assert "there are" in capsys.readouterr().err


def test_names_may_be_beginnings():
    options = runner._options(["--only", "fan-out,one", "--quick"])

    assert [each.name for each in options.scenarios] == ["one-way", "fan-out-1", "fan-out-10", "fan-out-100"]
    assert options.rounds == 1


@pytest.mark.parametrize("subscriptions", [1, 3, 4, 10, 100])
def test_subscriptions_are_shared_out(subscriptions):
    shares = fan_out.shares(subscriptions)

    assert sum(shares) == subscriptions
    assert max(shares) - min(shares) <= 1
    assert len(shares) <= fan_out.PROCESSES_MAX


def test_the_chart_has_a_bar_for_each_system_and_the_longest_for_the_fastest():
    found = {
        "results": {
            "x": [
                {"kind": "row"},
                {"kind": "figures", "title": "a < b", "lines": [["Other", "1,000"], ["Penstock", "100,000"]]},
            ]
        }
    }

    groups = chart.groups_of(found, "Penstock")
    picture = chart.draw("title", groups)

    assert groups == [("a < b", [("Penstock", 100_000.0, True), ("Other", 1_000.0, False)])]
    assert "a &lt; b" in picture
    assert picture.count("<rect") == 3
    assert (
        chart.length(100_000, 1_000, 100_000)
        > chart.length(10_000, 1_000, 100_000)
        > chart.length(1_000, 1_000, 100_000)
    )
