"""Drives a node that takes responses to requests of other flows: each runs through the flow in its own unit.

`take` returns what has arrived as a message with its LocalEnvironment, or the failure to get one; that goes
to the failure terminal. A response on which the flow fails goes there too, or is logged if the terminal is
not wired.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from penstock.flow.new_messages import arrived
from penstock.flow.node import OUT
from penstock.flow.running.unit_runner import UnitRunner

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.model.errors import MQError
    from penstock.tree import Message

WAIT_SECONDS = 0.2  # how long it waits before it looks whether to stop


class Response(NamedTuple):
    """What has arrived."""

    message: Message
    local_environment: Message
    terminal: str = OUT
    problem: MQError | None = None
    on_failure: Callable[[MQError], None] | None = None  # logs failures that no terminal handled


class AsyncListener:
    """One instance of a flow at one response node."""

    def __init__(
        self,
        flow: CompiledFlow,
        label: str,
        qm: BlockingQueueManager,
        take: Callable[[UnitRunner, float], Response | None],
        **options: Any,
    ) -> None:
        self.runner = UnitRunner(flow, label, qm, **options)
        self.tally = self.runner.tally
        self.pause = self.runner.pause
        self.take = take

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until nothing has arrived."""
        self.runner.stop = None if until_empty else stop
        while not stop.is_set():
            if not self.step(0.0 if until_empty else WAIT_SECONDS) and until_empty:
                return

    def step(self, wait: float = 0.0) -> int:
        """Run the flow on the next response; 0 if there is none."""
        found = self.take(self.runner, wait)
        if found is None:
            return 0
        problem: Exception | None = found.problem
        if problem is None:
            problem = self.runner.run(found.message, found.local_environment, terminal=found.terminal)
        if problem is not None:
            failed = found.message if found.problem is None else arrived(b"", "BLOB")
            left = self.runner.fail(failed, problem, local_environment=found.local_environment)
            if left is not None and found.on_failure is not None:
                found.on_failure(left)
        return 1
