"""What resource topics tell: classes, their types, the elements of each, and where a value comes from.

`read` of an element gets the host and, for those about single queues, the queue.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.qmgr.monitoring.counting import counts_of

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(frozen=True)
class Element:
    """One figure."""

    about: str
    datatype: int
    read: Callable[[Any, Any], int]

    @property
    def is_delta(self) -> bool:
        """Whether what it grew by is published."""
        return self.datatype == mq.MQIAMO_MONITOR_DELTA


@dataclass(frozen=True)
class Type:
    """Figures that are published together."""

    name: str
    about: str
    elements: tuple[Element, ...]


@dataclass(frozen=True)
class Class:
    """Types of one subject; `has_objects` for those about single queues."""

    name: str
    about: str
    types: tuple[Type, ...]
    has_objects: bool = False


def grown(about: str, read: Callable[[Any, Any], float]) -> Element:
    """Return an element that counts."""
    return Element(about, mq.MQIAMO_MONITOR_DELTA, lambda host, queue: int(read(host, queue)))


def now(about: str, read: Callable[[Any, Any], float], datatype: int = mq.MQIAMO_MONITOR_UNIT) -> Element:
    """Return an element that is as it is now."""
    return Element(about, datatype, lambda host, queue: int(read(host, queue)))


def _sum(field: str) -> Callable[[Any, Any], float]:
    return lambda host, _: sum(getattr(queue, field) for queue in host.engine.queues.values())


def _of(field: str) -> Callable[[Any, Any], float]:
    return lambda _, queue: float(getattr(counts_of(queue), field))


def _calls(field: str) -> Callable[[Any, Any], float]:
    def read(host: Any, _: Any) -> float:
        value = getattr(host.engine.calls, field)
        return float(value if isinstance(value, int) else sum(value.values()))

    return read


def _traffic(made: Callable[[str], Callable[[Any, Any], float]], verb: str) -> tuple[Element, ...]:
    """Return the elements of puts or gets; MQ splits them by persistence."""
    one, bytes_ = f"{verb}s", f"{verb}_bytes"

    def rest(all_: str, part: str) -> Callable[[Any, Any], float]:
        return lambda host, queue: made(all_)(host, queue) - made(part)(host, queue)

    return (
        grown(f"non-persistent {one}", rest(one, f"persistent_{one}")),
        grown(f"persistent {one}", made(f"persistent_{one}")),
        grown(f"bytes of non-persistent {one}", rest(bytes_, f"persistent_{bytes_}")),
        grown(f"bytes of persistent {one}", made(f"persistent_{bytes_}")),
        grown(f"failed {one}", made(f"{one}_failed")),
    )


def _types(made: Callable[[str], Callable[[Any, Any], float]]) -> tuple[Type, ...]:
    browses = (
        grown("browses", made("browses")),
        grown("bytes browsed", made("browse_bytes")),
        grown("gets that found nothing", made("gets_empty")),
    )
    return (
        Type("PUT", "messages that were put", _traffic(made, "put")),
        Type("GET", "messages that were got", (*_traffic(made, "get"), *browses)),
    )


CLASSES = (
    Class(
        "CPU",
        "platform central processing units",
        (
            Type(
                "QMgrSummary",
                "the queue manager's use of processors",
                (grown("processor time, microseconds", lambda *_: 1e6 * time.process_time()),),
            ),
        ),
    ),
    Class(
        "DISK",
        "platform persistent data stores",
        (
            Type(
                "Log",
                "the recovery log",
                (
                    now("bytes in use", lambda host, _: host.journal.used),
                    now("bytes there is room for", lambda host, _: host.journal.capacity),
                    grown("bytes written", lambda host, _: host.journal.statistics().bytes_written),
                    grown("syncs", lambda host, _: host.journal.statistics().syncs),
                ),
            ),
        ),
    ),
    Class(
        "STATMQI",
        "API usage statistics",
        (
            Type(
                "CONNDISC",
                "connects and disconnects",
                (
                    grown("connects", _calls("connects")),
                    grown("failed connects", _calls("connects_failed")),
                    now("connections", lambda host, _: len(host.engine.connected)),
                    grown("disconnects", _calls("disconnects")),
                ),
            ),
            Type(
                "OPENCLOSE",
                "opens and closes",
                (
                    grown("opens", _calls("opens")),
                    grown("failed opens", _calls("opens_failed")),
                    grown("closes", _calls("closes")),
                ),
            ),
            *_types(_sum),
            Type(
                "SYNCPOINT",
                "commits and backouts",
                (
                    grown("commits", lambda host, _: host.engine.commits),
                    grown("backouts", lambda host, _: host.engine.backouts),
                ),
            ),
            Type(
                "PUBLISH",
                "publications",
                (
                    grown("publications", lambda host, _: host.engine.pubsub.publisher.published),
                    grown("messages for subscribers", lambda host, _: host.engine.pubsub.publisher.delivered),
                ),
            ),
        ),
    ),
    Class(
        "STATQ",
        "API queue usage statistics",
        (
            *_types(_of),
            Type(
                "GENERAL",
                "the queue as it is",
                (
                    now("messages on the queue", lambda _, queue: queue.depth),
                    grown(
                        "time on the queue of got messages, microseconds",
                        lambda _, queue: 1e6 * queue.wait_seconds,
                    ),
                    grown("expired messages", _of("expired")),
                    grown("purged messages", _of("purged")),
                    now("handles for input", lambda _, queue: queue.inputs),
                    now("handles for output", lambda _, queue: queue.outputs),
                ),
            ),
        ),
        has_objects=True,
    ),
)
