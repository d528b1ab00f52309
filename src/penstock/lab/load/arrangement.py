"""An arrangement: the definitions and roles of one step of a test, and the role that is measured.

Works make it (`lab/load/works.py` and its neighbours), a window plays it. No I/O here.
"""

from __future__ import annotations

import os
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.lab.load.roles import Spec

if TYPE_CHECKING:
    from penstock.lab.load.system_under_test import Subject

DEPTH_MAX = 999_999_999
PROCESSES = 4  # of rated applications, which are threads
THREADS_A_PROCESS = 500


class Awaited(NamedTuple):
    """What a queue manager has to know before the roles begin: a command that shows it, in how many rows."""

    at: str
    command: str
    rows: int = 1


@dataclass
class Arrangement:
    """What a step needs: definitions, roles, and whose operations are the figure."""

    measured: str
    unit: str
    definitions: list[str] = field(default_factory=list)
    specs: list[Spec] = field(default_factory=list)
    offered: float = 0.0  # operations a second that rated applications mean to do
    kinds: int = 1  # of times: three for rated roles
    threads: bool = False  # all roles are threads of one process, with the queue manager in it
    messages: float = 1.0  # messages that one operation moves
    elsewhere: dict[str, list[str]] = field(
        default_factory=lambda: defaultdict(list)
    )  # at other queue managers
    awaited: list[Awaited] = field(default_factory=list)  # before the roles begin
    channel_ends: int = 0  # of message channels, at both queue managers
    inside: list[tuple[str, int, dict[str, Any]]] = field(default_factory=list)  # servers in a queue manager
    trace: str = ""  # what the queue manager records meanwhile: CHANNEL and a name, ALL, or ALL to a FILE

    def add_servers(self, at: Subject, about: dict[str, Any], count: int, via: str) -> None:
        """Add server applications: processes of their own, or threads of a queue manager that is trusted."""
        about = {**about, "way": at.way(via)}
        if via == "embedded" and at.is_served:
            self.inside.append((at.name, count, about))
        else:
            self.specs += [Spec("server", "serve", about)] * count


def queue(name: str, attributes: str = "") -> str:
    """Return the definition of a queue that is never full."""
    return f"DEFINE QLOCAL('{name}') MAXDEPTH({DEPTH_MAX}) {attributes}"


def shares(applications: int, rated: bool) -> list[int]:
    """Share rated applications out among processes; others have a process each."""
    if not rated:
        return [1] * applications
    processes = min(applications, max(PROCESSES, -(-applications // THREADS_A_PROCESS), os.cpu_count() or 1))
    return [applications // processes + (place < applications % processes) for place in range(processes)]


def rated(made: Arrangement, pace: dict[str, Any] | None, applications: int) -> None:
    """Note what rated applications mean to do."""
    made.kinds = 3 if pace else 1
    if pace:
        made.offered = applications * (pace["rate"] if "rate" in pace else 1 / pace["every_s"])
