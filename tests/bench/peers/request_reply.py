"""Request and reply: 1, 4 and 16 requesters, 4 repliers, 1 KB; a requester has one request under way.

Replies are matched to requests by the means that the system has. Counted are replies received.
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

PEERS = ("rabbitmq", "redis", "nats", "activemq")
REQUESTERS = (1, 4, 16)
REPLIERS = 4
TARGETS = {"rabbitmq": at_least(6), "redis": at_least(6), "nats": at_least(4)}  # with 16 requesters


def scenarios() -> Iterator[Scenario]:
    for requesters in REQUESTERS:
        yield Scenario(
            name=f"request-reply-{requesters}",
            what=f"request/reply, 1 KB, {number(requesters, 'requester')}, {REPLIERS} repliers",
            peers=PEERS,
            tasks=partial(_tasks, requesters),
            rate=lambda seen: seen.rates["requester"],
            targets=TARGETS if requesters == max(REQUESTERS) else {},
        )


def _tasks(requesters: int, peer: Peer, work: Work) -> list[Task]:
    replier = ("replier", lambda role: peer.replier(role, work))
    requester = ("requester", lambda role: peer.requester(role, work))
    return [replier] * REPLIERS + [requester] * requesters
