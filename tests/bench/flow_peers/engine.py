"""What the comparison needs of an engine: it is there or not, messages wait, it runs, outputs are counted.

Every engine works on a server that is another process. Messages wait at its input; then the engine starts,
and the clock runs from the first output that is seen to the last: starting is not counted. Outputs are
counted at the server, no consumer competes.
"""

from __future__ import annotations

import subprocess
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.bench.flow_inline import Case

FIRST_SECONDS_MAX = 60.0
IDLE_SECONDS_MAX = 20.0
POLL_SECONDS = 0.002


class EngineFailed(Exception):
    """An engine ended, or stopped giving messages."""


class Engine:
    """A way to run flows. `start` begins, `stop` ends what the engine needs for all of its runs.

    What is started is noted in `running` before it starts: one that does not come up is ended too.
    """

    name = ""

    def __init__(self) -> None:
        self.running = ExitStack()

    def missing(self) -> str:
        """Say why this engine cannot be had here; empty when it can."""
        return ""

    def version(self) -> str:
        """Return what was measured."""
        return ""

    def start(self, folder: Path) -> None:
        """Start the servers."""

    def stop(self) -> None:
        """Stop the servers."""
        self.running.close()

    def fill(self, case: Case, body: bytes, count: int) -> None:
        """Let messages wait for the engine."""
        raise NotImplementedError

    def begin(self, case: Case) -> subprocess.Popen[bytes]:
        """Start the engine on what waits."""
        raise NotImplementedError

    def done(self) -> int:
        """Return how many messages are out."""
        raise NotImplementedError

    def clear(self) -> None:
        """Take everything away."""
        raise NotImplementedError

    def rate(self, case: Case, body: bytes, count: int) -> float:
        """Return messages a second between the first output that is seen and the last."""
        self.clear()
        self.fill(case, body, count)
        process = self.begin(case)
        try:
            return self._watch(process, count)
        finally:
            process.terminate()
            process.wait(20)

    def _watch(self, process: subprocess.Popen[bytes], count: int) -> float:
        end = time.perf_counter() + FIRST_SECONDS_MAX
        while not (there := self.done()):
            if process.poll() is not None or time.perf_counter() > end:
                raise EngineFailed(f"{self.name} gave nothing (exit code {process.poll()})")
            time.sleep(POLL_SECONDS)
        first, began = there, time.perf_counter()
        last, moved = began, there
        while moved < count:
            time.sleep(POLL_SECONDS)
            now, there = time.perf_counter(), self.done()
            if there > moved:
                moved, last = there, now
            elif now - last > IDLE_SECONDS_MAX:
                raise EngineFailed(f"{self.name} gave {moved} of {count} messages")
        if first == count:
            raise EngineFailed(f"{self.name} was done before it was looked at: too few messages")
        return (count - first) / (last - began)
