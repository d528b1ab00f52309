"""The signals that end a command, SIGINT and SIGTERM: handlers while the command runs.

If a program or a test calls a command in its own process, its handlers are restored.
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
    """Handle the signals that end a command; restore the previous handlers afterwards."""
    before = {number: signal.getsignal(number) for number in ENDING}
    try:
        take_over(handler)
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, signal.SIG_DFL if earlier is None else earlier)


def take_over(handler: Callable[[int, Any], Any]) -> None:
    """Set the handler, again if another was set meanwhile."""
    for number in ENDING:
        signal.signal(number, handler)
