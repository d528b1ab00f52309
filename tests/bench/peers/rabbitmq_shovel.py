"""Two RabbitMQ nodes and a shovel, which has the far node's confirm before the near one forgets.

At least once: a shovel that loses its line sends again what was not confirmed. Its queue has the same name
in all runs, because a shovel of the configuration file is there from the start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.bench.peers.linked import LinkedPeer
from tests.bench.peers.peer import Work
from tests.bench.peers.rabbitmq import RabbitMQ

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.lab.load.crew import Role

QUEUE = "shovelled"
PREFETCH = 1000  # the shovel's own default
SHOVEL = """[{{rabbitmq_shovel, [{{shovels, [{{bench, [
  {{source, [{{protocol, amqp091}}, {{uris, ["{near}"]}},
    {{declarations, [{{'queue.declare', [{{queue, <<"{queue}">>}}, durable]}}]}},
    {{queue, <<"{queue}">>}}, {{prefetch_count, {prefetch}}}]}},
  {{destination, [{{protocol, amqp091}}, {{uris, ["{far}"]}},
    {{declarations, [{{'queue.declare', [{{queue, <<"{queue}">>}}, durable]}}]}},
    {{publish_properties, [{{delivery_mode, 2}}]}},
    {{publish_fields, [{{exchange, <<"">>}}, {{routing_key, <<"{queue}">>}}]}}]}},
  {{ack_mode, on_confirm}}, {{reconnect_delay, 1}}]}}]}}]}}].
"""


class RabbitMQShovel(LinkedPeer):
    """The shovel runs in the far node and gets from the near one."""

    key = "shovel"
    name = "RabbitMQ shovel"
    client = "pika"
    durability = "synced before the confirm; at least once"

    def __init__(self) -> None:
        super().__init__()
        self.near: RabbitMQ = RabbitMQ()
        self.far: RabbitMQ = RabbitMQ()

    def start(self, folder: Path) -> None:
        for name in ("near", "far"):
            (folder / name).mkdir()
        self.near.start(folder / "near")
        # the far node is named in its own configuration: the shovel reaches it as "amqp://"
        self.far.plugins = "rabbitmq_shovel"
        self.far.advanced = SHOVEL.format(
            near=self.near.address, far="amqp://", queue=QUEUE, prefetch=PREFETCH
        )
        self.far.start(folder / "far")

    def prepare(self, work: Work) -> None:
        """Both queues are there; what an earlier run has left is dropped."""
        self.near.purge(QUEUE)
        self.far.purge(QUEUE)

    def clean(self, work: Work) -> None:
        self.prepare(work)

    def producer(self, role: Role, work: Work) -> None:
        super().producer(role, Work(QUEUE, work.body, work.durable))

    def consumer(self, role: Role, work: Work) -> None:
        super().consumer(role, Work(QUEUE, work.body, work.durable))
