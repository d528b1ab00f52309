"""Balancing of clients in a uniform cluster: what is moved when, by a server that is simulated."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from penstock.serve.uniform_clusters.balancing import SETTLE_SECONDS, Balancing
from tests.simulation.clusters import CLUSTER, World

APPLICATION = "worker"


class Moving(Balancing):
    """Has four instances of one application that can be moved, and notes where they are sent."""

    def __init__(self, server: Any) -> None:
        super().__init__(server)
        self.sent: list[tuple[str, int]] = []

    def _by_application(self) -> dict[str, list[Any]]:
        return {APPLICATION: []}

    def _counts(self, found: dict[str, list[Any]]) -> dict[str, tuple[int, int]]:
        return {APPLICATION: (4, 4)}

    def _move(self, instances: list[Any], to: str, number: int) -> None:
        self.sent.append((to, number))


def test_a_clock_that_is_set_back_does_not_end_balancing() -> None:
    world = World(1, 2)
    for _ in range(4):
        world.heal()
    here, other = world.nodes.values()
    wall, passed = here.now(), 1000.0
    server = SimpleNamespace(
        engine=here.engine,
        loop=SimpleNamespace(call_later=lambda *given: None),
        message_channels=SimpleNamespace(step=lambda action: action(wall)),
        clock=lambda: passed,
    )
    balancing = Moving(server)
    qmid = other.engine.clusters.qmid

    here.engine.clusters.applications.heard(qmid, other.name, {}, wall)
    balancing.begin(CLUSTER)
    assert balancing.sent == [(other.name, 2)]
    balancing._look()
    assert len(balancing.sent) == 1  # the moves settle first
    wall -= 86400.0
    passed += SETTLE_SECONDS
    here.engine.clusters.applications.heard(qmid, other.name, {}, wall)
    balancing._look()

    assert balancing.sent == [(other.name, 2)] * 2
