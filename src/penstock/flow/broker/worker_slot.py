"""A slot for one worker. The slot is kept filled, with a growing pause after each early death.

A slot knows which job it should run and which worker runs. The supervisor calls `step` repeatedly; it never
waits. Slots are not saved: deployments are in a file.
"""

from __future__ import annotations

import logging
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.job import FAILED, PAUSED, RUNNING, STARTING
from penstock.flow.broker.worker_process import WorkerProcess
from penstock.flow.running.reporting import report

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.broker.job import Job

logger = logging.getLogger(__name__)
FIRST_PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 0.2, 30.0
SOUND_SECONDS = 10.0  # a worker that ran this long did not die early
DOUBLINGS_MAX = 10  # of the pause: more would not make it longer
RATE_SECONDS = 10.0
LOOPING = 3  # early deaths in a row that are called a crash loop
STOP_SECONDS = 30.0  # for a worker to end its unit of work


class Rate:
    """Messages per second, over the last seconds."""

    def __init__(self) -> None:
        self._samples: deque[tuple[float, int]] = deque()

    def of(self, messages: int) -> float:
        """Record the number of messages, and return the recent rate per second."""
        now = time.monotonic()
        if self._samples and messages < self._samples[-1][1]:
            self._samples.clear()  # another process counts from 0
        self._samples.append((now, messages))
        while len(self._samples) > 2 and now - self._samples[1][0] >= RATE_SECONDS:
            self._samples.popleft()
        since, before = self._samples[0]
        return round((messages - before) / (now - since), 1) if now - since >= 1.0 else 0.0


class Slot:
    """A slot for one worker. `leaving` slots are emptied, the others kept filled."""

    def __init__(self, job: Job, number: int, log: Path) -> None:
        self.job = job
        self.number = number
        self.leaving = False
        self.restarts = 0
        self.last_error = ""
        self._log = log
        self._early = 0  # early deaths in a row
        self._next_start = 0.0
        self._kill_at = 0.0
        self._worker: WorkerProcess | None = None
        self._rates: dict[str, Rate] = {}

    @property
    def empty(self) -> bool:
        """Whether no process runs."""
        return self._worker is None

    @property
    def ready(self) -> bool:
        """Whether its worker gets messages."""
        return self._worker is not None and self._worker.told["state"] in (RUNNING, PAUSED)

    def step(self) -> None:
        """Start, clean up or kill the worker, whichever is due."""
        now = time.monotonic()
        if self._worker is not None and not self._worker.alive:
            self._bury(self._worker)
        if self._worker is None:
            if not self.leaving and now >= self._next_start:
                self._start()
        elif self.leaving and self._kill_at and now >= self._kill_at:
            self._worker.kill()

    def leave(self) -> None:
        """Stop the worker after its unit of work, and start no other."""
        if not self.leaving:
            self.leaving = True
            self._kill_at = time.monotonic() + STOP_SECONDS
            if self._worker is not None:
                self._worker.stop()

    def _bury(self, worker: WorkerProcess) -> None:
        worker.wait(0)
        self._worker = None
        if self.leaving:
            return
        self.restarts += 1
        self.last_error = worker.told.get("error") or f"ended with {worker.code}"
        report(
            logging.WARNING,
            "worker_ended",
            str(worker.told.get("error", "")),
            group=self.job.group,
            flow=self.job.flow,
            process=worker.pid,
            code=worker.code,
            reason=worker.told.get("reason"),
        )
        self._early = 0 if time.time() - worker.since > SOUND_SECONDS else self._early + 1
        self._pause()

    def _start(self) -> None:
        """Start a worker; an error of the system (memory, processes, files) counts as an early death."""
        try:
            self._worker = WorkerProcess(self.job, self._log)
            logger.info(
                "worker_started group=%s flow=%s version=%d process=%d",
                *(self.job.group, self.job.flow, self.job.version, self._worker.pid),
            )
        except OSError as failure:
            self.last_error = f"cannot be started: {failure}"
            self._early += 1
            self._pause()

    def _pause(self) -> None:
        doublings = min(max(0, self._early - 1), DOUBLINGS_MAX)
        pause = min(FIRST_PAUSE_SECONDS * 2**doublings, LONGEST_PAUSE_SECONDS)
        self._next_start = time.monotonic() + pause

    def facts(self) -> list[dict[str, Any]]:
        """Return what `penstock broker list` shows of it: one entry for each flow in the process."""
        told: dict[str, Any] = {} if self._worker is None else self._worker.told
        if not self.job.beside:
            return [self._facts(self.job, told)]
        parts = told.get("parts") or [{"state": STARTING}] * len(self.job.all)
        return [self._facts(job, part) for job, part in zip(self.job.all, parts, strict=True)]

    def _facts(self, job: Job, told: dict[str, Any]) -> dict[str, Any]:
        return {
            "group": job.group,
            "project": job.project_name,
            "version": job.version,
            "flow": job.flow,
            "instance": self.number,
            "threads": job.threads,
            "process": None if self._worker is None else self._worker.pid,
            "state": self._state(told),
            "messages": told.get("messages", 0),
            "rate": self._rates.setdefault(job.flow, Rate()).of(told.get("messages", 0)),
            "failed": told.get("failed", 0),
            "given_up": told.get("given_up", 0),
            "lost": told.get("lost", 0),
            "restarts": self.restarts + told.get("restarts", 0),
            "error": told.get("error") or ("" if self._is_sound(told) else self.last_error),
            "nodes": told.get("nodes", []),
            "wires": told.get("wires", {}),
            "puts_to": told.get("puts_to", []),
        }

    def _is_sound(self, told: dict[str, Any]) -> bool:
        """Whether its worker has run long enough for the error of the one before to be history."""
        worker = self._worker
        running = worker is not None and told.get("state") == RUNNING
        return running and worker is not None and time.time() - worker.since > SOUND_SECONDS

    def _state(self, told: dict[str, Any]) -> str:
        state = told.get("state")
        if self.leaving:
            return "stopping"
        if state not in (RUNNING, PAUSED) and max(self._early, told.get("early", 0)) >= LOOPING:
            return "crash-looping"
        return "waiting" if self._worker is None or state == FAILED else str(state)
