"""Drives an MQInput that only browses: each message runs through the flow once, and stays on the queue.

The cursor is in memory: after a restart the flow sees all messages again. A message that fails goes to the
failure terminal, or is logged, and the cursor continues. With `browse_again` the cursor returns to the
front when nothing new arrived for that many seconds.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from penstock.flow.nodes.mq_input import MQInput
from penstock.flow.nodes.mq_input_run import QueueInput
from penstock.flow.running.unit_runner import UnitRunner
from penstock.model import constants as mq
from penstock.tree import parse_message

if TYPE_CHECKING:
    import threading

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow

WAIT_SECONDS = 0.5  # how long a get waits before it looks whether to stop


class BrowsingListener:
    """One browser of a queue. Used by one thread."""

    def __init__(self, flow: CompiledFlow, label: str, qm: BlockingQueueManager, **options: Any) -> None:
        node = flow.inputs[label]
        assert isinstance(node, MQInput)
        self.node = node
        self.runner = UnitRunner(flow, label, qm, **options)
        self.tally = self.runner.tally
        self.pause = self.runner.pause
        self.input = QueueInput(node, self.runner.at)
        self._match: dict[str, Any] = {"selector": node.selector} if node.selector else {}
        self._handle = qm.open(node.queue, mq.MQOO_BROWSE)
        self._option = mq.MQGMO_BROWSE_FIRST
        self._last = monotonic()

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until the end of the queue."""
        self.runner.stop = None if until_empty else stop
        try:
            while not stop.is_set():
                if not self.step(0.0 if until_empty else WAIT_SECONDS) and until_empty:
                    return
        finally:
            self._handle.close()

    def step(self, wait: float) -> int:
        """Run the flow on the next message; 0 if there is none."""
        message = self._handle.get(wait=wait, options=self._option, quiet=True, **self._match)
        if message is None:
            if self.node.browse_again and monotonic() - self._last > self.node.browse_again:
                self._option, self._last = mq.MQGMO_BROWSE_FIRST, monotonic()
            return 0
        self._option, self._last = mq.MQGMO_BROWSE_NEXT, monotonic()
        problem = self.runner.in_unit(lambda: self.input.attempt(message))
        if problem is None:
            self.tally.messages += 1
        else:
            self.runner.fail(parse_message(message, "BLOB"), problem, message.msg_id.hex())
        return 1
