"""Figures of a group: how many messages and bytes its queues and structures hold, and what pipes have done.

Counted by the facility; asked once a second by `members.Watch` and by displays. No history.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

COUNTS = """
select q.id, q.name, q.structure, coalesce(m.messages, 0), coalesce(m.bytes, 0), coalesce(m.away, 0),
  coalesce(o.inputs, 0), coalesce(o.outputs, 0)
from queue q left join (
  select queue, count(*) as messages, sum(size) as bytes, sum(away) as away from (
    select queue, length(head) + length(body) as size, (place > 0)::int as away from p
    union all select queue, length(head) + length(body), (place > 0)::int from n) x group by queue) m
  on m.queue = q.id
left join (select queue, sum(inputs) as inputs, sum(outputs) as outputs from opened where member <> %s
  group by queue) o on o.queue = q.id
"""


@dataclass(slots=True)
class QueueFigures:
    """What a shared queue holds in the whole group."""

    name: str
    structure: str
    messages: int
    bytes: int
    offloaded: int
    inputs: int  # of the other members
    outputs: int


@dataclass(slots=True)
class StructureFigures:
    """What the queues of a structure hold together."""

    messages: int = 0
    bytes: int = 0
    offloaded: int = 0


@dataclass(slots=True)
class PipeFigures:
    """What the pipes of a member have done since it started."""

    rounds: int = 0
    units: int = 0
    seconds: float = 0.0


def queue_figures(connection: Any, member: int) -> dict[int, QueueFigures]:
    """Count messages and bytes of every shared queue."""
    return {
        row[0]: QueueFigures(row[1], row[2], int(row[3]), int(row[4]), int(row[5]), int(row[6]), int(row[7]))
        for row in connection.execute(COUNTS, (member,)).fetchall()
    }
