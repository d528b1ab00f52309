"""Queue managers and the message channels between them, as a map: who sends to whom, and how much waits.

`facts_of` asks one queue manager with DISPLAY commands; `network` joins the answers of several. It opens no
queue manager and prints nothing: `penstock map` does both. A target is known by the running channel, by the
remote queues that use its transmission queue, or by the name of that queue; else its address stands for it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from penstock.model.status import QueueFigures

if TYPE_CHECKING:
    from collections.abc import Iterable

    from penstock.face.blocking import BlockingQueueManager

SENDING = frozenset({"SDR", "SVR", "CLUSSDR"})


class Member(msgspec.Struct, frozen=True):
    """A queue manager of the map."""

    name: str
    state: str  # Running, Stopped ..., or "not in this home"


class Edge(msgspec.Struct, frozen=True):
    """A channel that sends from one queue manager to another, and what waits for it."""

    source: str
    target: str
    channel: str
    type: str
    state: str
    transmission_queue: str
    waiting: int = 0
    oldest: float | None = None  # put time of the oldest message that waits, in seconds


class NetworkMap(msgspec.Struct, frozen=True):
    """All of it."""

    queue_managers: list[Member]
    channels: list[Edge]


def facts_of(qm: BlockingQueueManager) -> list[Edge]:
    """Return the channels by which a queue manager sends."""
    channels = [row for row in _rows(qm, "DISPLAY CHANNEL(*) ALL") if row["CHLTYPE"] in SENDING]
    if not channels:
        return []
    status = {row["CHANNEL"]: row for row in _rows(qm, "DISPLAY CHSTATUS(*) ALL")}
    remote = {row["XMITQ"]: row["RQMNAME"] for row in _rows(qm, "DISPLAY QREMOTE(*) ALL") if row["XMITQ"]}
    queues = {row.queue: row for row in qm.queues()}
    return [
        _edge(qm.name, row, status.get(row["CHANNEL"], {}), remote, queues)
        for row in channels
        if not row["CHANNEL"].startswith("SYSTEM.")
    ]


def network(states: dict[str, str], edges: Iterable[Edge]) -> NetworkMap:
    """Return the map of queue managers with these states and of those that they send to."""
    found = sorted(edges, key=lambda edge: (edge.source, edge.target, edge.channel))
    names = dict.fromkeys([*states, *(edge.target for edge in found)])
    return NetworkMap([Member(name, states.get(name, "not in this home")) for name in names], found)


def _edge(
    source: str,
    channel: dict[str, Any],
    status: dict[str, Any],
    remote: dict[str, str],
    queues: dict[str, QueueFigures],
) -> Edge:
    queue = str(channel.get("XMITQ", ""))
    target = status.get("RQMNAME") or remote.get(queue) or queue or channel["CONNAME"]
    figures = queues.get(queue) or QueueFigures(queue=queue)
    return Edge(
        source,
        str(target),
        channel["CHANNEL"],
        channel["CHLTYPE"],
        status.get("STATUS", "INACTIVE"),
        queue,
        figures.depth,
        figures.oldest,
    )


def _rows(qm: BlockingQueueManager, command: str) -> list[dict[str, Any]]:
    return [dict(each.attributes) for each in qm.mqsc(command) if each.attributes is not None]
