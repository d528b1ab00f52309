"""Frames that publish, when selectors must be evaluated first: they are handled again with the results.

Another process evaluates (`host.selector_process`), while the loop serves all other links. The link of the
publisher takes no other frame meanwhile, so its publications stay in order, with and without answers. Used by
`Conversation` and `LargeFrames`.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from threading import Lock
from typing import TYPE_CHECKING

from penstock.host.pacing import Pace
from penstock.host.selectors.selector_process import SelectorProcess
from penstock.qmgr.selectors.evaluations import Evaluations

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.qmgr.selectors.evaluations import Evaluation
    from penstock.serve.server import Server


class Evaluating:
    """The evaluations of one server: one at a time."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._process = SelectorProcess(server.host.folder.models)
        self.worker = ThreadPoolExecutor(1, thread_name_prefix="penstock-selectors")
        publisher = server.engine.pubsub.publisher
        publisher.evaluations = Evaluations(self._process.evaluate, self.worker.submit)
        publisher.take_steps = self._take_steps
        self._turn = Lock()  # one publication in steps after the other, so all subscribers have one order

    def start(self, evaluation: Evaluation, then: Callable[[], None]) -> None:
        """Have an evaluation done, then something else in the loop; until then its results are there."""

        def run() -> None:
            evaluation.evaluate()
            with suppress(RuntimeError):  # the loop has ended
                self._server.loop.call_soon_threadsafe(done, evaluation)

        def done(_evaluation: Evaluation) -> None:
            then()
            self._server.flush()

        self.worker.submit(run)

    def _take_steps(self, step: Callable[[float], bool]) -> int:
        """Take steps of the engine, with others in between; return the position that they need on disk."""
        host, pace, position, done = self._server.host, Pace(self._server.host.pacer), 0, False
        with self._turn:
            while not done:
                with host.gate:
                    host.engine.step.begin()
                    try:
                        done = step(time.time())
                    finally:
                        position = max(position, host.engine.step.end())
                pace.step()
        return position

    def close(self) -> None:
        """End the process."""
        publisher = self._server.engine.pubsub.publisher
        publisher.evaluations = publisher.take_steps = None
        self._process.close()
        self.worker.shutdown(wait=True, cancel_futures=True)


class Repeated:
    """A frame that is handled again; see `Conversation.handle_read`."""

    def __init__(self, again: Callable[[], None]) -> None:
        self.answer = again

    @property
    def value(self) -> Repeated:
        """What `Conversation.handle_read` gets."""
        return self
