"""Drives a node that keeps messages until others have come: Collector and Resequence.

The node's input terminals only put events to a queue, in the unit of work of the flow. This thread reads the
queue, gets from the node's `Keeper` what is ready, and does that in a unit of its own: events leave the queue
together with what the flow makes of them. Of several listeners, in any process, one works and the others
wait for it to end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.flow.events.event_queue import EventQueue
from penstock.flow.running.listener import repeat
from penstock.flow.running.unit_runner import UnitRunner

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Hashable

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.events.sending import Keeper, Sending
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.graph.node_context import NodeContext

POLL_SECONDS = 0.1  # delay until an event put by another process is seen
AGAIN_SECONDS = 5.0  # before a unit that failed is tried again


class EventListener:
    """The events of one node in one instance of a flow. Used by one thread."""

    def __init__(
        self,
        flow: CompiledFlow,
        label: str,
        qm: BlockingQueueManager,
        queue: str,
        keeper: Callable[[NodeContext], Keeper],
        **options: Any,
    ) -> None:
        self.runner = UnitRunner(flow, label, qm, **options)
        self.tally = self.runner.tally
        self.pause = self.runner.pause
        self.keeper = keeper(self.runner.at)
        self.queue = queue
        self.events = EventQueue(qm, queue)
        self._later: dict[Hashable, float] = {}

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until nothing is ready."""
        self.runner.stop = None if until_empty else stop
        try:
            repeat(self.step, self._pause, stop, until_empty)
        finally:
            self.events.close()

    def step(self) -> int:
        """Do everything that is ready; return how much was."""
        if not self.events.lead():
            return 0
        for event in self.events.new_events():
            self.keeper.add(event)
        done = 0
        while True:
            now = self.runner.ports.clock()
            ready = [each for each in self.keeper.ready(now) if self._later.get(each.key, 0.0) <= now]
            if not ready:
                return done
            for sending in ready:
                done += self._do(sending, now)

    def _do(self, sending: Sending, now: float) -> int:
        problem = self.runner.in_unit(lambda: self._work(sending))
        if problem is not None:
            self._later[sending.key] = now + AGAIN_SECONDS
            return 0
        self._later.pop(sending.key, None)
        self.keeper.done(sending, now)
        self.tally.messages += len(sending.takes)
        return 1

    def _work(self, sending: Sending) -> None:
        for identity in sending.takes:
            self.events.take(identity)
        for record in sending.puts:
            self.runner.ports.put(self.queue, record)
        for out in sending.messages():
            self.runner.send(out.message, out.local_environment, out.terminal)

    def _pause(self) -> float:
        due = self.keeper.due()
        wait = POLL_SECONDS if due is None else due - self.runner.ports.clock()
        return max(0.001, min(wait, POLL_SECONDS))
