"""A queue manager and the example flow `orders` in a home of their own, run by commands as a user would.

For `penstock doctor --measure`, which times it, and `penstock spark prepare`, which wants the classes that a
JVM loads for it.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from penstock.tools.own_command import run_own_command

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "TRIAL"
CHUNK = 5_000
SECONDS_MAX = 600.0


class TrialRun:
    """The queue manager, and runs of the flow; every run has a Spark of its own unless one stays."""

    def __init__(self, home: Path) -> None:
        self._environment = {**os.environ, "PENSTOCK_HOME": str(home), "PENSTOCK_SPARK_WARM": "0"}
        self._home = home
        self._project = Path(str(files("penstock.examples"))) / "orders"

    @contextmanager
    def running(self) -> Iterator[TrialRun]:
        """Run the queue manager, with the queues of the flow."""
        import penstock
        from penstock.cli.demo import DEFINITIONS

        self.penstock("qmgr", "create", NAME)
        self.penstock("qmgr", "start", NAME, "--background")
        try:
            with penstock.connect(NAME, home=self._home) as qm:
                qm.mqsc(DEFINITIONS)
            yield self
        finally:
            self.penstock("qmgr", "stop", NAME)

    def seconds(self, engine: str, count: int) -> float:
        """Return the duration of a run over this many messages, from the command to its end."""
        import penstock
        from penstock.cli import demo_orders

        with penstock.connect(NAME, home=self._home) as qm:
            for at in range(0, count, CHUNK):
                bodies = [demo_orders.order(number) for number in range(at, min(count, at + CHUNK))]
                qm.put_many("ORDERS.IN", bodies, persistent=True)
        began = time.monotonic()
        words = ("--project", str(self._project), "--qmgr", NAME, "--engine", engine, "--until-empty")
        told = json.loads(self.penstock("flow", "run", "orders", *words, "--json"))
        if told["messages"] != count:
            raise RuntimeError(f"{told['messages']} of {count} messages were processed")
        return time.monotonic() - began

    def penstock(self, *words: str) -> str:
        """Run a command and return what it prints."""
        done = run_own_command(*words, seconds_max=SECONDS_MAX, environment=self._environment)
        if done.returncode:
            raise RuntimeError(f"penstock {' '.join(words)}: {done.stderr.strip() or done.stdout.strip()}")
        return done.stdout
