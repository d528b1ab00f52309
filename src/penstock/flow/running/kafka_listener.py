"""Drives a KafkaConsumer: each message of the topic in its own unit of work, then the position is committed.

A message that fails stays the next one: the position does not move before it is done with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.kafka_client import consumer, problem, translated
from penstock.flow.running.kafka_records import about
from penstock.flow.running.node_listener import NodeListener
from penstock.model.errors import MessageFailed, MQError
from penstock.tree import Message

if TYPE_CHECKING:
    import threading

    from penstock.flow.nodes.kafka_consumer import KafkaConsumer
    from penstock.flow.project import Project

WAIT_SECONDS = 0.5  # how long a poll waits before it looks whether to stop
EMPTY_SECONDS = 10.0  # how long a run until the end waits for a message: joining a group takes seconds
AGAIN_SECONDS = (0.1, 5.0)  # before a message that failed is tried again: at first, at most


class KafkaListener(NodeListener):
    """One member of a consumer group. Used by one thread."""

    node: KafkaConsumer

    def prepare(self, project: Project) -> None:
        self.model = self.node.model_in(project)
        self.consumer = consumer(self.node.settings)
        with translated(f"topic {self.node.topic}"):
            self.consumer.subscribe([self.node.topic])

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until no message has come for some seconds."""
        self.runner.stop = None if until_empty else stop
        try:
            while not stop.is_set():
                record = self.consumer.poll(EMPTY_SECONDS if until_empty else WAIT_SECONDS)
                if record is not None and record.error() is not None:
                    raise problem(f"topic {self.node.topic}", record.error())
                if record is not None and self._one(record, stop):
                    with translated(f"topic {self.node.topic}"):
                        self.consumer.commit(record, asynchronous=False)
                elif record is None and until_empty:
                    return
        finally:
            self.consumer.close()

    def _one(self, record: Any, stop: threading.Event) -> bool:
        """Run the flow on a message until it is done with; False if it was stopped before."""
        failed, pause = 0, AGAIN_SECONDS[0]
        last: MessageFailed | None = None
        while not stop.is_set():
            try:
                message = self._message(record, self.node.domain)
            except MQError as raised:
                last = self.runner.fail(self._message(record, "BLOB"), raised)
            else:
                last = self.runner.run(message, about(Message(), record), last=last)
            if last is None:
                return True
            failed += 1
            if failed > self.node.retries and self.runner.fail(self._message(record, "BLOB"), last) is None:
                return True
            stop.wait(pause)
            pause = min(2 * pause, AGAIN_SECONDS[1])
        return False

    def _message(self, record: Any, domain: str) -> Message:
        return self.node.arrived(
            record.value() or b"", self.model, domain, put_time=record.timestamp()[1] / 1000
        )
