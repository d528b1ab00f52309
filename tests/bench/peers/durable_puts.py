"""Durable puts: 1 and 16 producers, 1 KB, each waits for the confirm of one message before the next.

A consumer takes the messages away, so that the queue stays short. Counted are confirms.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from penstock.lab.analysis.results import at_least
from tests.bench.peers.request_reply import PEERS
from tests.bench.peers.scenario import Scenario, number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.crew import Task
    from tests.bench.peers.peer import Peer, Work

PRODUCERS = (1, 16)
TARGETS = {"rabbitmq": at_least(4), "redis": at_least(1.5), "nats": at_least(2)}  # with 16 producers


def scenarios() -> Iterator[Scenario]:
    for producers in PRODUCERS:
        yield Scenario(
            name=f"durable-{producers}",
            what=f"durable puts, 1 KB, {number(producers, 'producer')}, each waits for its confirm",
            peers=PEERS,
            tasks=partial(_tasks, producers),
            rate=lambda seen: seen.rates["producer"],
            durable=True,
            targets=TARGETS if producers == max(PRODUCERS) else {},
        )


def _tasks(producers: int, peer: Peer, work: Work) -> list[Task]:
    consumer = ("consumer", lambda role: peer.consumer(role, work))
    producer = ("producer", lambda role: peer.confirmed_producer(role, work))
    return [consumer] + [producer] * producers
