"""The signals that ask a command to end, SIGINT and SIGTERM: handlers for as long as the command runs.

A command that a program or a test calls in its own process leaves that process's handlers as they were.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ENDING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def on_ending(handler: Callable[[int, Any], Any]) -> Iterator[None]:
    """Handle the signals that ask for the end; restore the handlers that were there before."""
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        take_over(handler)
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, signal.SIG_DFL if earlier is None else earlier)


def take_over(handler: Callable[[int, Any], Any]) -> None:
    """Set the handler, again when somebody else has set one meanwhile."""
    for number in ENDING:
        signal.signal(number, handler)
