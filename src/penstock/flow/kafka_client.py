"""The Kafka client library, imported at first use, and its settings by the properties of a node.

Flows in one process share a producer for each set of settings. Everything that the library raises is 8342.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from penstock.flow.failing import UNREACHABLE
from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.model.errors import MQError

CONNECT_SECONDS = 15.0


def library() -> Any:
    """Return the module of the client; 8342 if it is not installed."""
    try:
        import confluent_kafka
    except ImportError as raised:
        raise error(mq.PSRC_FLOW_KAFKA, "confluent-kafka is not installed") from raised
    return confluent_kafka


@contextmanager
def translated(what: str) -> Iterator[None]:
    """Turn errors of the library into 8342."""
    try:
        yield
    except library().KafkaException as raised:
        raise problem(what, raised.args[0] if raised.args else raised) from raised
    except BufferError as raised:
        raise error(mq.PSRC_FLOW_KAFKA, f"{what}: too many messages wait for the cluster") from raised


def problem(what: str, cause: Any) -> MQError:
    """Return the error for a cause that the library gives."""
    gone = getattr(cause, "code", int)() in (-195, -192, -185)  # transport, timed out: nothing to do with us
    return error(mq.PSRC_FLOW_KAFKA, f"{what}: {cause}", **{UNREACHABLE: False, "not_reached": gone})


class Producers:
    """The producers of a process, by their settings."""

    def __init__(self) -> None:
        self._made: dict[tuple[tuple[str, Any], ...], Any] = {}
        self._lock = threading.Lock()

    def get(self, settings: dict[str, Any]) -> Any:
        """Return the producer with some settings."""
        key = tuple(sorted(settings.items()))
        with self._lock, translated("a producer"):
            if key not in self._made:
                self._made[key] = library().Producer({"log_level": 0, **settings})
            return self._made[key]


@cache
def producers() -> Producers:
    """Return the producers of this process."""
    return Producers()


def consumer(settings: dict[str, Any]) -> Any:
    """Return a new consumer."""
    with translated("a consumer"):
        return library().Consumer({"log_level": 0, "enable.auto.commit": False, **settings})
