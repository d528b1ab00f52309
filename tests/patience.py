"""Waiting in tests: for what must happen, two minutes, so that the slowest machine passes.

The only module of the tests (beside `tests/bench`) that reads a clock of the process: no test asserts how
long something takes. `tests/unit/package/test_untimed.py` checks that.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

SECONDS = 120.0


def attempts(seconds: float = SECONDS) -> Iterator[None]:
    """Yield until the loop is left; fail after some time. The loop's body pauses."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        yield
    raise AssertionError(f"what the test waits for has not happened in {seconds:g} seconds")


def time_left(seconds: float = SECONDS) -> Callable[[], float]:
    """Return what says how many of some seconds are left, for loops that end in another way as a rule."""
    end = time.monotonic() + seconds
    return lambda: end - time.monotonic()


def until(condition: Callable[[], Any], *, pause: float = 0.01, seconds: float = SECONDS) -> Any:
    """Wait until a condition is true, and return what it returned."""
    for _ in attempts(seconds):
        if found := condition():
            return found
        time.sleep(pause)
    raise AssertionError("attempts() raises first")


@contextmanager
def ends() -> Iterator[None]:
    """Fail when the block has not ended after SECONDS: for work that takes hours if it is done badly."""

    def late(*_: object) -> None:
        raise AssertionError(f"the work has not ended in {SECONDS:g} seconds")

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def lasts(seconds: float) -> Iterator[None]:
    """Fail when the block takes less time: a pause is made, however busy the machine is.

    A tenth less is no fault: a loop counts from the beginning of its turn.
    """
    began = time.monotonic()
    yield
    assert time.monotonic() - began >= 0.9 * seconds
