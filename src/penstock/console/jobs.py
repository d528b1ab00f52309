"""Long acts: they run in threads of the web process, at a rate, and a page shows how far they are.

Closing the page stops nothing. Each item is a unit of work of its own, so whatever ends the process leaves
every message on exactly one queue. Ended jobs are kept for a while.
"""

from __future__ import annotations

import logging
import secrets
import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from penstock.console.people import BROKEN
from penstock.model import constants as mq
from penstock.model.errors import MQError, error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

logger = logging.getLogger(__name__)
RUNNING_MAX = 8
KEPT_MAX = 100
FAILURES_SHOWN_MAX = 20


@dataclass
class Job:
    """One long act."""

    what: str
    user: str
    total: int
    back: str  # the page it began at
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    started: float = field(default_factory=time.time)
    done: int = 0
    gone: int = 0
    failed: int = 0
    failures: list[str] = field(default_factory=list)
    state: str = "running"
    ended: float = 0.0
    stop: threading.Event = field(default_factory=threading.Event)

    def count(self, outcome: bool | str) -> None:
        """Note what became of an item: True, False for one that was gone, or why it failed."""
        if outcome is True:
            self.done += 1
        elif outcome is False:
            self.gone += 1
        else:
            self.failed += 1
            if len(self.failures) < FAILURES_SHOWN_MAX:
                self.failures.append(str(outcome))


class Jobs:
    """The jobs of a web process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[str, Job] = {}

    def find(self, name: str) -> Job | None:
        """Return a job."""
        return self._jobs.get(name)

    def of(self, user: str) -> list[Job]:
        """Return the jobs of a person, the newest first."""
        return [each for each in reversed(list(self._jobs.values())) if each.user == user]

    def begin(
        self,
        job: Job,
        items: Sequence[Any],
        act: Callable[[Any], bool],
        rate: float,
        ended: Callable[[Job], None],
    ) -> Job:
        """Start a job: `act` for each item, at most `rate` per second (0 for no limit)."""
        with self._lock:
            if sum(each.state == "running" for each in self._jobs.values()) >= RUNNING_MAX:
                raise error(mq.MQRC_RESOURCE_PROBLEM, f"{RUNNING_MAX} jobs run already; wait for one to end")
            for name in [name for name, each in self._jobs.items() if each.state != "running"]:
                if len(self._jobs) >= KEPT_MAX:
                    del self._jobs[name]
            self._jobs[job.id] = job
        arguments = (job, items, act, rate, ended)
        threading.Thread(target=_run, args=arguments, name="penstock-job", daemon=True).start()
        return job

    def stop(self) -> None:
        """Have all jobs stop after the item they are at."""
        for each in list(self._jobs.values()):
            each.stop.set()


def _run(
    job: Job,
    items: Sequence[Any],
    act: Callable[[Any], bool],
    rate: float,
    ended: Callable[[Job], None],
) -> None:
    begun = time.monotonic()
    for number, item in enumerate(items):
        if rate and job.stop.wait(max(0.0, begun + number / rate - time.monotonic())):
            break
        if job.stop.is_set():
            break
        try:
            job.count(act(item))
        except MQError as failure:
            job.count(str(failure))
            if failure.reason in BROKEN:
                break  # nothing can be done to the others either: they stay where they are
        except Exception as failure:
            logger.exception("job_failed what=%s", job.what)
            job.count(f"{type(failure).__name__}: {failure}")
            break
    job.ended = time.time()
    job.state = "stopped" if job.done + job.gone + job.failed < job.total else "ended"
    ended(job)
