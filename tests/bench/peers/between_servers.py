"""Between two servers: a producer at one, a consumer at the other, 1 KB. X1, X3 and X4 of the plan.

Durable: RabbitMQ's shovel and JetStream's mirror beside a message channel with persistent messages. What need
not survive: a NATS leaf node beside NPMSPEED(FAST). Counted is the slower of both sides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from penstock.lab.analysis.results import at_least
from tests.bench.peers.one_way import slower, tasks
from tests.bench.peers.scenario import Scenario

if TYPE_CHECKING:
    from collections.abc import Iterator

SUBJECT = "channel"


def scenarios() -> Iterator[Scenario]:
    yield Scenario(
        name="between-servers-durable",
        what="between two servers, durable, 1 KB, 1 producer, 1 consumer",
        peers=("shovel", "mirror", "mirror-synced"),
        tasks=tasks,
        rate=slower,
        durable=True,
        targets={"shovel": at_least(3), "mirror": at_least(0.5), "mirror-synced": at_least(2)},
        subject=SUBJECT,
    )
    yield Scenario(
        name="between-servers-fast",
        what="between two servers, nothing survives, 1 KB, 1 producer, 1 consumer",
        peers=("leaf",),
        tasks=tasks,
        rate=slower,
        targets={"leaf": at_least(0.3)},
        subject=SUBJECT,
    )
