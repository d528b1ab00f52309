"""What a worker process is told to do, as the one line it reads first."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import penstock
from penstock.flow.loading import compiled_flow

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.compiled import CompiledFlow

STARTING, RUNNING, ENDED, FAILED = STATES = ("starting", "running", "ended", "failed")  # of a worker


@dataclass(frozen=True)
class Job:
    """One flow to run: where it is, on which queue manager, with which properties, by how many threads."""

    project: str
    flow: str
    qmgr: str
    properties: dict[str, str] = field(default_factory=dict)
    threads: int = 1
    until_empty: bool = False
    counters: bool = False
    broker: str = ""
    group: str = "default"
    user: str = ""
    password: str | None = field(default=None, repr=False)

    def as_line(self) -> bytes:
        """Return the job as a line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Job:
        """Read a job."""
        return cls(**json.loads(line))

    def compiled(self) -> CompiledFlow:
        """Return the flow, with its properties set and checked."""
        return compiled_flow(self.project, self.flow, self.properties)

    def connector(self) -> Callable[[], Any]:
        """Return what connects to the queue manager, with a socket of its own each time."""
        application = f"{self.broker or 'penstock'}.{self.group}.{self.flow}"
        return partial(
            penstock.connect,
            self.qmgr,
            user=self.user or None,
            password=self.password,
            application=application,
            share=False,
        )

    def names(self) -> dict[str, str]:
        """Return the names that ESQL sees."""
        return {"broker_name": self.broker, "group_name": self.group}
