"""A worker process as its parent sees it: start, read its reports, stop or kill.

A thread reads the worker's reports. The pipe to its standard input stays open as long as the parent lives:
when the parent dies in any way, its workers end too.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.job import STARTING, STATES
from penstock.store.text_logs import open_log

if TYPE_CHECKING:
    from pathlib import Path

    from penstock.flow.broker.job import Job

COMMAND = [sys.executable, "-P", "-m", "penstock.flow.broker.worker"]  # not from our own folder


class WorkerProcess:
    """One running worker. `told` is its last report."""

    def __init__(self, job: Job, log: Path | None = None) -> None:
        self.job = job
        self.told: dict[str, Any] = {"state": STARTING, "messages": 0}
        self.since = time.time()
        errors = None if log is None else os.fdopen(open_log(log), "ab")
        try:
            self._process = subprocess.Popen(
                COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,  # Ctrl-C goes to the parent, which stops us
            )
        finally:
            if errors is not None:
                errors.close()
        assert self._process.stdin is not None
        self._process.stdin.write(job.as_line())
        self._process.stdin.flush()
        self._reader = threading.Thread(target=self._read, daemon=True, name=f"worker-{self.pid}")
        self._reader.start()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._process.poll() is None

    @property
    def code(self) -> int | None:
        """How it ended: 0 in order, negative for a signal; None while it runs."""
        return self._process.poll()

    def stop(self) -> None:
        """Ask it to stop after its current unit of work."""
        if self.alive:
            self._process.terminate()

    def kill(self) -> None:
        """End it now; its unit of work is backed out."""
        if self.alive:
            self._process.kill()

    def wait(self, seconds: float) -> bool:
        """Wait for its end and its last report; say whether it has ended."""
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        self._reader.join(1.0)
        self._close()
        return True

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            told = _told(line)
            if told is not None:
                self.told = told

    def _close(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except OSError:
                    pass  # the rest has no reader


def _told(line: bytes) -> dict[str, Any] | None:
    """Return a worker's report; None for other output, such as a flow's print."""
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return told if isinstance(told, dict) and told.get("state") in STATES else None
