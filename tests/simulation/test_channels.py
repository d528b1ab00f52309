"""Message channels in the simulator: exactly once under crashes, cuts and half-open links.

`make test` runs 50 seeds, `make soak` 5,000. Each planted bug leaves one rule of the protocol out; the
simulator must find it, else it is blind there. A failing seed prints the command that replays it.
"""

from __future__ import annotations

import pytest

from tests.simulation.channels import Violation, simulate
from tests.simulation.planted_bugs import BUGS

SEEDS = 50
SOAK_SEEDS = 5000
CHUNK = 100  # seeds of one test
HUNT_SEEDS = 2000
FOUND_AT = {
    "backs-out-too-much": 56,
    "resends-all-fast": 81,
    "confirms-unsynced": 60,
    "confirms-early": 42,
    "keeps-old-links": 74,
    "records-apart": 91,
    "shows-claimed-messages": 265,
}


@pytest.mark.parametrize("nodes", [2, 3])
def test_every_accepted_message_arrives_exactly_once(nodes: int) -> None:
    for seed in range(SEEDS // 2):
        simulate(seed, nodes)


@pytest.mark.parametrize("nodes", [2, 3])
def test_open_batches_and_refused_messages_lose_nothing(nodes: int) -> None:
    for seed in range(SEEDS // 4):
        simulate(seed, nodes, varied=True)


@pytest.mark.soak
@pytest.mark.parametrize("varied", [False, True])
@pytest.mark.parametrize("nodes", [2, 3])
@pytest.mark.parametrize("first", range(0, SOAK_SEEDS // 2, CHUNK))
def test_every_accepted_message_arrives_exactly_once_in_many_runs(
    first: int, nodes: int, varied: bool
) -> None:
    for seed in range(first, first + CHUNK):
        simulate(seed, nodes, varied=varied)


@pytest.mark.parametrize("nodes", [2, 3])
def test_a_restored_backup_doubles_nothing_and_is_named(nodes: int) -> None:
    refused = sum(simulate(seed, nodes, restores=True).refused for seed in range(SEEDS // 2))

    assert refused


@pytest.mark.parametrize("bug", BUGS)
def test_a_rule_left_out_is_found(bug: str) -> None:
    likely = FOUND_AT.get(bug, 0)  # a change of the simulator moves it: then all others are tried too
    for seed in (likely, *range(HUNT_SEEDS)):
        try:
            simulate(seed, 2, bug, restores=bug == "trusts-any-record")
        except Violation as found:
            assert f"--seed {seed} --nodes 2 --bug {bug}" in str(found)
            return
    pytest.fail(f"{bug} was not found in {HUNT_SEEDS} seeds: the simulator does not see what it must")


def test_the_same_seed_is_the_same_run() -> None:
    first, second = simulate(7, 3), simulate(7, 3)

    assert [node.journal.records for node in first.nodes] == [node.journal.records for node in second.nodes]
    assert (first.accepted, first.got, first.time) == (second.accepted, second.got, second.time)
