"""Runs that people step through: each is a process of its own (`flow/testing/stepping.py`), never a worker.

A person has one run, the web process a few. A run that nobody touches for ten minutes ends, and its folder
goes with it.
"""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from penstock.model import constants as mq
from penstock.model.errors import error

if TYPE_CHECKING:
    from pathlib import Path

COMMAND = [sys.executable, "-P", "-m", "penstock.flow.testing.stepping"]
RUNS_MAX = 4
IDLE_SECONDS = 600.0
ANSWER_SECONDS = 20.0  # that a page waits for the next stop; then it shows that the run goes on
PASSED_MAX = 500
FAILED = "failed"


@dataclass
class Flow:
    """The deployed flow that a run uses."""

    broker: str
    group: str
    name: str
    folder: Path


@dataclass
class Run:
    """One run."""

    user: str
    flow: Flow
    given: dict[str, Any]
    breaks: dict[str, str]
    id: str = field(default_factory=lambda: secrets.token_hex(8))
    last: dict[str, Any] = field(default_factory=lambda: {"state": "starting"})
    passed: list[dict[str, Any]] = field(default_factory=list)
    used: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="penstock-stepping-", ignore_cleanup_errors=True)
        self._came = threading.Condition()
        self._stops = 0
        self._process = subprocess.Popen(
            COMMAND,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": self._folder.name},
            text=True,
            start_new_session=True,
        )
        wanted = {"project": str(self.flow.folder), "flow": self.flow.name, "given": self.given}
        self._send({**wanted, "breaks": self.breaks})
        threading.Thread(target=self._read, daemon=True, name=f"penstock-stepping-{self.id}").start()
        self._wait(0)

    @property
    def is_paused(self) -> bool:
        """Whether it waits for a command."""
        return bool(self.last["state"] == "paused")

    def go(self, command: dict[str, Any]) -> None:
        """Give it a command, and wait a while for the next stop."""
        with self._came:
            if not self.is_paused:
                raise error(mq.MQRC_OPTIONS_ERROR, "this run does not wait for a command")
            self.last = {**self.last, "state": "running"}
            before = self._stops
        self.used = time.monotonic()
        self._send(command)
        self._wait(before)

    def end(self) -> None:
        """End it: its process, and the folder that it worked in."""
        self._process.kill()
        self._process.wait()
        assert self._process.stdin is not None
        with suppress(OSError):  # what it has not read
            self._process.stdin.close()
        self._folder.cleanup()

    def _send(self, facts: dict[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(facts) + "\n")
            self._process.stdin.flush()
        except OSError:
            pass  # it has ended; the reader reports that

    def _wait(self, before: int) -> None:
        with self._came:
            self._came.wait_for(lambda: self._stops > before, ANSWER_SECONDS)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as reports:
            for line in reports:
                self._note(json.loads(line))
        if self.last["state"] not in ("ended", FAILED):
            code = self._process.wait()
            self._note({"state": FAILED, "error": f"the process has ended with code {code}"})

    def _note(self, facts: dict[str, Any]) -> None:
        with self._came:
            self.passed = (self.passed + facts.pop("passed", []))[-PASSED_MAX:]
            self.last = facts
            self._stops += 1
            self._came.notify_all()


class Runs:
    """The runs of a web process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._runs: dict[str, Run] = {}

    def begin(self, user: str, flow: Flow, given: dict[str, Any], breaks: dict[str, str]) -> Run:
        """Start a run; it takes the place of the person's last one. 2102 when there are too many."""
        self.end(user)
        with self._lock:
            self._end_idle()
            if len(self._runs) >= RUNS_MAX:
                raise error(mq.MQRC_RESOURCE_PROBLEM, f"{RUNS_MAX} people step through flows now; try later")
            made = self._runs[user] = Run(user, flow, given, breaks)
        return made

    def find(self, user: str, name: str) -> Run:
        """Return a person's run; 2085 if it is over."""
        found = self._runs.get(user)
        if found is None or found.id != name:
            raise error(mq.MQRC_UNKNOWN_OBJECT_NAME, "this run is over; open the flow and step again")
        found.used = time.monotonic()
        return found

    def end(self, user: str) -> None:
        """End a person's run, if there is one."""
        with self._lock:
            found = self._runs.pop(user, None)
        if found is not None:
            found.end()

    def stop(self) -> None:
        """End all."""
        for user in list(self._runs):
            self.end(user)

    def _end_idle(self) -> None:
        for user, run in list(self._runs.items()):
            if time.monotonic() - run.used > IDLE_SECONDS:
                del self._runs[user]
                run.end()
