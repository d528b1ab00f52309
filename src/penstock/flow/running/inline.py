"""Instances of one flow in this process: a thread for every instance and input, each with its connection.

`penstock flow run` and the worker processes of a broker run this. Threads end when they are stopped, when
their input is empty (`until_empty`), or when something fails that no message is to blame for: then all of
them end and `join_for` raises it. A queue manager that goes away while they run is waited for, with pauses
that grow; with `until_empty` it ends them. A unit of work that is open when a thread is stopped is
finished first; a process that ends without waiting for that leaves it to be backed out.
"""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING, Any

from penstock.flow.running.listener import listener_for
from penstock.flow.running.pausing import CANNOT_CONNECT, CANNOT_GET, Pause, let_go, pauses_input
from penstock.flow.running.queue_listener import QueueListener
from penstock.flow.running.reporting import named, report
from penstock.flow.running.retrying import FIGURES, Tally
from penstock.model.errors import MQError

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.flow.graph.compiled import CompiledFlow
    from penstock.flow.running.listener import Listener

logger = logging.getLogger(__name__)


class InlineRun:
    """The running instances of a flow. `start`, then `join_for`; `stop` may be called from anywhere.

    `connect` makes a connection to the queue manager; `options` are those of `listener_for`. Instances share
    one deployment, so they have their SHARED variables in common. An input that keeps an order has one
    instance.
    """

    def __init__(
        self,
        flow: CompiledFlow,
        connect: Callable[[], Any],
        *,
        instances: int = 1,
        until_empty: bool = False,
        **options: Any,
    ) -> None:
        self.flow = flow
        self.stopping = threading.Event()
        self.failure: Exception | None = None
        self._connect = connect
        self._until_empty = until_empty
        self._connections: list[Any] = []
        self._listeners: dict[str, Listener] = {}  # by the name of their thread
        self._pauses: dict[str, Pause] = {}
        self._earlier = Tally()  # of listeners whose connection broke
        self._options = {"deployment": flow.new_deployment(flow.project.databases), **options}
        self._threads = [
            threading.Thread(
                target=self._run,
                args=(label, f"{label}.{number}"),
                name=f"{flow.name}.{label}.{number}",
                daemon=True,
            )
            for label, node in flow.driven.items()
            for number in range(1 if node.is_ordered else instances)
        ]

    def start(self) -> None:
        """Start every thread."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Ask the threads to stop after their current unit of work."""
        self.stopping.set()

    @property
    def ready(self) -> bool:
        """Whether every thread is at its input."""
        return len(self._listeners) == len(self._threads)

    @property
    def running(self) -> bool:
        """Whether any thread is still running."""
        return any(thread.is_alive() for thread in self._threads)

    def join_for(self, seconds: float) -> bool:
        """Wait for the end at most this long; return whether it has come. Raises the error that ended it."""
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))
        if self.running:
            return False
        self.close()
        if self.failure is not None:
            raise self.failure
        return True

    def figures(self) -> dict[str, int]:
        """Return the sums of all listeners: messages, outputs, failed ..."""
        tallies = [self._earlier, *(each.tally for each in list(self._listeners.values()))]
        return {name: sum(getattr(each, name) for each in tallies) for name in FIGURES}

    @property
    def puts_to(self) -> list[str]:
        """The queues of its own queue manager that its nodes always put to."""
        return self.flow.puts_to

    def waits_for(self) -> str:
        """Return what an input waits for that cannot be reached or got; "" while all of them work."""
        pauses = [*self._pauses.values(), *(each.pause for each in list(self._listeners.values()))]
        return next((each.why for each in pauses if each.why), "")

    def _run(self, label: str, name: str) -> None:
        pause = self._pauses[name] = Pause(self.flow.name, label)
        try:
            while not self._ran(label, name, pause):
                pass
        except (MQError, OSError) as failure:
            if self.stopping.is_set() and isinstance(failure, MQError) and pauses_input(failure):
                return  # it was stopped in a pause
            facts = named(failure)
            report(logging.INFO, "flow_ended", str(failure), flow=self.flow.name, input=label, **facts)
            self._fail(failure)  # `join_for` raises it
        except Exception as failure:  # an edge: `join_for` raises it in the caller's thread
            logger.exception("flow_ended flow=%s input=%s", self.flow.name, label)
            self._fail(failure)

    def _ran(self, label: str, name: str, pause: Pause) -> bool:
        """Run one input to its end; False after a pause, if it could not reopen its queue."""
        mine: list[Any] = []
        before = self._listeners.get(name)
        try:
            listener = listener_for(self.flow, label, lambda: self._connected(mine), **self._options)
            if before is not None:
                self._take_over(listener, before)
            self._listeners[name] = listener
            pause.over()
            listener.run(self.stopping, self._until_empty)
        except MQError as failure:
            is_waited_for = failure.reason in CANNOT_CONNECT or pauses_input(failure)
            if self._until_empty or name not in self._listeners or not is_waited_for:
                raise
            if self.stopping.is_set():
                return True
            for connection in mine:
                self._connections.remove(connection)
                let_go(connection)
            pause.wait(failure, self.stopping)
            return self.stopping.is_set()
        return True

    def _take_over(self, listener: Listener, before: Listener) -> None:
        """Let a listener go on where one whose connection broke has ended."""
        for name in FIGURES:
            setattr(self._earlier, name, getattr(self._earlier, name) + getattr(before.tally, name))
        if isinstance(before, QueueListener) and isinstance(listener, QueueListener):
            listener.deliveries = before.deliveries  # some backouts were not the fault of their messages

    def _fail(self, failure: Exception) -> None:
        self.failure = self.failure or failure
        if not (self._until_empty and isinstance(failure, MQError) and failure.reason in CANNOT_GET):
            self.stopping.set()  # else the other inputs go on until they are empty

    def _connected(self, mine: list[Any]) -> Any:
        connection = self._connect()
        self._connections.append(connection)
        mine.append(connection)
        return connection

    def close(self) -> None:
        """Close the connections; every thread has ended."""
        while self._connections:
            self._connections.pop().close()
