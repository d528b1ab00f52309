"""Clusters in the simulator: repositories converge under loss, crashes, restored copies and wrong clocks.

`make test` runs 20 seeds with 10 queue managers and one with 100, `make soak` 2,000. Each planted bug leaves
one rule out; the simulator must find it, else it is blind there.
"""

from __future__ import annotations

import pytest

from tests.simulation.channels import Violation
from tests.simulation.cluster_bugs import BUGS
from tests.simulation.clusters import simulate

SEEDS = 20
SOAK_SEEDS = 2000
HUNT_SEEDS = 2000


@pytest.mark.parametrize("first", range(0, SEEDS, 5))
def test_repositories_converge(first: int) -> None:
    for seed in range(first, first + 5):
        simulate(seed, deaths=True)


def test_a_hundred_queue_managers_converge() -> None:
    simulate(0, nodes=100, steps=30)


@pytest.mark.soak
def test_repositories_converge_in_many_runs() -> None:
    for seed in range(SOAK_SEEDS):
        simulate(seed, deaths=True)


QUICKLY_FOUND = [  # in the first seeds: one of each kind of rule
    "last-one-wins",
    "changes-wait-for-digests",
    "refresh-with-a-gap",
    "versions-are-not-durable",
    "members-speak-for-others",
    "put-disabled-is-chosen",
]


@pytest.mark.parametrize("bug", QUICKLY_FOUND)
def test_a_rule_left_out_is_found(bug: str) -> None:
    hunt(bug)


@pytest.mark.soak
@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug not in QUICKLY_FOUND])
def test_each_other_rule_left_out_is_found(bug: str) -> None:
    hunt(bug)


def hunt(bug: str) -> None:
    for seed in range(HUNT_SEEDS):
        try:
            simulate(seed, nodes=5, bug=bug, deaths=True)
        except Violation as found:
            assert f"--seed {seed} --nodes 5 --bug {bug}" in str(found)
            return
    pytest.fail(f"{bug} was not found in {HUNT_SEEDS} seeds: the simulator does not see what it must")


def test_the_same_seed_is_the_same_run() -> None:
    first, second = simulate(7, nodes=5), simulate(7, nodes=5)

    tables = [[node.live() for node in world.nodes.values()] for world in (first, second)]
    assert tables[0] == tables[1]
    assert (first.sent, first.time) == (second.sent, second.time)
