"""A bridge: threads that serve one queue with one program, each with its own connection."""

from __future__ import annotations

import logging
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from penstock.bridge import conversations, worker
from penstock.bridge.settings import Settings
from penstock.flow.aggregation.on_queues import define_missing
from penstock.flow.running.pausing import CANNOT_CONNECT, let_go
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.bridge.program import Program
    from penstock.face.blocking import BlockingQueueManager

logger = logging.getLogger(__name__)
QUEUES = (worker.OUTBOX, worker.ACKNOWLEDGEMENTS, conversations.QUEUE)
AGAIN_SECONDS = 1.0  # before a queue manager that went away is tried again


class Bridge:
    """Serves a queue; `connect` makes a connection. Several bridges, in any process, may serve one queue."""

    def __init__(
        self,
        connect: Callable[[], Any],
        queue: str,
        program: Program,
        settings: Settings | None = None,
        **options: Any,
    ) -> None:
        chosen = settings or Settings(**{**program.options, **options})
        if settings is not None and options:
            chosen = replace(settings, **options)
        chosen.check()
        self.settings = chosen
        self.queue, self.program = queue, program
        self.stopping = threading.Event()
        self.failure: Exception | None = None
        self.workers: list[worker.Worker] = []
        self._connect = connect
        self._threads: list[threading.Thread] = []

    def start(self, until_empty: bool = False) -> None:
        """Define the bridge's own queues if they are missing, and start the threads."""
        qm = self._connect()
        try:
            define_missing(qm, QUEUES)
        finally:
            qm.close()
        for number in range(self.settings.concurrency):
            thread = threading.Thread(
                target=self._run, args=(until_empty,), name=f"bridge-{self.queue}-{number}", daemon=True
            )
            self._threads.append(thread)
            thread.start()

    def stop(self) -> None:
        """Ask the threads to stop after their current request."""
        self.stopping.set()

    def join_for(self, seconds: float | None = None) -> bool:
        """Wait for the end; return whether it has come. Raises the error that ended it."""
        for thread in self._threads:
            thread.join(seconds)
        if any(thread.is_alive() for thread in self._threads):
            return False
        if self.failure is not None:
            raise self.failure
        return True

    @property
    def done(self) -> int:
        """How many requests were committed."""
        return sum(each.done for each in self.workers)

    def _run(self, until_empty: bool) -> None:
        try:
            while not self.stopping.is_set() and not self._served(until_empty):
                self.stopping.wait(AGAIN_SECONDS)
        except Exception as raised:  # an edge: `join_for` raises it
            logger.exception("bridge_ended queue=%s", self.queue)
            self.failure = self.failure or raised
            self.stopping.set()

    def _served(self, until_empty: bool) -> bool:
        """Serve the queue to the end; False if the queue manager went away."""
        qm: BlockingQueueManager | None = None
        try:
            qm = self._connect()
            mine = worker.Worker(qm, self.queue, self.program, self.settings)
            self.workers.append(mine)
            mine.run(self.stopping, until_empty)
        except MQError as raised:
            if raised.reason not in CANNOT_CONNECT or until_empty:
                raise
            logger.warning("bridge_waits queue=%s reason=%s", self.queue, raised)
            if qm is not None:
                let_go(qm)
            return False
        qm.close()
        return True
