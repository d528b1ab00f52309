"""The job of a worker process: the first line that it reads."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

import penstock
from penstock.flow.loading import compiled_flow
from penstock.flow.running.counters import SAMPLED, Counters
from penstock.flow.running.inline import InlineRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.graph.compiled import CompiledFlow

STATES = ("starting", "running", "paused", "ended", "failed")  # of a worker
STARTING, RUNNING, PAUSED, ENDED, FAILED = STATES


def standing(run: InlineRun) -> dict[str, Any]:
    """Return the state of running instances, what they wait for, and the queues they put to."""
    if not run.ready:
        return {"state": STARTING}
    facts, waits_for = {"state": RUNNING, "puts_to": run.puts_to}, run.waits_for()
    return facts | {"state": PAUSED, "error": waits_for} if waits_for else facts


def counted(counters: Counters) -> dict[str, Any]:
    """Return what nodes and wires have done, for a report."""
    return {"nodes": counters.as_json(), "wires": counters.wires()}


@dataclass(frozen=True)
class Job:
    """One flow to run: its folder, queue manager, properties and number of threads."""

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
    failures: str = ""  # the folder where the last failures of flows are kept
    log_json: bool = False
    log_data: bool = False
    beside: list[Job] = field(default_factory=list)  # flows that run in the same process

    @property
    def all(self) -> list[Job]:
        """The job and the others in the same process."""
        return [self, *self.beside]

    @property
    def version(self) -> int:
        """The version of the project in the broker: the name of its folder."""
        return int(PurePath(self.project).name)

    @property
    def project_name(self) -> str:
        """The name of the project in the broker."""
        return PurePath(self.project).parent.name

    def as_line(self) -> bytes:
        """Return the job as a line of JSON."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @classmethod
    def from_line(cls, line: bytes) -> Job:
        """Read a job."""
        facts = json.loads(line)
        return cls(**{**facts, "beside": [cls(**each) for each in facts["beside"]]})

    def compiled(self) -> CompiledFlow:
        """Return the flow, with its properties set and checked."""
        return compiled_flow(self.project, self.flow, self.properties)

    def inline_run(self, **options: Any) -> InlineRun:
        """Return the instances of the flow in this process, not yet started."""
        return InlineRun(
            self.compiled(),
            self.connector(),
            instances=self.threads,
            until_empty=self.until_empty,
            **self.names(),
            **options,
        )

    def counting(self) -> Counters:
        """Return what counts nodes and wires; in a broker it follows messages when somebody asks for it."""
        every = 1 if self.counters else SAMPLED
        if not self.failures:
            return Counters(every)
        from penstock.flow.broker.following import Following

        return Following(Path(self.failures).parent, self.group, self.flow, every)

    def connector(self) -> Callable[[], Any]:
        """Return a function that connects to the queue manager, with a new socket each time."""
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
