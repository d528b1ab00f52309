"""Ctrl-C and SIGTERM while Spark works in this process: a command ends with its own message, without
tracebacks.

PySpark sets its own SIGINT handler when a session starts, so commands set theirs after that. py4j logs every
call that a signal has interrupted, which is of no use.
"""

from __future__ import annotations

import logging
import sys
from typing import Any, NoReturn


class Interrupted(BaseException):
    """A signal has ended the command's wait. Not a KeyboardInterrupt: py4j logs those."""

    def __init__(self, number: int) -> None:
        self.exit_code = 128 + number


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
