"""Frames that publish, when selectors must be evaluated first: they are handled again with the results.

Another process evaluates (`host.selector_process`), while the loop serves all other links. The link of the
publisher takes no other frame meanwhile, so its publications stay in order, with and without answers. Used by
`Conversation` and `LargeFrames`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import TYPE_CHECKING

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
        server.engine.pubsub.publisher.evaluations = Evaluations(self._process.evaluate, self.worker.submit)

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

    def close(self) -> None:
        """End the process."""
        self._server.engine.pubsub.publisher.evaluations = None
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
