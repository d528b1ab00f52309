"""Real signals at random moments, for tests of calls that they interrupt.

A timer sends SIGALRM again and again; its handler raises, while a call is being made. What a call returns
goes into a deque by C code alone (`deque.extend(map(...))`), so that no bytecode comes between the return and
the store: what is missing in the end was lost by the call.
"""

from __future__ import annotations

import itertools
import random
import signal
from collections import Counter, deque
from operator import methodcaller
from typing import TYPE_CHECKING, Any

from penstock.model import _interrupts
from penstock.model.errors import MQError
from tests.patience import time_left

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from types import TracebackType
    from typing import Self

SECONDS_MAX, SECONDS_EACH = 60.0, 0.05  # that interruptions may take, together and each
GAP_SECONDS = (0.00002, 0.0006)  # between two signals, about as long as a call takes


class OwnError(BaseException):
    """What a program's own handler may raise."""


KINDS: tuple[type[BaseException], ...] = (KeyboardInterrupt, TimeoutError, OwnError)


class Interruptions:
    """Signals whose handler raises in the middle of calls; at most once in each."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._armed: list[bool] = []
        self.raised = 0

    def __enter__(self) -> Self:
        self._running = True
        self._left = time_left(SECONDS_MAX)
        self._before = signal.signal(signal.SIGALRM, self._interrupt)
        self._next()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._armed.clear()
        self._running = False
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        assert not _interrupts.held_back()

    def _next(self) -> None:
        signal.setitimer(signal.ITIMER_REAL, self._random.uniform(*GAP_SECONDS))

    def _interrupt(self, *_: Any) -> None:
        if self._running:
            self._next()
        if self._armed:
            self._armed.clear()
            self.raised += 1
            raise self._random.choice(KINDS)("interrupted")

    def are_wanted(self, count: int) -> bool:
        """Say whether so many have not been raised yet; False, too, when it takes too long."""
        return self.raised < count and self._left() + count * SECONDS_EACH > 0

    def call(self, target: Any, call: Callable[[Any], Any], results: deque[Any]) -> None:
        """Make a call, which may be interrupted; what it has returned, even so, is in `results`."""
        self.fill(results, map(call, itertools.repeat(target, 1)))

    def fill(self, results: deque[Any], given: Iterable[Any]) -> None:
        """Take what an iterator gives until it is interrupted."""
        failure: MQError | None = None
        try:
            self._armed.append(True)
            try:
                results.extend(given)
            except MQError as problem:
                failure = problem
                self._pause()  # what a handler raised meanwhile comes now
            self._armed.clear()
        except KINDS:
            pass
        if failure is not None:
            raise failure

    def _pause(self) -> None:
        """Run a few bytecodes."""

    def ends(self, qm: Any, verb: str) -> bool:
        """Commit or begin; whether it was done, whatever was raised."""
        results: deque[None] = deque()
        self.call(qm, methodcaller(verb), results)
        return bool(results)


def bodies(results: Iterable[Any]) -> list[bytes]:
    """Return the bodies of what gets have returned: messages, lists of them, None."""
    found: list[bytes] = []
    for result in results:
        if result is not None:
            found += [each.body for each in (result if isinstance(result, list) else [result])]
    return found


def missing_and_doubled(sent: Iterable[bytes], seen: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
    """Return what was lost and what came twice."""
    wanted, found = Counter(sent), Counter(seen)
    return sorted((wanted - found).elements()), sorted((found - wanted).elements())
