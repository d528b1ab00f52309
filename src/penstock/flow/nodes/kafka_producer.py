"""KafkaProducer: sends the message to a Kafka topic and waits until the cluster has it.

A message that was sent cannot be taken back: one that is retried later is sent again. LocalEnvironment may
name another topic, a key and headers (Destination.Kafka.Output: topicName, key, ...).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.kafka_client import problem, producers, translated
from penstock.flow.new_messages import body_of
from penstock.flow.node import KW_ONLY, OUT
from penstock.flow.nodes.kafka_properties import KafkaNode
from penstock.flow.writing import noted
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext

ACKS = ("0", "1", "all")
_OUTPUT = Path("Destination", "Kafka", "Output")


class KafkaProducer(KafkaNode):
    """Sends: `KafkaProducer("orders", servers="host:9092")`; `acks` is how many brokers must have it."""

    topic: str
    _: KW_ONLY
    acks: str = "all"

    def check(self) -> Iterable[str]:
        yield from super().check()
        yield from self.wrong_choices(acks=ACKS)

    @property
    def settings(self) -> dict[str, Any]:
        return {"acks": self.acks, "message.timeout.ms": int(self.timeout * 1000), **super().settings}

    def process(self, assembly: Assembly, at: NodeContext) -> None:
        folder = assembly.local_environment.reference(_OUTPUT) if assembly.has_local_environment else None
        topic = str(_said(folder, "topicName") or self.topic)
        if not topic:
            raise error(mq.PSRC_FLOW_KAFKA, "neither the node nor LocalEnvironment names a topic")
        key = _said(folder, "key")
        sent = self.send(topic, body_of(assembly.message), str(key).encode() if key is not None else None)
        written = [{"topicName": topic, "partition": sent.partition(), "offset": sent.offset()}]
        at.send(OUT, assembly.sending(local_environment=noted(assembly, "Kafka", written)))

    def send(self, topic: str, data: bytes, key: bytes | None) -> Any:
        """Send bytes to a topic; return where they are once the cluster has them."""
        producer = producers().get(self.settings)
        answers: list[tuple[Any, Any]] = []
        with translated(f"topic {topic}"):
            producer.produce(
                topic, data, key=key, on_delivery=lambda wrong, sent: answers.append((wrong, sent))
            )
            producer.flush(self.timeout + 1)
        if not answers:
            raise error(
                mq.PSRC_FLOW_KAFKA, f"topic {topic}: {self.servers} did not answer in {self.timeout:g} s"
            )
        wrong, sent = answers[0]
        if wrong is not None:
            raise problem(f"topic {topic}", wrong)
        return sent


def _said(folder: Any, name: str) -> Any:
    value = MISSING if folder is None else folder.get(Path(name))
    return None if value is MISSING else value
