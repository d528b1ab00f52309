"""Several flows in one process: the flows of a group that take or answer HTTP requests, since they share
ports.

Each flow is supervised separately: one that fails is started again after a growing pause, the others
continue. When the process is asked to stop, it completes open units of work first.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.job import FAILED, RUNNING, counted, standing
from penstock.flow.running.counters import Counters
from penstock.flow.running.reporting import named, report
from penstock.model.errors import MQError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from penstock.flow.broker.job import Job
    from penstock.flow.running.inline import InlineRun

logger = logging.getLogger(__name__)
TICK_SECONDS, REPORT_SECONDS = 0.1, 0.25
PAUSE_SECONDS = (0.2, 30.0)  # before a flow that failed is started again: at first, at most
SOUND_SECONDS = 10.0  # a flow that ran this long did not fail early


def run_together(jobs: list[Job], stop: threading.Event, say: Callable[[dict[str, Any]], None]) -> None:
    """Run flows until stopped, and report the state of each."""
    parts, told = [Part(job) for job in jobs], 0.0
    while not stop.wait(TICK_SECONDS):
        for part in parts:
            part.step()
        if time.monotonic() - told >= REPORT_SECONDS:
            told = time.monotonic()
            say({"state": RUNNING, "parts": [part.facts() for part in parts]})
    for part in parts:
        part.stop()
    for part in parts:
        part.end()


class Part:
    """One of the flows."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.restarts = 0
        self._early = 0  # failures in a row, soon after the start
        self.error = ""
        self._run: InlineRun | None = None
        self._counters = Counters()
        self._pause = PAUSE_SECONDS[0]
        self._next_start = self._since = 0.0

    def step(self) -> None:
        """Start it when it is time, and detect failure."""
        try:
            if self._run is None:
                if time.monotonic() >= self._next_start:
                    self._since = time.monotonic()
                    self._counters = self.job.counting()
                    self._run = self.job.inline_run(counters=self._counters)
                    self._run.start()
            else:
                self._run.join_for(0.0)
                self._counters.look()
        except (MQError, OSError) as failure:
            self._failed(failure, str(failure))
        except Exception as failure:  # an edge: errors of a project's code must not end the other flows
            logger.exception("flow_failed flow=%s", self.job.flow)
            self._failed(failure, f"{type(failure).__name__}: {failure}")

    def _failed(self, failure: Exception, error: str) -> None:
        report(logging.WARNING, "flow_ended", error, flow=self.job.flow, **named(failure))
        self._run, self.error = None, error
        self.restarts += 1
        self._early += 1
        if time.monotonic() - self._since > SOUND_SECONDS:
            self._pause, self._early = PAUSE_SECONDS[0], 0
        self._next_start = time.monotonic() + self._pause
        self._pause = min(2 * self._pause, PAUSE_SECONDS[1])

    def stop(self) -> None:
        """Ask it to stop after its open units of work."""
        if self._run is not None:
            self._run.stop()

    def end(self) -> None:
        """Wait for its end; the parent process kills this one if that takes too long."""
        try:
            while self._run is not None and not self._run.join_for(TICK_SECONDS):
                pass
        except Exception:  # as in `step`: the other flows must still be waited for
            logger.warning("flow_ended flow=%s", self.job.flow, exc_info=True)

    def facts(self) -> dict[str, Any]:
        """Return its state, as a worker with one flow reports it."""
        facts: dict[str, Any] = {
            "state": FAILED,
            "restarts": self.restarts,
            "early": self._early,
            "error": self.error,
        }
        if self._run is not None:
            facts |= {"error": "", **standing(self._run), **self._run.figures(), **counted(self._counters)}
        return facts
