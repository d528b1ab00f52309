"""Clusters in the simulator: repositories converge under loss, crashes, restored copies and wrong clocks.

`make test` runs 20 seeds with 10 queue managers, 10 with three clusters that overlap and one with 100 queue
managers, `make soak` 2,000 with one and with three clusters. Each planted bug leaves
one rule out; the simulator must find it, else it is blind there.
"""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from penstock.model.errors import MQError
from penstock.qmgr.clusters.cluster_names import SHARED
from penstock.qmgr.clusters.record import DAY, MEMBER, Key, Record
from penstock.qmgr.clusters.work import Work
from tests.simulation.channels import Violation
from tests.simulation.cluster_bugs import BUGS, OVERLAPPING
from tests.simulation.clusters import CLUSTER, World, simulate

SEEDS = 20
SOAK_SEEDS = 2000
CHUNK = 20  # seeds of one test
HUNT_SEEDS = 2000


@pytest.mark.parametrize("first", range(0, SEEDS, 5))
def test_repositories_converge(first: int) -> None:
    for seed in range(first, first + 5):
        simulate(seed, deaths=True)


@pytest.mark.parametrize("first", range(0, SEEDS, 10))
def test_overlapping_clusters_converge_and_know_nothing_of_each_other(first: int) -> None:
    for seed in range(first, first + 5):
        simulate(seed, deaths=True, three=True)


def small_world() -> World:
    """Two full repositories and one partial, without faults, which have heard of each other."""
    world = World(1, nodes=3)
    world.nodes["N002"].alter({"REPOS": ""})
    for _ in range(4):
        world.heal()
    return world


def record_of(world: World, holder: str, owner: str) -> tuple[Record, float]:
    """Return the member record of a node as another has it, and its age there in days."""
    state = world.nodes[holder].engine.clusters.state
    held = state.repository.records[Key(CLUSTER, MEMBER, f"TO.{owner}", f"{owner}_1")]
    return held, (state.clock.seconds - held.born) / DAY


def test_digests_repair_a_renewal_that_was_lost() -> None:
    world = small_world()
    for _ in range(29):
        world.time += DAY
        world.tick()
        world.nodes["N002"].sync()
        world.nodes["N002"].take_outgoing()  # lost
        world.move(faults=False)
    assert record_of(world, "N000", "N002")[1] > 27

    for _ in range(8):
        world.heal()

    assert record_of(world, "N000", "N002")[1] < 3


def test_a_member_that_was_stopped_for_long_renews_its_records() -> None:
    world = small_world()
    member = world.nodes["N002"]
    member.sync()
    member.down = True
    for _ in range(62):
        world.time += DAY
        world.tick()
        world.move(faults=False)
    assert record_of(world, "N000", "N002")[1] > 60

    member.down = False
    member.start()  # its own clock has counted one day at most
    for _ in range(8):
        world.heal()

    assert [record_of(world, name, "N002")[1] < 3 for name in world.names] == [True] * 3


def test_a_member_that_becomes_a_full_repository_has_no_interest_any_more() -> None:
    world = small_world()
    partial, full = world.nodes["N002"], world.nodes["N000"]
    with pytest.raises(MQError):
        partial.engine.resolve("Q1")
    for _ in range(3):  # a question does not wait long
        world.move(faults=False)
    assert "N002_1" in full.engine.clusters.state.interested[CLUSTER, "Q", "Q1"]

    partial.alter({"REPOS": CLUSTER})
    for _ in range(8):
        world.heal()

    assert full.engine.clusters.state.interested == {}


def test_full_repositories_that_removed_each_other_come_back() -> None:
    world = small_world()
    for name, other in (("N000", "N001"), ("N001", "N000")):
        node = world.nodes[name]
        node.engine.clusters.upkeep.force_remove(CLUSTER, f"{other}_1", "", True, node.now())

    for _ in range(8):
        world.heal()

    world.check()
    world.sent = 0
    world.heal()
    assert world.sent <= 8 * len(world.names)


def test_a_renewal_and_a_removal_by_force_with_one_number_end_well() -> None:
    world = small_world()
    full, member = world.nodes["N000"], world.nodes["N002"]
    before = record_of(world, "N002", "N002")[0]
    full.engine.clusters.upkeep.force_remove(CLUSTER, "N002_1", "", False, full.now())
    full.sync()
    full.take_outgoing()  # nobody hears of it
    work = Work(member.engine.clusters, member.now())
    key = Key(CLUSTER, MEMBER, "TO.N002", "N002_1")
    member.engine.clusters.exchange.renew(work, key, before.body)
    member.engine.clusters.exchange.advertise(work, [key])
    work.finish()

    for _ in range(8):
        world.heal()

    found = [record_of(world, name, "N002")[0] for name in world.names]
    assert {each.version for each in found} == {found[0].version}
    assert [each.removed for each in found] == [False] * 3


def test_nothing_piles_up_for_a_full_repository_that_is_away() -> None:
    world = small_world()
    away, asker = "N001", world.nodes["N002"]
    world._close({pair for name in ("N000", "N002") for pair in ((name, away), (away, name))})
    for _ in range(1000):  # eight days
        world.heal()
        with pytest.raises(MQError):
            asker.engine.resolve("NOWHERE")

    assert max(node.engine.queues[SHARED].depth for node in world.nodes.values()) <= 6

    world._close(set())
    for _ in range(8):
        world.heal()
    world.check()
    world.check_queues()


def test_a_hundred_queue_managers_converge() -> None:
    simulate(0, nodes=100, steps=30)


@pytest.mark.soak
@pytest.mark.parametrize("three", [False, True])
@pytest.mark.parametrize("first", range(0, SOAK_SEEDS, CHUNK))
def test_repositories_converge_in_many_runs(first: int, three: bool) -> None:
    for seed in range(first, first + CHUNK):
        simulate(seed, deaths=True, three=three)


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
@pytest.mark.parametrize("bug", [bug for bug in BUGS if bug not in (*QUICKLY_FOUND, *OVERLAPPING)])
def test_each_other_rule_left_out_is_found(bug: str) -> None:
    hunt(bug)


@pytest.mark.parametrize("bug", OVERLAPPING)
def test_a_rule_of_overlapping_clusters_left_out_is_found(bug: str) -> None:
    hunt(bug, nodes=8, three=True)


def hunt(bug: str, nodes: int = 5, three: bool = False) -> None:
    for seed in range(HUNT_SEEDS):
        try:
            simulate(seed, nodes=nodes, bug=bug, deaths=True, three=three)
        except Violation as found:
            assert f"--seed {seed} --nodes {nodes} --bug {bug}" in str(found)
            return
    pytest.fail(f"{bug} was not found in {HUNT_SEEDS} seeds: the simulator does not see what it must")


def test_the_same_seed_is_the_same_run() -> None:
    first, second = simulate(7, nodes=5), simulate(7, nodes=5)

    tables = [[node.live() for node in world.nodes.values()] for world in (first, second)]
    assert tables[0] == tables[1]
    assert (first.sent, first.time) == (second.sent, second.time)
    assert first.log.digest() == second.log.digest()


def test_the_same_seed_is_the_same_run_under_another_hash_seed() -> None:
    command = [sys.executable, "-m", "tests.simulation.clusters", "--seed", "7", "--nodes", "4"]
    logs = {
        subprocess.run(
            command, env={**os.environ, "PYTHONHASHSEED": seed}, check=True, stdout=subprocess.PIPE
        ).stdout
        for seed in ("1", "2")
    }
    assert len(logs) == 1
