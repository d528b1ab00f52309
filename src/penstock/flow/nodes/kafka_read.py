"""KafkaRead: reads one message of a Kafka topic in the middle of a flow, by partition and offset."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.kafka_client import consumer, library, problem, translated
from penstock.flow.kinds import Kind
from penstock.flow.node import FAILURE, KW_ONLY, OUT
from penstock.flow.nodes.body_properties import BodyProperties
from penstock.flow.nodes.kafka_properties import KafkaNode
from penstock.flow.running.kafka_records import about
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.tree import MISSING, Path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.flow.assembly import Assembly
    from penstock.flow.graph.node_context import NodeContext
    from penstock.flow.node import Process

NO_MESSAGE = "noMessage"
_READ = Path("Destination", "Kafka", "Read")


class KafkaRead(BodyProperties, KafkaNode):
    """Reads: `KafkaRead("orders", servers="host:9092", partition=0, offset=17, timeout=5)`.

    LocalEnvironment.Destination.Kafka.Read (topicName, partition, offset) takes precedence. If there is no
    such message in time, the one that came goes to `noMessage`.
    """

    outputs = (OUT, NO_MESSAGE, FAILURE)
    kind = Kind.EFFECT

    topic: str
    _: KW_ONLY
    partition: int = 0
    offset: int = 0
    timeout: float = 10.0

    def check(self) -> Iterable[str]:
        yield from super().check()
        if self.partition < 0 or self.offset < 0:
            yield "partition and offset cannot be negative"

    def start(self, at: NodeContext) -> Process:
        model = self.model_in(at.instance.project)
        made: list[Any] = []

        def process(assembly: Assembly) -> None:
            if not made:
                made.append(consumer({"group.id": "penstock-read", **self.settings}))
            found = self._read(made[0], assembly)
            if found is None:
                at.send(NO_MESSAGE, assembly)
                return
            message = self.arrived(found.value() or b"", model, put_time=assembly.ports.clock())
            at.send(OUT, assembly.sending(message, about(assembly.copied_local_environment(), found)))

        return process

    def _read(self, reader: Any, assembly: Assembly) -> Any:
        folder = assembly.local_environment.reference(_READ)
        given = {name: _said(folder, name) for name in ("topicName", "partition", "offset")}
        try:
            place = library().TopicPartition(
                str(given["topicName"] or self.topic),
                int(self.partition if given["partition"] is None else given["partition"]),
                int(self.offset if given["offset"] is None else given["offset"]),
            )
        except (TypeError, ValueError) as raised:
            raise error(mq.PSRC_FLOW_KAFKA, f"Destination.Kafka.Read: {raised}") from raised
        with translated(f"topic {place.topic}"):
            reader.assign([place])
            found = reader.poll(self.timeout)
        if found is not None and found.error() is not None:
            raise problem(f"topic {place.topic}", found.error())
        return found


def _said(folder: Any, name: str) -> Any:
    value = MISSING if folder is None else folder.get(Path(name))
    return None if value is MISSING else value
