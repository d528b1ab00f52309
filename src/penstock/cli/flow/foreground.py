"""A flow in the foreground: this process runs it, or several workers do; a line shows the progress.

Additional instances are processes, unless the flow has SHARED variables: those are one set a process, so its
instances are threads then. A first signal lets every instance finish its unit of work, a second ends at once:
units are backed out.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from penstock.cli.ending_signals import on_ending
from penstock.cli.printing import counted, rated
from penstock.flow.running.inline import InlineRun
from penstock.flow.running.pausing import let_go
from penstock.model import constants as mq

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.broker.job import Job
    from penstock.flow.broker.worker_process import WorkerProcess
    from penstock.flow.graph.compiled import CompiledFlow

TICK_SECONDS = 0.25
LINE_SECONDS = 10.0  # between progress lines where nothing can be overwritten
SUMS = ("messages", "outputs", "failed", "given_up", "backed_out", "lost")


class Foreground:
    """One command's run of a flow."""

    def __init__(
        self, job: Job, flow: CompiledFlow, instances: int, tell: Callable[[str], None], progress: bool
    ) -> None:
        self.job = job
        self.flow = flow
        self.instances = instances
        self.tell = tell
        self.begun = time.monotonic()
        self.progress = Progress(job, flow, self.begun) if progress else None
        self.stopping = 0
        self.team: Threads | Processes | None = None

    def run(self) -> dict[str, Any]:
        """Run to the end and return what was done."""
        with on_ending(self._on_signal):
            return self._run()

    def _run(self) -> dict[str, Any]:
        team = self.team = self._threads() if self.instances == 1 or self._shares() else self._processes()
        try:
            while not team.join_for(TICK_SECONDS):
                if self.progress is not None:
                    self.progress.show(team.figures())
        finally:
            if self.progress is not None:
                self.progress.end()
        return self._facts(team)

    def _facts(self, team: Threads | Processes) -> dict[str, Any]:
        seconds = time.monotonic() - self.begun
        figures = team.figures()
        nodes = team.nodes()
        facts = {"flow": self.flow.name, "engine": "inline", "instances": self.instances, **figures}
        facts |= {"seconds": round(seconds, 3), "rate": round(figures["messages"] / seconds, 1)}
        return {**facts, "nodes": nodes} if nodes else facts

    def _shares(self) -> bool:
        from penstock.flow.engines import ties

        why = ties(self.flow)
        if why:
            self.tell(f"Its instances are threads of one process: {', '.join(why)}.")
        return bool(why)

    def _threads(self) -> Threads:
        return Threads(self.job, self.flow, self.instances)

    def _processes(self) -> Processes:
        return Processes(self.job, self.instances)

    def _on_signal(self, *_: Any) -> None:
        self.stopping += 1
        if self.stopping > 1 or self.team is None:
            if self.team is not None:
                self.team.kill()
            raise KeyboardInterrupt
        self.team.stop()


class Threads:
    """All instances in this process."""

    def __init__(self, job: Job, flow: CompiledFlow, instances: int) -> None:
        from penstock.flow.running.counters import Counters

        self.counters = Counters(every=1) if job.counters else None
        options: dict[str, Any] = {} if self.counters is None else {"counters": self.counters}
        self.inline = InlineRun(
            flow, job.connector(), instances=instances, until_empty=job.until_empty, **options
        )
        self.inline.start()
        self.stop = self.inline.stop
        self.join_for = self.inline.join_for
        self.figures = self.inline.figures

    def kill(self) -> None:
        """Nothing is to be done: the threads end with this process."""

    def nodes(self) -> list[dict[str, Any]]:
        """Return the counts of the nodes, if they were asked for."""
        return [] if self.counters is None else self.counters.as_json()


class Processes:
    """Every instance in a process of its own."""

    def __init__(self, job: Job, instances: int) -> None:
        from penstock.flow.broker.worker_process import WorkerProcess

        self.workers: list[WorkerProcess] = [WorkerProcess(job) for _ in range(instances)]
        self.counts_nodes = job.counters

    def stop(self) -> None:
        """Ask every process to end."""
        for worker in self.workers:
            worker.stop()

    def kill(self) -> None:
        """End every process now."""
        for worker in self.workers:
            worker.kill()

    def join_for(self, seconds: float) -> bool:
        """Wait for the end; one that fails ends the others, and is raised."""
        from penstock.model.errors import error

        end = time.monotonic() + seconds
        ended = [worker.wait(max(0.0, end - time.monotonic())) for worker in self.workers]
        failed = next((each for each in self.workers if each.code not in (None, 0)), None)
        if failed is not None:
            self.stop()
        if not all(ended):
            return False
        if failed is not None:
            reason, text = (
                failed.told.get("reason") or mq.MQRC_CONNECTION_BROKEN,
                failed.told.get("error", ""),
            )
            raise error(reason, text or f"process {failed.pid} of the flow ended with {failed.code}")
        return True

    def figures(self) -> dict[str, int]:
        """Return the sum of their reports."""
        return {name: sum(each.told.get(name, 0) for each in self.workers) for name in SUMS}

    def nodes(self) -> list[dict[str, Any]]:
        """Return the counts of the nodes over all processes, if they were asked for."""
        if not self.counts_nodes:
            return []
        found: dict[str, dict[str, Any]] = {}
        for row in (row for worker in self.workers for row in worker.told.get("nodes", ())):
            total = found.setdefault(row["node"], {**row, "messages": 0, "failed": 0, "seconds": 0.0})
            for name in ("messages", "failed", "seconds"):
                total[name] += row[name]
        return list(found.values())


class Progress:
    """The progress line: messages, rate, and messages on the input queues."""

    def __init__(self, job: Job, flow: CompiledFlow, begun: float) -> None:
        from penstock.flow.nodes.mq_input import MQInput

        self.queues = [node.queue for node in flow.inputs.values() if isinstance(node, MQInput)]
        self.connect = job.connector()
        self.qm: BlockingQueueManager | None = None
        self.same_line = sys.stderr.isatty()
        self.shown = begun
        self.before = 0
        self.anything = False

    def show(self, figures: dict[str, int]) -> None:
        """Write the line, over the last one where that is possible."""
        now = time.monotonic()
        passed = now - self.shown
        if passed < (1.0 if self.same_line else LINE_SECONDS):
            return
        rate = (figures["messages"] - self.before) / passed
        self.shown, self.before = now, figures["messages"]
        messages = figures["messages"]
        text = f"{counted(messages, 'message')}{rated(messages, rate)}, {self._waiting()}"
        print(f"\r\x1b[K{text}" if self.same_line else text, file=sys.stderr, flush=True, end=self._end())
        self.anything = True

    def _end(self) -> str:
        return "" if self.same_line else "\n"

    def _waiting(self) -> str:
        """Return the number of waiting messages; the queue manager may be unavailable for a while."""
        from penstock.model.errors import MQError

        try:
            return f"{self.depth()} waiting"
        except MQError as failure:
            if self.qm is not None:
                let_go(self.qm)
                self.qm = None
            return f"{failure.reason} {failure.name}"

    def depth(self) -> int:
        """Return how many messages wait on the input queues."""
        from penstock.model.constants import MQOO_INQUIRE

        if self.qm is None:
            self.qm = self.connect()
        total = 0
        for queue in self.queues:
            with self.qm.open(queue, MQOO_INQUIRE) as handle:
                total += int(handle.inquire("CURDEPTH")["CURDEPTH"])
        return total

    def end(self) -> None:
        """Leave the line."""
        if self.anything and self.same_line:
            print(file=sys.stderr)
        if self.qm is not None:
            let_go(self.qm)
