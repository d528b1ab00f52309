"""One kind of work that is compared: which roles run, what of them is counted, and Penstock's target.

Each scenario module yields some of these, by number of clients. `comparison` runs them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.lab.analysis.results import Target
    from penstock.lab.load.crew import Observation, Task
    from tests.bench.peers.peer import Peer, Work

KILOBYTE = 1024


@dataclass(frozen=True)
class Scenario:
    """A row of the comparison for each peer."""

    name: str  # how the command line calls it
    what: str
    peers: tuple[str, ...]
    tasks: Callable[[Peer, Work], list[Task]]
    rate: Callable[[Observation], float]
    durable: bool = False
    targets: Mapping[str, Target] = field(default_factory=dict)
    body_bytes: int = KILOBYTE
    subject: str = "penstock"  # the key of what the others are compared with


def number(count: int, noun: str) -> str:
    """Write a count with its noun.

    >>> number(1, "producer"), number(16, "producer")
    ('1 producer', '16 producers')
    """
    return f"{count} {noun}" + ("s" if count > 1 else "")
