"""The process that runs instances of one flow: `python -m penstock.flow.broker.worker`.

The first line of standard input is the job. When standard input ends, the parent process is gone and the
worker stops. It writes JSON lines to standard output: its progress, and finally how it ended. SIGTERM and
SIGINT stop it after its current unit of work. It has no state of its own and can be killed at any time.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.flow.broker.flow_group import run_together
from penstock.flow.broker.job import ENDED, FAILED, Job, counted, standing
from penstock.flow.broker.logs import FailureFile, log_to_stderr, show_lines_of_flows
from penstock.flow.running.reporting import named, report
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.running.counters import Counters
    from penstock.flow.running.inline import InlineRun

REPORT_SECONDS = 0.25
_told = 1  # read by the parent process


def main() -> int:
    """Run the job that standard input brings; return 0 for an orderly end."""
    _free_standard_output()
    job = Job.from_line(sys.stdin.buffer.readline())
    if job.broker:
        log_to_stderr(job.log_json, job.log_data)
        logging.getLogger().addHandler(FailureFile(Path(job.failures), job.group))
    else:
        logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(message)s")
        show_lines_of_flows()
    if job.beside:
        stop = threading.Event()
        _stop_when_told(stop.set)
        run_together(job.all, stop, say)
        return 0
    try:
        counters = job.counting()
        run = job.inline_run(counters=counters)
        _stop_when_told(run.stop)
        run.start()
        while not run.join_for(REPORT_SECONDS):
            counters.look()
            tell(run, counters)
        tell(run, counters, {"state": ENDED})
    except (MQError, OSError) as failure:
        report(logging.WARNING, "flow_ended", str(failure), flow=job.flow, **named(failure))
        say({"state": FAILED, "reason": getattr(failure, "reason", 0), "error": str(failure)})
        return 1
    return 0


def _free_standard_output() -> None:
    """Keep standard output for reports; what a flow prints goes to the log."""
    global _told
    _told = os.dup(1)
    os.dup2(2, 1)


def _stop_when_told(stop: Callable[[], None]) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop())

    def watch() -> None:
        while os.read(0, 4096):
            pass  # a worker gets no other input
        stop()

    threading.Thread(target=watch, daemon=True, name="watch-parent").start()


def tell(run: InlineRun, counters: Counters, last: dict[str, Any] | None = None) -> None:
    """Report the work done so far, and the state."""
    say({**standing(run), **run.figures(), **(last or {}), **counted(counters)})


def say(facts: dict[str, Any]) -> None:
    """Write a line to the parent process, unless it has ended."""
    try:
        os.write(_told, json.dumps(facts).encode() + b"\n")
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main())
