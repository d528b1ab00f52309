"""The facts of a Kafka message besides its value: LocalEnvironment.Kafka.Input."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.tree import Path

if TYPE_CHECKING:
    from penstock.tree import Message

_INPUT = Path("Kafka", "Input")


def about(local: Message, record: Any) -> Message:
    """Write topic, partition, offset, key and headers of a record to LocalEnvironment, and return it."""
    local.delete(_INPUT)
    folder = local.create(_INPUT)
    key = record.key()
    facts = {
        "topicName": record.topic(),
        "partition": record.partition(),
        "offset": record.offset(),
        "key": None if key is None else key.decode("utf-8", "replace"),
        "timestamp": record.timestamp()[1],
    }
    for name, value in facts.items():
        if value is not None:
            folder.add_last_child(name, value)
    for name, value in record.headers() or ():
        if value is not None:
            folder.create(Path("headers")).add_last_child(name, value.decode("utf-8", "replace"))
    return local
