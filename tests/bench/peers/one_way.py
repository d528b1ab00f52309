"""One way: a producer and a consumer, 1 KB, nothing survives, each client's own batching.

Counted is the slower of both sides: what was sent and not received yet is no throughput.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.lab.analysis.results import at_least
from tests.bench.peers.request_reply import PEERS
from tests.bench.peers.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.crew import Observation, Task
    from tests.bench.peers.peer import Peer, Work

TARGETS = {"nats": at_least(3), "redis": at_least(4), "rabbitmq": at_least(20)}


def scenarios() -> Iterator[Scenario]:
    yield Scenario(
        name="one-way",
        what="one way with batching, 1 KB, 1 producer, 1 consumer",
        peers=PEERS,
        tasks=tasks,
        rate=slower,
        targets=TARGETS,
    )


def slower(seen: Observation) -> float:
    """Return the rate of the slower side."""
    return min(seen.rates["producer"], seen.rates["consumer"])


def tasks(peer: Peer, work: Work) -> list[Task]:
    """Return a consumer and a producer."""
    return [
        ("consumer", lambda role: peer.consumer(role, work)),
        ("producer", lambda role: peer.producer(role, work)),
    ]
