"""Fan-out: one publisher, 1, 10 and 100 subscriptions in at most four processes, 1 KB, nothing survives.

Counted are messages delivered to all subscriptions together.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import at_least
from tests.bench.peers.scenario import Scenario, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.crew import Task
    from tests.bench.peers.peer import Peer, Work

PEERS = ("rabbitmq", "redis", "nats", "mosquitto")
SUBSCRIPTIONS = (1, 10, 100)
PROCESSES_MAX = 4
TARGETS = {"nats": at_least(1.5), "redis": at_least(1.5), "rabbitmq": at_least(6)}  # provisional; with 100


def scenarios() -> Iterator[Scenario]:
    for subscriptions in SUBSCRIPTIONS:
        yield Scenario(
            name=f"fan-out-{subscriptions}",
            what=f"fan-out to {number(subscriptions, 'subscriber')}, 1 KB, delivered",
            peers=PEERS,
            tasks=partial(_tasks, subscriptions),
            rate=lambda seen: seen.rates["subscriber"],
            targets=TARGETS if subscriptions == max(SUBSCRIPTIONS) else {},
        )


def shares(subscriptions: int) -> list[int]:
    """Return how many subscriptions each process holds.

    >>> shares(1), shares(10)
    ([1], [3, 3, 2, 2])
    """
    processes = min(PROCESSES_MAX, subscriptions)
    whole, rest = divmod(subscriptions, processes)
    return [whole + (place < rest) for place in range(processes)]


def _tasks(subscriptions: int, peer: Peer, work: Work) -> list[Task]:
    tasks: list[Task] = [
        ("subscriber", partial(peer.subscriber, work=work, subscriptions=share))
        for share in shares(subscriptions)
    ]
    return [*tasks, ("publisher", lambda role: peer.publisher(role, work))]
