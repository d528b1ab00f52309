"""A bridge in a process of its own that kills itself at a step: `python -m tests.crash.bridge_child ...`."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path

import penstock
from penstock.bridge.program import Program
from penstock.bridge.running import QUEUES
from penstock.bridge.settings import Settings
from penstock.bridge.worker import Worker
from penstock.flow.aggregation.on_queues import define_missing


def main(home: str, log: str, mode: str, step: str) -> None:
    """Serve IN until it is empty; every run of the program is a line of the log."""

    def work(body: str) -> str:
        with Path(log).open("a") as file:
            file.write("ran\n")
        return body.upper()

    class Killed(Worker):
        """A worker whose process ends at one step."""

        def reached(self, step_now: str) -> None:
            if step_now == step:
                os.kill(os.getpid(), signal.SIGKILL)

    with penstock.embed("QM1", home=home) as qm:
        define_missing(qm, QUEUES)
        worker = Killed(qm, "IN", Program(work), Settings(commit_mode=int(mode)))
        worker.run(threading.Event(), until_empty=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
