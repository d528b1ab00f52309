"""A driver: waits for the conductor's messages, plays roles, and sends back what it saw."""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import penstock
from penstock.lab.load.crew import Crew, RoleFailed
from penstock.lab.load.playing import ROLES, task
from penstock.lab.load.roles import Spec
from penstock.lab.run.drivers import CONTROL, REPLIES, named, written
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from penstock.face.blocking import BlockingQueueManager

IDLE_SECONDS = 5.0


class Agent:
    """One driver of a run."""

    def __init__(self, qm: BlockingQueueManager, name: str) -> None:
        self._qm = qm
        self._name = name

    def serve(self) -> None:
        """Carry out the conductor's messages until its end message."""
        while True:
            message = self._qm.get(f"{CONTROL}{self._name}", wait=IDLE_SECONDS)
            if message is None:
                continue
            about = json.loads(message.body or b"")
            if about["do"] == "end":
                return
            if about["do"] == "ping":
                self._answer({"what": "pong", "clock": time.monotonic(), "version": penstock.__version__})
            elif about["do"] == "prepare":
                self._prepare(about)

    def _prepare(self, about: dict[str, Any]) -> None:
        try:
            specs = [Spec(*each) for each in about["specs"]]
            unknown = {spec.role for spec in specs} - ROLES.keys()
            if unknown:
                raise ValueError(f"no role is called {sorted(unknown)[0]}")
            with ExitStack() as stack:
                logs = stack.enter_context(tempfile.TemporaryDirectory())
                crew = stack.enter_context(Crew([task(s) for s in specs], Path(logs), kinds=about["kinds"]))
                self._answer({"what": "ready"})
                self._play(crew, about)
        except (RoleFailed, MQError, OSError, ValueError, TypeError) as failure:
            self._answer({"what": "failed", "why": str(failure)[-500:]})

    def _play(self, crew: Crew, about: dict[str, Any]) -> None:
        message = self._qm.get(f"{CONTROL}{self._name}", wait=60.0)
        begin = json.loads(message.body or b"")["at"] if message is not None else time.monotonic()
        time.sleep(max(0.0, begin - time.monotonic()))
        slices = crew.watch(about["warm_s"], about["window_s"], about["slices"])
        self._answer({"what": "seen", "slices": [written(seen) for seen in slices]})

    def _answer(self, about: dict[str, Any]) -> None:
        self._qm.put(REPLIES, json.dumps(about).encode(), correl_id=named(self._name))
