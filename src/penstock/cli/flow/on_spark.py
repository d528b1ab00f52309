"""The Spark branch of `penstock flow run`: starts the job, shows its progress line, stops it on Ctrl-C."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.ending_signals import on_ending, take_over
from penstock.cli.listing import counted
from penstock.cli.spark_signals import Interrupted, interrupt, quieten

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.spark.flow_job import SparkRun


def run_on_spark(
    given: SparkRun,
    master: str,
    options: Mapping[str, str],
    tell: Callable[[str], None],
    progress: bool,
) -> dict[str, Any]:
    """Run a flow on Spark to its end and return the counts."""
    from penstock.spark import flow_job, resident
    from penstock.spark.session import DEFAULT_MASTER, check_master, master_of, quick_start, session

    line = Line() if progress else None
    show = line.show if line else _ignore
    try:
        if not master and not options and resident.status() is not None:
            tell(f"The warm Spark session runs flow {given.flow}.")
            return resident.request(flow_job.JOB, given.arguments(), show)  # Ctrl-C hangs up, which ends it
        master = master or DEFAULT_MASTER
        check_master(master)
        flow_job.check_address(given.url, master)
        flow_job.check_queues(given)
        stopping = Stopping()
        quieten()
        with on_ending(stopping.asked):
            tell("Spark starts ...")
            spark = session(master, quick_start(master, options))
            take_over(stopping.asked)  # Spark has put its own in place
            tell(f"Flow {given.flow} runs on Spark at {master_of(spark)}.")
            facts = flow_job.run(spark, given.arguments(), show, stopping.stopped)
        if stopping.stopped.is_set():
            back = facts["released"]
            given_back = f" {counted(back, 'message')} reserved for the next batch went back." if back else ""
            tell(f"\nStopped between two batches.{given_back} The same command goes on where this one was.")
        return facts
    except Interrupted as ended:
        tell("\nEnded in the middle of a batch. The same command does that batch again and goes on.")
        raise typer.Exit(ended.exit_code) from None
    finally:
        if line is not None:
            line.end()


class Stopping:
    """A first signal ends the run in order, a second one at once: the batch is then done again next time."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def asked(self, number: int, frame: Any = None) -> None:
        """Handle a signal."""
        if self.stopped.is_set():
            interrupt(number)
        self.stopped.set()


class Line:
    """The progress line: messages, rate, batch time, depth."""

    def __init__(self) -> None:
        self.same_line = sys.stderr.isatty()
        self.anything = False

    def show(self, event: dict[str, Any]) -> None:
        """Write the line, over the last one if possible."""
        waiting = "" if event["depth"] is None else f", {event['depth']} waiting"
        text = (
            f"{counted(event['messages'], 'message')} in {counted(event['batches'], 'batch')},"
            f" {event['rate']} a second, the last in {event['seconds']:.1f} s{waiting}"
        )
        print(
            f"\r\x1b[K{text}" if self.same_line else text,
            file=sys.stderr,
            flush=True,
            end="" if self.same_line else "\n",
        )
        self.anything = True

    def end(self) -> None:
        """End the line."""
        if self.anything and self.same_line:
            print(file=sys.stderr)


def _ignore(event: dict[str, Any]) -> None:
    """Ignore progress."""
