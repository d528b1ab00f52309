"""Durable puts a hundred at a time: one producer, 1 KB, which waits for the confirms of each hundred.

A unit of work where the system has one, a hundred messages under way otherwise. A consumer takes them away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bench.peers.request_reply import PEERS
from tests.bench.peers.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.lab.load.crew import Task
    from tests.bench.peers.peer import Peer, Work


def scenarios() -> Iterator[Scenario]:
    yield Scenario(
        name="durable-batches",
        what="durable puts in batches of 100, 1 KB, 1 producer",
        peers=PEERS,
        tasks=_tasks,
        rate=lambda seen: seen.rates["producer"],
        durable=True,
    )


def _tasks(peer: Peer, work: Work) -> list[Task]:
    return [
        ("consumer", lambda role: peer.consumer(role, work)),
        ("producer", lambda role: peer.batch_producer(role, work)),
    ]
