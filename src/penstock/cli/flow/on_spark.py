"""The Spark branch of `penstock flow run`: starts the job, shows its progress line, stops it on Ctrl-C."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import typer

from penstock.cli.ending_signals import on_ending
from penstock.cli.printing import counted, rated
from penstock.cli.spark_signals import Interrupted, interrupt, quieten, started
from penstock.flow.running.run_files import RunFile
from penstock.model import constants as mq
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from penstock.spark.runs.spark_run import SparkRun


def run_on_spark(
    given: SparkRun,
    master: str,
    options: Mapping[str, str],
    tell: Callable[[str], None],
    progress: bool,
    warm: bool = True,
) -> dict[str, Any]:
    """Run a flow on Spark to its end and return the counts; `warm` allows a session that stays."""
    from penstock.spark.runs.run_checks import check_address, check_different, check_queues
    from penstock.spark.starting.session import DEFAULT_MASTER, check_master

    line = Line() if progress else None
    check_master(master)
    check_address(given.url, master or DEFAULT_MASTER)
    check_queues(given)
    if given.also:
        check_different(given)
    written = RunFile(given.flow, master or DEFAULT_MASTER, given.url)
    failure = ""

    def show(facts: dict[str, Any]) -> None:
        written.note(facts)
        if line is not None:
            line.show(facts)

    try:
        facts = _in_warm_session(given, master, options, tell, show, warm)
        if facts is None:
            facts = _here(given, master or DEFAULT_MASTER, options, tell, show)
        return facts
    except Interrupted as ended:
        failure = "in the middle of a batch" if ended.begun else "while Spark started"
        how = "The same command does that batch again and goes on." if ended.begun else "Nothing was taken."
        tell(f"\nEnded {failure}. {how}")
        raise typer.Exit(ended.exit_code) from None
    except Exception as raised:
        failure = str(raised)
        raise
    finally:
        written.close(failure)
        if line is not None:
            line.end()


def _in_warm_session(
    given: SparkRun,
    master: str,
    options: Mapping[str, str],
    tell: Callable[[str], None],
    show: Callable[[dict[str, Any]], None],
    warm: bool,
) -> dict[str, Any] | None:
    """Run a flow in the warm session, which is started if that is allowed; None if there is none."""
    from penstock.spark.runs.spark_run import JOB
    from penstock.spark.starting import resident
    from penstock.spark.starting.warm import is_allowed, reach

    if master or options:
        return None
    steps = Steps(tell)
    running = resident.status()
    stopping = HangingUp()
    with on_ending(stopping.asked):
        if warm and is_allowed(master, options):
            if running is None:
                tell(start_hint())
            if not reach(steps.done):
                return None
        elif running is None:
            return None
        tell(f"The warm Spark session runs flow {given.flow}.")
        try:
            facts = resident.request(JOB, given.arguments(), steps.heard(show), hang_up=stopping.hang_up)
        except MQError as failure:
            if failure.reason != mq.PSRC_SPARK_NOT_RESIDENT:
                raise
            return None  # it has ended a moment ago
    _tell_of_stop(stopping.hang_up.asked, facts, tell)
    return facts


def _here(
    given: SparkRun,
    master: str,
    options: Mapping[str, str],
    tell: Callable[[str], None],
    show: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Run a flow in a Spark of this process."""
    from penstock.spark.runs import flow_job
    from penstock.spark.starting.session import is_local, master_of, quick_start, session

    stopping, steps = Stopping(), Steps(tell)
    quieten()
    with on_ending(stopping.asked):
        tell(start_hint() if is_local(master) else "Spark starts ...")
        settings = quick_start(master, options)
        spark = started(lambda: session(master, settings, step=steps.done), stopping.asked)
        tell(f"Flow {given.flow} runs on Spark at {master_of(spark)}.")
        facts = flow_job.run(spark, given.arguments(), steps.heard(show), stopping.stopped)
    _tell_of_stop(stopping.stopped.is_set(), facts, tell)
    return facts


def _tell_of_stop(asked: bool, facts: dict[str, Any], tell: Callable[[str], None]) -> None:
    if asked:
        back = facts["released"]
        given_back = f" {counted(back, 'message')} reserved for the next batch went back." if back else ""
        tell(f"\nStopped between two batches.{given_back} The same command goes on where this one was.")


def start_hint() -> str:
    """Return the line that is shown when Spark starts: what would be quicker, and up to how many messages."""
    from penstock.spark.runs.break_even import hint

    return f"Spark starts ... ({hint()})"


class Steps:
    """Shows each step of a start with its time."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self._tell = tell
        self._since = time.monotonic()

    def done(self, name: str) -> None:
        """Show a step that is done."""
        now = time.monotonic()
        self._tell(f"  {name:<12} {now - self._since:5.1f} s")
        self._since = now

    def heard(self, show: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, Any]], None]:
        """Return a listener to a job: its steps are shown here, batches by `show`."""

        def hear(event: dict[str, Any]) -> None:
            if "step" in event:
                self.done(event["step"])
            elif "away" in event:
                self._tell(
                    f"{event['away']} does not answer: its messages wait, the others go on. {event['reason']}"
                )
            elif "back" in event:
                self._tell(f"{event['back']} answers again.")
            else:
                show(event)

        return hear


class HangingUp:
    """A first signal ends the run in the warm session in order, a second one leaves it alone at once."""

    def __init__(self) -> None:
        from penstock.spark.starting.resident import HangUp

        self.hang_up = HangUp()

    def asked(self, number: int, frame: Any = None) -> None:
        """Handle a signal."""
        if self.hang_up.link is None:
            raise Interrupted(number, begun=False)
        if self.hang_up.asked:
            interrupt(number)
        self.hang_up.ask()


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
            f"{counted(event['messages'], 'message')} in {counted(event['batches'], 'batch')}"
            f"{rated(event['messages'], event['rate'])}, the last in {event['seconds']:.1f} s{waiting}"
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
