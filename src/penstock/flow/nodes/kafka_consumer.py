"""KafkaConsumer: a flow that starts with the messages of a Kafka topic. `running.kafka_listener` drives it.

The position in the topic is committed after the flow's unit of work: after a crash the messages since the
last commit come again, and none is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.node import KW_ONLY, InputNode
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.flow.nodes.kafka_properties import KafkaNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.listener import Listener

OFFSETS = ("latest", "earliest")


class KafkaConsumer(BodyProperties, KafkaNode, InputNode):
    """Reads a topic: `KafkaConsumer("orders", servers="host:9092", group="shop", domain="JSON")`.

    `offset` is where a new group begins. A message that fails is tried again `retries` times, then goes to
    `failure`; without that terminal it is tried for ever.
    """

    topic: str
    _: KW_ONLY
    group: str = ""
    offset: str = "latest"
    retries: int = 0

    def check(self) -> Iterable[str]:
        yield from super().check()
        if not self.topic:
            yield "a KafkaConsumer needs the name of its topic"
        if not self.group:
            yield "a KafkaConsumer needs the id of its group"
        yield from self.wrong_choices(offset=OFFSETS)
        if self.retries < 0:
            yield "retries cannot be negative"

    @property
    def settings(self) -> dict[str, Any]:
        return {"group.id": self.group, "auto.offset.reset": self.offset, **super().settings}

    def listener(
        self, flow: CompiledFlow, label: str, connect: Callable[[], Any], **options: Any
    ) -> Listener:
        from penstock.flow.running.kafka_listener import KafkaListener

        return KafkaListener(self, flow, label, connect(), **options)
