"""Ctrl-C and SIGTERM while Spark works in this process: a command ends with its own message, without
tracebacks.

PySpark sets its own SIGINT handler when a session starts, so `started` sets that of the command after it.
py4j logs every call that a signal has interrupted, which is of no use.
"""

from __future__ import annotations

import logging
import signal
import sys
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from penstock.cli.ending_signals import take_over

if TYPE_CHECKING:
    from collections.abc import Callable

Made = TypeVar("Made")


class Interrupted(BaseException):
    """A signal has ended the command's wait. Not a KeyboardInterrupt: py4j logs those.

    `begun` is false if Spark was still starting: then no work was touched.
    """

    def __init__(self, number: int, begun: bool = True) -> None:
        self.exit_code = 128 + number
        self.begun = begun


def started(start: Callable[[], Made], handler: Callable[[int, Any], Any]) -> Made:
    """Return what `start` starts; a signal meanwhile ends it at once, later ones are for `handler`."""

    def end(number: int, frame: Any = None) -> NoReturn:
        _leave_connection()
        raise Interrupted(number, begun=False)

    take_over(end)
    try:
        made = start()
        take_over(handler)
    except KeyboardInterrupt:  # of PySpark's handler
        raise Interrupted(signal.SIGINT, begun=False) from None
    return made


def quieten() -> None:
    """Suppress py4j's log entries about interrupted calls."""
    logging.getLogger("py4j").setLevel(logging.CRITICAL)


def interrupt(number: int, frame: Any = None) -> NoReturn:
    """End whatever the main thread waits for."""
    _leave_connection()
    raise Interrupted(number)


def _leave_connection() -> None:
    """Use a new connection for the next call to the JVM: the old one still has an answer to come."""
    context = getattr(sys.modules.get("pyspark"), "SparkContext", None)
    gateway = getattr(context, "_gateway", None)
    if gateway is not None:
        gateway._gateway_client.thread_connection.connection = None
