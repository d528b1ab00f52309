"""Groups of the map: above so many nodes, queues and programs of one queue manager are one if named alike.

First by the text before the first dot or digit; if that leaves too many, all queues and all programs of a
queue manager. Queue managers and partners stay themselves, and so do the members of the group that is open.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from penstock.flow.drawing.layout import Line

if TYPE_CHECKING:
    from collections.abc import Callable

GROUPED_ABOVE = 60
AT, PROGRAM_AT = " @ ", " at "  # in the names of queues and of programs
STEM = re.compile(r"[^.\d]*")


@dataclass
class Network:
    """What a map shows: nodes with the text below their names, and lines."""

    types: dict[str, str] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    waiting: dict[str, int] = field(default_factory=dict)  # messages, of nodes that are queues
    groups: dict[str, list[str]] = field(default_factory=dict)  # the members of nodes that are groups


def grouped(network: Network, opened: str) -> Network:
    """Return a network with at most so many nodes where groups can help; one group may be open."""
    for name_of in (by_stem, by_queue_manager):
        if len(network.types) <= GROUPED_ABOVE:
            break
        made = _with_groups(network, name_of, opened)
        if len(made.types) <= GROUPED_ABOVE or name_of is by_queue_manager:
            return made
    return network


def by_stem(label: str) -> str:
    """Return the group of names that begin alike; empty for a queue manager."""
    between = AT if AT in label else PROGRAM_AT
    name, at, qmgr = label.rpartition(between)
    stem = STEM.match(name)
    return f"{stem.group() if stem else ''}*{between}{qmgr}" if at else ""


def by_queue_manager(label: str) -> str:
    """Return the group of all queues, or of all programs, of a queue manager."""
    between = AT if AT in label else PROGRAM_AT
    return f"*{between}{label.rpartition(between)[2]}" if between in label else ""


def _with_groups(network: Network, name_of: Callable[[str], str], opened: str) -> Network:
    members: dict[str, list[str]] = defaultdict(list)
    for label in network.types:
        is_open = by_stem(label) == opened
        members[label if is_open else name_of(label) or label].append(label)
    groups = {name: own for name, own in members.items() if len(own) > 1 and name != opened}
    group_of = {label: name for name, own in groups.items() for label in own}
    made = Network(groups=groups)
    for label, type_ in network.types.items():
        name = group_of.get(label)
        if name is None:
            made.types[label] = type_
            continue
        own = groups[name]
        what = "queues" if AT in name else "programs"
        waits = sum(network.waiting.get(each, 0) for each in own)
        made.types[name] = f"{len(own)} {what} · {waits:,} messages" if AT in name else f"{len(own)} {what}"
    ends = [
        (line, group_of.get(line.source, line.source), group_of.get(line.target, line.target))
        for line in network.lines
    ]
    made.lines = list(
        dict.fromkeys(
            line
            if (source, target) == (line.source, line.target)
            else Line(source, "out" if source in groups else line.output, target, "in")
            for line, source, target in ends
            if source != target
        )
    )
    return made
