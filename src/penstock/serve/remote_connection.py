# cython: nonecheck=True
"""A client's connection to the engine: the host's `QueueManager`, run by a loop that must not sleep.

In the loop's thread `finish` does not wait for the disk but notes how far it must get before the
answer may leave (`reached`; `Server` sees to log and memory), and a get that has to wait, or to read a body
first, is suspended. In any other thread (a worker runs MQSC) it does what its base does. Compiled through
`remote_connection.pxd`.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from penstock.face._clock import now as clock
from penstock.face.deadlines import deadline_of
from penstock.host.queue_manager import QueueManager
from penstock.model import constants as mq
from penstock.model.errors import error
from penstock.qmgr.scanning import Paused, Scan, scanning
from penstock.qmgr.selectors.content_selection import is_quick

if TYPE_CHECKING:
    from collections.abc import Callable

    from penstock.face.units import Scope
    from penstock.host.host import Host
    from penstock.model.message import Message
    from penstock.qmgr.waiters import Waiter

HANDLES_AT_ONCE = 500  # that one step closes: some milliseconds


class Suspended(Exception):
    """A get waits: `waiter` will be answered, `wake` is to be set."""

    def __init__(self, waiter: Waiter) -> None:
        self.waiter = waiter


class MustRead(Exception):
    """Bodies must be read from disk before the call can be made again, with what it has begun."""

    def __init__(self, messages: list[Message], begun: Any = None) -> None:
        self.messages = messages
        self.begun = begun


class MustGoOn(Exception):
    """A call has done a part of long work; it is to be made again, with what it has begun."""

    def __init__(self, begun: Any) -> None:
        self.begun = begun


class MustCompile(Exception):
    """A selector must be compiled, which takes too long for the loop, before the call can be made again."""

    def __init__(self, selector: str) -> None:
        self.selector = selector


class RemoteConnection(QueueManager):
    """One conversation's connection."""

    def __init__(self, host: Host, application: str, user: str, process: int) -> None:
        super().__init__(host, application, user, process)
        self._loop_thread = threading.get_ident()
        self.reached = 0
        self.scan: Any = None  # state of the next call from earlier turns: a get's scan, a delivery

    def finish(self, position: int) -> None:
        if threading.get_ident() != self._loop_thread:
            QueueManager.finish(self, position)
            return
        if position > self.reached:
            self.reached = position

    def attempt_or_wait(
        self,
        attempt: Callable[[], Message | None],
        register: Callable[[Callable[[Waiter], None]], Waiter],
        wait: float | None,
    ) -> Message | None:
        if threading.get_ident() != self._loop_thread:
            return QueueManager.attempt_or_wait(self, attempt, register, wait)
        deadline_of(wait)
        with self.gate:
            self.engine.step.begin()
            scan = Scan() if self.scan is None else self.scan
            try:
                with scanning(self.engine, scan):
                    message = attempt()
            except Paused as paused:
                raise MustGoOn(scan) from paused
            loading = self.engine.step.take_load()
            position = self.engine.step.end()
            if message is None and loading is None and wait != 0:
                raise Suspended(register(_asleep))
        if loading is not None and message is None:
            raise MustRead(loading)
        self.finish(position)
        return message

    def under_way(self) -> Any:
        """Return the state that this call left in earlier turns."""
        return self.scan if threading.get_ident() == self._loop_thread else None

    def take_steps(self, work: Any, begun: Any) -> None:
        """Take one step of long work in the loop; the call is made again for the next."""
        if threading.get_ident() != self._loop_thread:
            QueueManager.take_steps(self, work, begun)
            return
        with self.step() as step:
            done = work.step(clock())
        if step.to_load is not None:
            raise MustRead(step.to_load, begun)
        if not done:
            raise MustGoOn(begun)

    def compile_first(self, selector: str) -> None:
        """Compile a subscription's selector; in the loop one that takes long is left to a worker."""
        if threading.get_ident() == self._loop_thread and not is_quick(self.engine, selector):
            raise MustCompile(selector)
        QueueManager.compile_first(self, selector)

    def new_scope(self, holds_all: bool = True) -> Scope:
        """Begin a unit for one verb; a server begins none for SYNCPOINT: no frame could name it."""
        if not holds_all:
            raise error(mq.MQRC_SYNCPOINT_NOT_AVAILABLE, "a call with SYNCPOINT must name a unit of work")
        return QueueManager.new_scope(self, holds_all)

    def end(self) -> bool:
        """Disconnect; the conversation has ended its units. False when handles are left for another call."""
        with self.step():
            self.closed = True
            return bool(self.engine.disconnect(self.connection, clock(), HANDLES_AT_ONCE))


def _asleep(waiter: Any) -> None:
    """Stand in for `wake` until the conversation has put its own in place."""
