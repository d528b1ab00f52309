"""Drives a TimeoutNotification: tracks due times, and runs the flow on each timeout in its own unit.

Taking the request off the queue, putting back the remaining repetitions, and the flow's work are one unit of
work: if it is interrupted, the timeout fires again, and takes effect once. Timeouts that were due while
nothing ran are missed; the request specifies whether they fire later.
"""

from __future__ import annotations

import logging
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any

from penstock.flow.aggregation.on_queues import define_missing
from penstock.flow.new_messages import arrived
from penstock.flow.nodes.timeout_notification import TimeoutNotification
from penstock.flow.running.listener import repeat
from penstock.flow.running.unit_runner import UnitRunner
from penstock.flow.timers.record import QUEUE, Timer, key_of, owner_id, timer_of
from penstock.flow.timers.request import FOR_EVER, TimeoutRequest
from penstock.model import constants as mq
from penstock.tree import Message

if TYPE_CHECKING:
    import threading

    from penstock.face.blocking import BlockingQueueManager
    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.model.message import Message as QueueMessage

logger = logging.getLogger(__name__)

POLL_SECONDS = 0.25  # delay until a request put by another process is seen
RESCAN_SECONDS = 10.0  # for requests that a unit of work held when the cursor passed
AGAIN_SECONDS = 5.0  # before a failed timeout is tried again
AUTOMATIC = "automatic"  # the identifier of a node's own timer


class TimeoutListener:
    """The timers of one TimeoutNotification in one instance of a flow. Used by one thread."""

    def __init__(self, flow: CompiledFlow, label: str, qm: BlockingQueueManager, **options: Any) -> None:
        node = flow.inputs[label]
        assert isinstance(node, TimeoutNotification)
        self.node = node
        self.qm = qm
        define_missing(qm, (QUEUE,))
        self.runner = UnitRunner(flow, label, qm, **options)
        self.tally = self.runner.tally
        self.pause = self.runner.pause
        self.clock = self.runner.ports.clock
        self.begun = self.clock()
        self._handle = qm.open(QUEUE, mq.MQOO_BROWSE)
        self._rescan_at = 0.0
        self._heap: list[tuple[float, bytes]] = []
        self._due: dict[bytes, float] = {}  # which entries of the heap are valid
        self._sent = 0
        if node.mode == AUTOMATIC:
            self._start_own()

    def run(self, stop: threading.Event, until_empty: bool = False) -> None:
        """Work until stopped, or until nothing is due at the moment."""
        self.runner.stop = None if until_empty else stop
        try:
            repeat(self.step, self._pause, stop, until_empty)
        finally:
            self._handle.close()

    def step(self) -> int:
        """Process everything that is due; return how much was."""
        now, before = self.clock(), self.tally.messages
        self._refresh(now)
        while self._heap and self._heap[0][0] <= now:
            due, key = heappop(self._heap)
            if self._due.get(key) != due:
                continue  # it was set again
            del self._due[key]
            self._sent = 0
            if self.runner.in_unit(lambda key=key: self._see_to(key)) is None:  # type: ignore[misc]
                self.tally.messages += self._sent
            else:
                self._remember(key, now + AGAIN_SECONDS)
        return self.tally.messages - before

    def _see_to(self, key: bytes) -> None:
        """Take a request, put back what remains of it, send its message. The caller owns the unit."""
        message = self._newest(key)
        if message is None:
            return  # another instance was quicker, or it was cancelled
        timer = timer_of(message)
        if timer.request.due > self.clock():
            self._keep(timer, message.persistent)  # it was set again, for later
            return
        timer, is_missed = self._without_missed(timer)
        if is_missed:
            if timer.request.left:
                self._keep(timer, message.persistent)
            return
        left = timer.request.following()
        if left is not None and timer.stored is None:
            left = left.from_now(self.clock())  # an automatic timer does not make up for missed times
        if left is not None:
            self._keep(timer._replace(request=left), message.persistent)
        self.runner.send(*self._trees(timer))
        self._sent = 1

    def _newest(self, key: bytes) -> QueueMessage | None:
        found: QueueMessage | None = None
        while (message := self.qm.get(QUEUE, correl_id=key)) is not None:
            found = message
        return found

    def _without_missed(self, timer: Timer) -> tuple[Timer, bool]:
        """Return a timer without the timeouts that were missed while nothing ran; and whether it has to wait
        now.
        """
        request = timer.request
        if not request.ignore_missed or request.due >= self.begun:
            return timer, False
        left = request.from_now(self.begun)
        if timer.stored is not None:
            logger.warning(
                "timeout_missed node=%s identifier=%s due=%s",
                *(self.runner.at.label, request.identifier, request.due),
            )
        if left is None:
            return timer._replace(request=request._replace(left=0)), True
        return timer._replace(request=left), left.due > self.clock()

    def _keep(self, timer: Timer, persistent: bool) -> None:
        self.runner.ports.put(QUEUE, timer.message(persistent))

    def _trees(self, timer: Timer) -> tuple[Message, Message]:
        if timer.stored is None:
            message = arrived(b"", "BLOB", put_time=self.clock())
        else:
            message = timer.stored.tree(self.runner.at.instance.project, True)
        around = Message()
        timer.request.write(around)
        return message, around

    def _refresh(self, now: float) -> None:
        """Read new requests from the queue."""
        option = mq.MQGMO_BROWSE_NEXT
        if now >= self._rescan_at:
            option, self._rescan_at = mq.MQGMO_BROWSE_FIRST, now + RESCAN_SECONDS
            self._heap.clear()
            self._due.clear()
        own = owner_id(self.node.identifier)
        message = self._handle.get(options=option, msg_id=own, quiet=True)
        while message is not None:
            self._remember(message.correl_id, timer_of(message).request.due)
            message = self._handle.get(options=mq.MQGMO_BROWSE_NEXT, msg_id=own, quiet=True)

    def _remember(self, key: bytes, due: float) -> None:
        if self._due.get(key) != due:
            self._due[key] = due
            heappush(self._heap, (due, key))

    def _start_own(self) -> None:
        """Set the node's own timer, unless another instance or an earlier run has set it."""
        own = owner_id(self.node.identifier)
        message = self._handle.get(options=mq.MQGMO_BROWSE_FIRST, msg_id=own, quiet=True)
        if message is not None and timer_of(message).request.interval == self.node.interval:
            return
        with self.qm.unit_of_work():
            self._newest(key_of(self.node.identifier, AUTOMATIC))
            request = TimeoutRequest(
                AUTOMATIC, due=self.begun + self.node.interval, interval=self.node.interval, left=FOR_EVER
            )
            self.runner.ports.put(QUEUE, Timer(self.node.identifier, request).message(persistent=False))

    def _pause(self) -> float:
        wait = self._heap[0][0] - self.clock() if self._heap else POLL_SECONDS
        return max(0.0, min(wait, POLL_SECONDS))
