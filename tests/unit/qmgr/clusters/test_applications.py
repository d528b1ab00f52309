"""Instances of an application in a uniform cluster: the plan that balances them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.qmgr.clusters.applications import plan, quotas
from tests.simulation.clusters import CLUSTER, World

COUNTS = st.dictionaries(st.sampled_from("ABCDEF"), st.integers(0, 40), min_size=1)


@given(COUNTS, st.sets(st.sampled_from("ABCDEF")))
def test_a_plan_balances_whatever_can_be_moved(counts: dict[str, int], suspended: set[str]) -> None:
    after = dict(counts)
    for source, target, number in plan({key: (each, each) for key, each in counts.items()}, suspended):
        assert number > 0
        after[source] -= number
        after[target] += number

    assert sum(after.values()) == sum(counts.values())
    takers = [each for key, each in after.items() if key not in suspended]
    if takers:
        assert max(takers) - min(takers) <= 1
        assert not any(each for key, each in after.items() if key in suspended)
        assert plan({key: (each, each) for key, each in after.items()}, suspended) == []
    else:
        assert after == counts


@given(COUNTS, st.integers(0, 3))
def test_no_more_than_the_movable_are_moved(counts: dict[str, int], movable: int) -> None:
    moves = plan({key: (each, min(each, movable)) for key, each in counts.items()}, set())

    for source in counts:
        assert sum(number for own, _, number in moves if own == source) <= movable


def test_instances_that_cannot_be_moved_leave_an_application_unbalanced() -> None:
    counts = {"A": (6, 0), "B": (3, 3), "C": (3, 3), "D": (0, 0)}

    assert plan(counts, set()) == []
    assert quotas(counts, set()) == {"A": 3, "B": 3, "C": 3, "D": 3}


def test_where_all_members_are_suspended_nobody_lacks_instances() -> None:
    counts = {"A": (6, 6), "B": (1, 1)}

    assert plan(counts, {"A", "B"}) == []
    assert quotas(counts, {"A", "B"}) == {"A": 6, "B": 1}


def test_members_tell_each_other_their_counts() -> None:
    world = World(1, 3)
    for _ in range(4):
        world.heal()
    nodes = list(world.nodes.values())
    for node in nodes:
        node.engine.clusters.applications.cluster = CLUSTER
        node.engine.clusters.want_members(CLUSTER, node.now())
    for _ in range(3):
        world.heal()
    for number, node in enumerate(nodes):
        node.engine.clusters.applications.count({"app": (number * 3, number * 3)}, node.now())
    for _ in range(2):
        world.move(faults=False)

    for node in nodes:
        applications = node.engine.clusters.applications
        assert applications.of("app", node.now()) == {"N000_1": (0, 0), "N001_1": (3, 3), "N002_1": (6, 6)}
        assert applications.moves("app", node.now()) == [("N002_1", "N000_1", 3)]
